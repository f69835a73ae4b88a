#include "table/written_date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "table/iso_date.h"

namespace covary {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 12> month_names = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::optional<double> days_of(int y, int m, int d) {
  const year_month_day date{year(y), month(static_cast<unsigned>(m)),
                            day(static_cast<unsigned>(d))};
  if (m < 1 || d < 1 || !date.ok()) return std::nullopt;
  return static_cast<double>(sys_days(date).time_since_epoch().count());
}

year_month_day date_of(double value) { return {sys_days(days(static_cast<int>(value)))}; }

// The Monday of the week that has January 4th, which is the first one of ISO 8601.
double first_monday(int y) {
  const double fourth = *days_of(y, 1, 4);
  const double since_monday = std::fmod(fourth + 3.0, 7.0);  // 1970-01-01 was a Thursday
  return fourth - (since_monday < 0.0 ? since_monday + 7.0 : since_monday);
}

// ---- the pieces of a date ----

struct Piece {
  enum class Kind : std::uint8_t { number, word, mark };
  Kind kind = Kind::mark;
  std::string_view text = {};
  int number = 0;
};

// Nothing where there are more than a date has.
constexpr std::size_t max_pieces = 9;
std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    if (pieces.size() == max_pieces) return {};
    std::size_t size = 1;
    Piece piece;
    const auto run = [&](auto is_one) {
      while (size < text.size() && is_one(text[size])) ++size;
    };
    if (is_digit(text.front())) {
      piece.kind = Piece::Kind::number;
      run(is_digit);
      if (size > 4) return {};
      for (const char c : text.substr(0, size)) piece.number = 10 * piece.number + (c - '0');
    } else if (is_letter(text.front())) {
      piece.kind = Piece::Kind::word;
      run(is_letter);
    }
    piece.text = text.substr(0, size);
    pieces.push_back(piece);
    text.remove_prefix(size);
  }
  return pieces;
}

// 1 to 12 for the name of a month, whole or its first three letters; 0 for another word.
int month_named(std::string_view word) {
  if (word.size() < 3) return 0;
  for (std::size_t i = 0; i < month_names.size(); ++i) {
    const std::string_view name = month_names[i];
    if (word.size() != 3 && word.size() != name.size()) continue;
    if (std::equal(word.begin(), word.end(), name.begin(),
                   [](char a, char b) { return lower(a) == b; })) {
      return static_cast<int>(i) + 1;
    }
  }
  return 0;
}

bool is_word(const Piece& piece, char letter) {
  return piece.kind == Piece::Kind::word && piece.text.size() == 1 &&
         lower(piece.text.front()) == letter;
}

bool is_year(const Piece& piece) {
  return piece.kind == Piece::Kind::number && piece.text.size() == 4 && piece.number >= 1000 &&
         piece.number < 3000;
}

bool is_small(const Piece& piece) {
  return piece.kind == Piece::Kind::number && piece.text.size() <= 2 && piece.number >= 1;
}

// Between the pieces of a date: one mark, or nothing, or a comma and a space.
std::string marks_between(const std::vector<Piece>& pieces, std::size_t begin, std::size_t end) {
  std::string marks;
  for (std::size_t i = begin; i < end; ++i) marks += pieces[i].text;
  return marks;
}

// A date without its time: what stands in it apart from marks, and the marks before each.
struct Layout {
  std::vector<Piece> parts;
  std::vector<std::string> marks;  // marks[i] stands before parts[i + 1]
};

std::optional<Layout> layout_of(std::string_view text) {
  const std::vector<Piece> pieces = pieces_of(text);
  if (pieces.empty() || pieces.front().kind == Piece::Kind::mark ||
      pieces.back().kind == Piece::Kind::mark) {
    return std::nullopt;
  }
  Layout layout;
  std::size_t last = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind == Piece::Kind::mark) continue;
    if (!layout.parts.empty()) layout.marks.push_back(marks_between(pieces, last + 1, i));
    layout.parts.push_back(pieces[i]);
    last = i;
  }
  return layout;
}

bool is_one_of(std::string_view mark, std::initializer_list<std::string_view> marks) {
  return std::find(marks.begin(), marks.end(), mark) != marks.end();
}

bool lacks_zero(const Piece& piece) { return piece.text.size() == 1; }

