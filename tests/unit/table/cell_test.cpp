#include "table/cell.h"

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_number(std::string_view text, double value) {
  const Cell cell = parse_cell(text, DecimalComma::never);
  EXPECT_EQ(cell.kind, CellKind::number) << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(cell.value), std::bit_cast<std::uint64_t>(value)) << text;
}

CellKind kind_of(std::string_view text) { return parse_cell(text, DecimalComma::never).kind; }
CellKind kind_with_comma(std::string_view text) {
  return parse_cell(text, DecimalComma::allowed).kind;
}

TEST(Cell, NumbersAreReadToTheLastBit) {
  expect_number("0", 0.0);
  expect_number("-0", -0.0);
  expect_number("-0.0", -0.0);
  expect_number("12", 12.0);
  expect_number("+12", 12.0);
  expect_number(" \t12\r\n", 12.0);
  expect_number(".5", 0.5);
  expect_number("-.5", -0.5);
  expect_number("5.", 5.0);
  expect_number("1e3", 1000.0);
  expect_number("1E+3", 1000.0);
  expect_number("1e-3", 1e-3);
  expect_number("0.1", 0.1);
  expect_number("007", 7.0);
  expect_number("9007199254740993", 9007199254740992.0);  // half way, to even
  expect_number("1.7976931348623157e308", std::numeric_limits<double>::max());
  expect_number("4.9e-324", std::numeric_limits<double>::denorm_min());
  expect_number("2.2250738585072011e-308", 2.2250738585072011e-308);
  expect_number(std::string(400, '0') + "1", 1.0);
  expect_number("0." + std::string(400, '0') + "1e401", 1.0);
  expect_number("0e999999999999999999999", 0.0);
}

TEST(Cell, LiteralsThatAreTooSmallAreZeroOfTheirSign) {
  expect_number("1e-400", 0.0);
  expect_number("-1e-400", -0.0);
  expect_number("+1e-99999999999999999999999", 0.0);
  expect_number("0." + std::string(400, '0') + "1", 0.0);
  expect_number("123456789e-400", 0.0);
}

TEST(Cell, LiteralsThatAreTooLargeAreInfinite) {
  const std::vector<std::string> texts = {"1e309",
                                          "+1e309",
                                          "1e99999999999999999999999",
                                          "1.8e308",
                                          "1" + std::string(400, '0'),
                                          "0.0001e99999",
                                          "0." + std::string(10, '0') + "1e400"};
  for (const std::string& text : texts) {
    const Cell cell = parse_cell(text, DecimalComma::never);
    EXPECT_EQ(cell.kind, CellKind::infinite) << text;
    EXPECT_EQ(cell.value, infinity) << text;
    EXPECT_EQ(parse_cell("-" + (text[0] == '+' ? text.substr(1) : text), DecimalComma::never).value,
              -infinity)
        << text;
  }
}

TEST(Cell, WordsForInfinityAreInfinite) {
  for (const std::string_view text : {"inf", "Inf", "INF", "+inf", "infinity", "+Infinity"}) {
    EXPECT_EQ(kind_of(text), CellKind::infinite) << text;
    EXPECT_EQ(parse_cell(text, DecimalComma::never).value, infinity) << text;
  }
  EXPECT_EQ(parse_cell("-Infinity", DecimalComma::never).value, -infinity);
  for (const std::string_view text : {"infinit", "infin", "--inf", "+-inf", "+", "inf."}) {
    EXPECT_EQ(kind_of(text), CellKind::text) << text;
  }
}

TEST(Cell, EmptyCellsAndTheWordsForNothingAreMissing) {
  for (const std::string_view text :
       {"",          " ",    "\t",   "NA",      "na",      "Na",     "N/A", "n/a",  "NaN",
        "nan",       "-nan", "null", "NULL",    "None",    "none",   "?",   " NA ", "nan(ind)",
        "-nan(ind)", "#N/A", "#n/a", "#DIV/0!", "#VALUE!", "#REF!",  "-",   "--",   "\u2013",
        ".",         "..",   "n.a.", "NaT",     "<NA>",    "(null)", "\\N"}) {
    EXPECT_EQ(kind_of(text), CellKind::missing) << text;
  }
  for (const std::string_view text : {"N A", "NAN1", "nil", "??", "---", "#", "#N", "..."}) {
    EXPECT_EQ(kind_of(text), CellKind::text) << text;
  }
}

