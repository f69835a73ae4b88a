#include "lgbb.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "base/hash.h"
#include "statistics.h"

namespace covary::paper {

const char* const lgbb_source =
    "the web page of R. Gramacy's book Surrogates (2020), chapter 2, archive lgbb, "
    "file lgbb_original.txt";

namespace {

constexpr double lift_quantile = 0.99;
constexpr std::size_t min_rows = 10;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    std::erase(word, '"');
    words.push_back(word);
  }
  return words;
}

struct Row {
  double mach, alpha, beta, lift;
};

double number_of(const std::string& word, const std::string& path, std::size_t line) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(number)) {
    throw Error(ErrorKind::bad_data, fmt::format("{}, line {}: {} is not a number",
                                                 shown_source(path), line, covary::quoted(word)));
  }
  return number;
}

// Comments come first, then the names of the columns, then numbers between blanks.
std::vector<Row> rows_of(std::istream& file, const std::string& path) {
  const std::array<std::string, 4> names = {"mach", "alpha", "beta", "lift"};
  std::optional<std::array<std::size_t, 4>> places;
  std::size_t num_columns = 0;
  std::vector<Row> rows;
  std::string text;
  for (std::size_t line = 1; std::getline(file, text); ++line) {
    std::vector<std::string> words = words_of(text);
    if (words.empty()) continue;
    if (!places) {
      std::array<std::size_t, 4> found{};
      bool has_all = true;
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto place = std::find(words.begin(), words.end(), names[i]);
        has_all = has_all && place != words.end();
        found[i] = static_cast<std::size_t>(place - words.begin());
      }
      const bool is_comment = words.front().front() == '#' || words.front().front() == '%';
      if (has_all && !is_comment) {
        places = found;
        num_columns = words.size();
      }
      continue;
    }
    // Some files number their rows in a column without a name.
    if (words.size() == num_columns + 1) words.erase(words.begin());
    if (words.size() != num_columns) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("{}, line {}: {} values where {} columns are", shown_source(path),
                              line, words.size(), num_columns));
    }
    const auto value = [&](std::size_t i) { return number_of(words[(*places)[i]], path, line); };
    rows.push_back({value(0), value(1), value(2), value(3)});
  }
  if (!places) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} has no line that names the columns mach, alpha, beta and lift; "
                            "the file wanted is that of {}",
                            shown_source(path), lgbb_source));
  }
  return rows;
}

}  // namespace

Dataset read_lgbb(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw Error(ErrorKind::no_input,
                fmt::format("{} cannot be read; get it from {}", shown_source(path), lgbb_source));
  }
  std::vector<Row> rows = rows_of(file, path);
  std::erase_if(rows, [](const Row& row) { return row.beta != 0.0; });
  if (rows.size() < min_rows) {
    throw Error(ErrorKind::bad_data, fmt::format("{} has {} rows with beta = 0; {} are needed",
                                                 shown_source(path), rows.size(), min_rows));
  }
  std::vector<double> lifts;
  lifts.reserve(rows.size());
  for (const Row& row : rows) lifts.push_back(row.lift);
  const double edge = quantile(lifts, lift_quantile);
  std::erase_if(rows, [&](const Row& row) { return !(row.lift < edge); });

  std::vector<std::vector<double>> inputs(2);
  std::vector<double> lift;
  Fingerprint fingerprint;
  for (const Row& row : rows) {
    inputs[0].push_back(row.mach / 6.0);
    inputs[1].push_back((row.alpha + 5.0) / 35.0);
    lift.push_back(row.lift);
    for (const double number : {row.mach, row.alpha, row.lift}) fingerprint.add(number);
  }
  const double mean = mean_of(lift);
  double square = 0.0;
  for (const double value : lift) square += (value - mean) * (value - mean);
  const double sd = std::sqrt(square / static_cast<double>(lift.size()));
  if (!(sd > 0.0)) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} has the same lift in every row with beta = 0", shown_source(path)));
  }
  for (double& value : lift) value = (value - mean) / sd;
  return {std::move(inputs),
          std::move(lift),
          {{"mach", ColumnType::number, 0.0, 6.0}, {"alpha", ColumnType::number, -5.0, 35.0}},
          {"lift", ColumnType::number, mean, sd},
          fingerprint.digits(),
          {}};
}

}  // namespace covary::paper