// 1990Q1, 1990-Q1, Q1 1990; 2024-W05, 2024W05.
std::optional<WrittenDate> parse_quarter_or_week(const Layout& layout) {
  const std::vector<Piece>& parts = layout.parts;
  if (parts.size() != 3) return std::nullopt;
  const bool has_year_first = is_year(parts[0]);
  const Piece& letter = has_year_first ? parts[1] : parts[0];
  const Piece& number = has_year_first ? parts[2] : parts[1];
  const Piece& of_year = has_year_first ? parts[0] : parts[2];
  const std::string& inner = layout.marks[has_year_first ? 1 : 0];
  const std::string& outer = layout.marks[has_year_first ? 0 : 1];
  if (!is_year(of_year) || number.kind != Piece::Kind::number || !inner.empty() ||
      !is_one_of(outer, {"", "-", " ", "/", ":", "."})) {
    return std::nullopt;
  }
  const auto format = [&](std::string_view name, std::string_view digits) {
    return has_year_first ? fmt::format("YYYY{}{}{}", outer, name, digits)
                          : fmt::format("{}{}{}YYYY", name, digits, outer);
  };
  WrittenDate date;
  if (is_word(letter, 'q') && lacks_zero(number) && number.number >= 1 && number.number <= 4) {
    date.format = format("Q", "q");
    date.value = *days_of(of_year.number, 3 * number.number - 2, 1);
    return date;
  }
  if (is_word(letter, 'w') && number.text.size() == 2 && number.number >= 1 && has_year_first) {
    date.format = format("W", "ww");
    date.value = first_monday(of_year.number) + 7.0 * (number.number - 1);
    // Some years have 52 weeks.
    if (date.value >= first_monday(of_year.number + 1)) return std::nullopt;
    return date;
  }
  return std::nullopt;
}

// 2-Jan-2024, January 2, 2024, Jan 2024 and their like.
std::optional<WrittenDate> parse_named_month(const Layout& layout) {
  const std::vector<Piece>& parts = layout.parts;
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  WrittenDate date;
  int y = 0;
  int m = 0;
  int d = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Piece& part = parts[i];
    if (i > 0) {
      if (!is_one_of(layout.marks[i - 1], {"", "-", " ", "/", ".", ", ", ". "})) {
        return std::nullopt;
      }
      date.format += layout.marks[i - 1];
    }
    if (y == 0 && is_year(part)) {
      y = part.number;
      date.format += "YYYY";
    } else if (m == 0 && part.kind == Piece::Kind::word) {
      m = month_named(part.text);
      date.has_long_name = part.text.size() > 3;
      date.format += "MMM";
    } else if (d == 0 && is_small(part)) {
      d = part.number;
      date.has_short = lacks_zero(part);
      date.format += "DD";
    } else {
      return std::nullopt;
    }
  }
  if (y == 0 || m == 0 || (d == 0 && parts.size() == 3)) return std::nullopt;
  // Two numbers without a mark between them cannot be told apart.
  const std::optional<double> found = days_of(y, m, d == 0 ? 1 : d);
  if (!found || date.format.find("DDYYYY") != std::string::npos ||
      date.format.find("YYYYDD") != std::string::npos) {
    return std::nullopt;
  }
  date.value = *found;
  return date;
}

// 2024/12/31, 2024-1-5, 2024/12, 12/2024.
std::optional<WrittenDate> parse_numbers(const Layout& layout) {
  const std::vector<Piece>& parts = layout.parts;
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const std::string& mark = layout.marks.front();
  if (!is_one_of(mark, {"-", "/", "."}) || layout.marks.back() != mark) return std::nullopt;
  const bool has_year_first = is_year(parts.front());
  if (!has_year_first && !is_year(parts.back())) return std::nullopt;
  WrittenDate date;
  if (parts.size() == 2) {  // a point would make it a number
    const Piece& of_year = has_year_first ? parts[0] : parts[1];
    const Piece& of_month = has_year_first ? parts[1] : parts[0];
    const bool is_plausible = of_year.number >= 1800 && of_year.number < 2200;
    if (!is_plausible || mark == "." || !is_small(of_month) || of_month.number > 12) {
      return std::nullopt;
    }
    date.format = has_year_first ? "YYYY" + mark + "MM" : "MM" + mark + "YYYY";
    date.has_short = lacks_zero(of_month);
    date.value = *days_of(of_year.number, of_month.number, 1);
    return date;
  }
  const Piece& first = has_year_first ? parts[1] : parts[0];
  const Piece& second = has_year_first ? parts[2] : parts[1];
  if (!is_small(first) || !is_small(second)) return std::nullopt;
  date.has_short = lacks_zero(first) || lacks_zero(second);
  if (has_year_first) {
    const std::optional<double> found = days_of(parts[0].number, first.number, second.number);
    if (!found) return std::nullopt;
    date.format = fmt::format("YYYY{0}MM{0}DD", mark);
    date.value = *found;
    return date;
  }
  const std::optional<double> day_first = days_of(parts[2].number, second.number, first.number);
  const std::optional<double> month_first = days_of(parts[2].number, first.number, second.number);
  if (!day_first && !month_first) return std::nullopt;
  date.names_two_numbers = true;
  date.order = !month_first ? DayOrderOfCell::day_first
               : !day_first ? DayOrderOfCell::month_first
                            : DayOrderOfCell::open;
  date.format = fmt::format("DD{0}MM{0}YYYY", mark);
  date.value = day_first ? *day_first : *month_first;
  return date;
}

