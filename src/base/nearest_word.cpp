#include <algorithm>
#include <numeric>
#include <vector>

#include <covary/message_text.h>

namespace covary {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein distance, blind to the case of ASCII letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view typed, std::span<const std::string> words) {
  constexpr std::size_t max_length = 64;  // longer ones are no slips of the pen
  std::string nearest;
  std::size_t least = max_length;
  if (typed.size() > max_length) return nearest;
  for (const std::string& word : words) {
    if (word.size() > max_length) continue;
    const std::size_t distance = edit_distance(typed, word);
    if (distance < least && 3 * distance <= word.size()) {
      least = distance;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace covary