TEST(Cell, OtherWaysToWriteNumbersAreText) {
  for (const std::string_view text :
       {"0x1F",  "-0x1f", "1,234", "1,234,567", "12,5",  "1 234", "1'234", "12%",
        "$12",   "12 €",  "1e",    "1e+",       "e5",    "1.2.3", "1_000", "++1",
        "+-1",   "-+1",   "--1",   "1-",        "12abc", "1d5",   "١٢",    "−5",
        "1e5.5", "(12)",  "1/2",   "nan(abc)",  "0b11",  "1f"}) {
    EXPECT_EQ(kind_of(text), CellKind::text) << text;
  }
}

TEST(Cell, DecimalCommasAreNumbersOnlyWhereAllowed) {
  EXPECT_EQ(kind_of("12,5"), CellKind::text);
  const Cell cell = parse_cell("-12,5e1", DecimalComma::allowed);
  EXPECT_EQ(cell.kind, CellKind::number_with_comma);
  EXPECT_EQ(cell.value, -125.0);
  EXPECT_EQ(parse_cell("+0,1", DecimalComma::allowed).value, 0.1);
  EXPECT_EQ(kind_with_comma("12.5"), CellKind::number_with_point);
  EXPECT_EQ(kind_with_comma("12"), CellKind::number);
  EXPECT_EQ(kind_with_comma("1,5e999"), CellKind::infinite);
  for (const std::string_view text :
       {",5", "5,", "1,234,567", "1.234,56", "1,234.56", "1 234,5", ",", "-,5", "1,e5", "1e5,5"}) {
    EXPECT_EQ(kind_with_comma(text), CellKind::text) << text;
  }
}

TEST(Cell, DatesAreTheirOwnKinds) {
  EXPECT_EQ(kind_of("1970-01-02"), CellKind::date);
  EXPECT_EQ(parse_cell("1970-01-02", DecimalComma::never).value, 1.0);
  EXPECT_EQ(kind_of("1970-02"), CellKind::date);
  EXPECT_EQ(kind_of("1970-01-02T00:00"), CellKind::date_time);
  EXPECT_EQ(kind_of("1970-01-02 00:00:01Z"), CellKind::date_time_with_offset);
  EXPECT_EQ(kind_of("2023-02-29"), CellKind::text);
  EXPECT_EQ(kind_of("-1970-01-02"), CellKind::text);
}

// Whatever the machine's locales, so that the test has teeth everywhere.
class CommaPunctuation : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Cell, TheLocaleMakesNoDifference) {
  const std::string old_c_locale = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    std::setlocale(LC_ALL, name);  // where the machine has it
    const std::locale old = std::locale::global(std::locale(std::locale(), new CommaPunctuation));
    expect_number("1234.5", 1234.5);
    EXPECT_EQ(kind_of("1.234,5"), CellKind::text);
    EXPECT_EQ(kind_of("1,5"), CellKind::text);
    EXPECT_EQ(parse_cell("1,5", DecimalComma::allowed).value, 1.5);
    EXPECT_EQ(kind_of("1e309"), CellKind::infinite);
    std::locale::global(old);
  }
  std::setlocale(LC_ALL, old_c_locale.c_str());
}

TEST(Cell, ComplaintsNameTheSlip) {
  const auto complains = [](std::string_view text, std::string_view part) {
    EXPECT_NE(why_not_a_number(text).find(part), std::string::npos)
        << text << ": " << why_not_a_number(text);
  };
  complains("0x1F", "is hexadecimal; write it in decimal");
  complains("1,234,567", "has a thousands separator");
  complains("1.234,56", "has a thousands separator");
  complains("1 234", "has a thousands separator");
  complains("1\u00A0234", "has a thousands separator");
  complains("1'234'567.5", "has a thousands separator");
  complains("12,5", "has a decimal comma");
  complains("12%", "has a percent sign");
  complains("$12", "has a currency sign");
  complains("12 €", "has a currency sign");
  complains("\u22125", "has a typographic minus sign");
  complains("24.12.2023", "looks like a date");
  complains("12/24/23 10:00", "looks like a date");
  complains("2023-02-29", "is not a day and time of the calendar");
  for (const std::string_view text : {"abc", "1.2.3", "10.0.0.1", "", "-", "0x", "%", "€", "$"}) {
    EXPECT_EQ(why_not_a_number(text), "is not a number") << text;
  }
  EXPECT_EQ(why_not_a_date("12"), "is not a date");
  EXPECT_EQ(why_not_a_date("abc"), "is not a date");
}

}  // namespace
}  // namespace covary