// ---- the time after it ----

// Seconds after midnight of 9:05, 09:05:30.5, 9:05 PM.
std::optional<double> parse_time(std::string_view text) {
  const auto take_number = [&](std::size_t most_digits, int highest) -> std::optional<int> {
    std::size_t size = 0;
    int number = 0;
    while (size < text.size() && size < most_digits && is_digit(text[size])) {
      number = 10 * number + (text[size++] - '0');
    }
    text.remove_prefix(size);
    return size > 0 && number <= highest ? std::optional(number) : std::nullopt;
  };
  const auto take_colon = [&] {
    if (!text.starts_with(':')) return false;
    text.remove_prefix(1);
    return true;
  };
  const std::optional<int> hour = take_number(2, 23);
  if (!hour || !take_colon()) return std::nullopt;
  const std::optional<int> minute = take_number(2, 59);
  if (!minute) return std::nullopt;
  double seconds = 0.0;
  if (take_colon()) {
    const std::optional<int> second = take_number(2, 59);
    if (!second) return std::nullopt;
    seconds = *second;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      double fraction = 0.0;
      double unit = 1.0;
      if (text.empty() || !is_digit(text.front())) return std::nullopt;
      for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
        fraction = 10.0 * fraction + (text.front() - '0');
        unit *= 10.0;
      }
      seconds += fraction / unit;
    }
  }
  int hours = *hour;
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (!text.empty()) {
    if (text.size() != 2 || lower(text[1]) != 'm' || hours < 1 || hours > 12) return std::nullopt;
    const bool is_afternoon = lower(text[0]) == 'p';
    if (!is_afternoon && lower(text[0]) != 'a') return std::nullopt;
    hours = hours % 12 + (is_afternoon ? 12 : 0);
  }
  return 3600.0 * hours + 60.0 * *minute + seconds;
}

// Where the time begins: before the hour, which digits and a colon say. The end if there is none.
std::size_t begin_of_time(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if ((text[i - 1] != ' ' && text[i - 1] != 'T') || !is_digit(text[i])) continue;
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end < text.size() && text[end] == ':') return i;
  }
  return text.size();
}

}  // namespace

std::optional<WrittenDate> parse_written_date(std::string_view text) {
  constexpr std::size_t longest = 48;
  if (text.size() < 6 || text.size() > longest) return std::nullopt;
  const std::size_t begin = begin_of_time(text);
  std::string_view of_day = text.substr(0, begin);
  double seconds = 0.0;
  if (begin < text.size()) {
    const std::optional<double> time = parse_time(text.substr(begin));
    if (!time) return std::nullopt;
    seconds = *time;
    of_day.remove_suffix(1);
    if (of_day.ends_with(',')) of_day.remove_suffix(1);
  }
  const std::optional<Layout> layout = layout_of(of_day);
  if (!layout) return std::nullopt;
  std::optional<WrittenDate> date = parse_numbers(*layout);
  if (!date) date = parse_named_month(*layout);
  if (!date) date = parse_quarter_or_week(*layout);
  if (!date || begin == text.size()) return date;
  // A time is one of a day.
  if (date->format.find("DD") == std::string::npos) return std::nullopt;
  date->has_time = true;
  date->value = date->value * seconds_per_day + seconds;
  return date;
}

// ---- 20241231 ----

bool is_compact_date(double number) {
  if (!(number >= 18000101.0 && number <= 21991231.0) || number != std::floor(number)) return false;
  const int digits = static_cast<int>(number);
  return days_of(digits / 10000, digits / 100 % 100, digits % 100).has_value();
}

bool is_compact_month(double number) {
  if (!(number >= 180001.0 && number <= 219912.0) || number != std::floor(number)) return false;
  const int month = static_cast<int>(number) % 100;
  return month >= 1 && month <= 12;
}

double compact_to_days(double number) {
  const int digits = static_cast<int>(number);
  return *days_of(digits / 10000, digits / 100 % 100, digits % 100);
}

double days_to_compact(double days_since_1970) {
  const year_month_day date = date_of(days_since_1970);
  return 10000.0 * static_cast<int>(date.year()) + 100.0 * static_cast<unsigned>(date.month()) +
         static_cast<unsigned>(date.day());
}

// ---- formats ----

namespace {

// The words of a format, longest first where one begins another.
constexpr std::array<std::string_view, 9> words = {"YYYY", "MMMM", "MMM", "MM", "M",
                                                   "DD",   "D",    "ww",  "q"};

// Calls with every word, and with every other character.
template <class Visit>
void for_each_word(std::string_view format, Visit visit) {
  while (!format.empty()) {
    const auto* const word = std::find_if(
        words.begin(), words.end(), [&](std::string_view one) { return format.starts_with(one); });
    const std::string_view found = word != words.end() ? *word : format.substr(0, 1);
    visit(found);
    format.remove_prefix(found.size());
  }
}

std::string with_words(std::string_view format,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> other) {
  std::string result;
  for_each_word(format, [&](std::string_view word) {
    const auto* const found = std::find_if(other.begin(), other.end(),
                                           [&](const auto& pair) { return pair.first == word; });
    result += found != other.end() ? found->second : word;
  });
  return result;
}

}  // namespace

std::string padded_format(std::string_view format) {
  return with_words(format, {{"M", "MM"}, {"D", "DD"}, {"MMMM", "MMM"}});
}

std::string shortest_format(std::string_view padded) {
  return with_words(padded, {{"MM", "M"}, {"DD", "D"}});
}

std::string long_name_format(std::string_view padded) {
  return with_words(padded, {{"MMM", "MMMM"}});
}

std::optional<std::string> with_swapped_order(std::string_view format) {
  const bool is_swappable = format.ends_with("YYYY") &&
                            format.find('D') != std::string_view::npos &&
                            format.find("MMM") == std::string_view::npos;
  if (!is_swappable) return std::nullopt;
  return with_words(format, {{"MM", "DD"}, {"M", "D"}, {"DD", "MM"}, {"D", "M"}});
}

bool has_month_first(std::string_view format) {
  return with_swapped_order(format).has_value() && format.starts_with('M');
}

double with_swapped_day(ColumnType type, double value) {
  const double length = type == ColumnType::date_time ? seconds_per_day : 1.0;
  const double whole_days = std::floor(value / length);
  const year_month_day date = date_of(whole_days);
  const auto d = static_cast<unsigned>(date.day());
  if (d > 12) return value;
  const std::optional<double> swapped =
      days_of(static_cast<int>(date.year()), static_cast<int>(d),
              static_cast<int>(static_cast<unsigned>(date.month())));
  return value + (*swapped - whole_days) * length;
}

std::string written_day(std::string_view format, double value) {
  const year_month_day date = date_of(value);
  const auto m = static_cast<unsigned>(date.month());
  const auto d = static_cast<unsigned>(date.day());
  int y = static_cast<int>(date.year());
  unsigned week = 0;
  if (format.find("ww") != std::string_view::npos) {
    // The year that the week belongs to, which is that of its Thursday.
    if (value >= first_monday(y + 1)) ++y;
    if (value < first_monday(y)) --y;
    week = static_cast<unsigned>((value - first_monday(y)) / 7.0) + 1;
  }
  std::string text;
  for_each_word(format, [&](std::string_view word) {
    if (word == "YYYY") {
      text += fmt::format("{:04}", y);
    } else if (word == "MMMM" || word == "MMM") {
      std::string name(month_names[m - 1].substr(0, word == "MMM" ? 3 : std::string_view::npos));
      name.front() = static_cast<char>(name.front() - 'a' + 'A');
      text += name;
    } else if (word == "MM" || word == "DD" || word == "ww") {
      text += fmt::format("{:02}", word == "MM" ? m : word == "DD" ? d : week);
    } else if (word == "M" || word == "D") {
      text += fmt::format("{}", word == "M" ? m : d);
    } else if (word == "q") {
      text += fmt::format("{}", (m + 2) / 3);
    } else {
      text += word;
    }
  });
  return text;
}

// What it writes is read as the same format again: no other text passes for one.
bool is_date_format(std::string_view format) {
  constexpr std::size_t longest = 24;
  if (format.empty() || format.size() > longest) return false;
  if (format == compact_format) return true;
  const std::optional<double> probe = days_of(2024, 12, 30);  // a Monday, of week 1 of 2025
  const std::string padded = padded_format(format);
  const std::string text = written_day(padded, *probe);
  if (parse_iso_date(text)) return padded == "YYYY-MM";
  const std::optional<WrittenDate> read = parse_written_date(text);
  if (!read) return false;
  return read->format == padded || with_swapped_order(read->format) == padded;
}

}  // namespace covary
