#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/random.h>
#include <covary/table.h>

#include "error_of.h"

namespace covary {
namespace {

using Names = std::vector<std::string>;

Dataset make(std::string_view text, const DatasetOptions& options = {.target = "y"}) {
  return make_dataset(read_csv_text(text, "F"), options);
}

std::string bad_data(std::string_view text, const DatasetOptions& options) {
  return error_of(ErrorKind::bad_data, [&] { make(text, options); });
}

std::string usage(std::string_view text, const DatasetOptions& options) {
  return error_of(ErrorKind::usage, [&] { make(text, options); });
}

constexpr std::string_view regions =
    "region,y\nsouth,1\nnorth,2\nsouth,3\neast,4\nnorth,5\neast,6\n";

// The name of the level that each row has.
Names names_in(const Dataset& data, std::size_t input) {
  Names names;
  for (const double value : data.input(input)) {
    names.push_back(data.input_scaling(input).value_text(value));
  }
  return names;
}

TEST(Category, TextOfFewLevelsIsAnInputOfUnscaledIndices) {
  const Dataset data = make(regions);
  const Scaling& scaling = data.input_scaling(0);
  EXPECT_TRUE(scaling.is_category());
  EXPECT_EQ(scaling.levels, (Names{"east", "north", "south"}));
  EXPECT_EQ(names_in(data, 0), (Names{"south", "north", "south", "east", "north", "east"}));
  EXPECT_EQ(data.input(0)[0], 2.0);
  EXPECT_EQ(raw_input(data, 0)[0], 2.0);
  EXPECT_TRUE(data.notes().empty());
}

// Whatever the order of the rows, a level has the same index.
TEST(Category, LevelsDoNotDependOnTheOrderOfTheRows) {
  Random random(3);
  constexpr int num_rows = 40;
  std::vector<std::string> rows;
  rows.reserve(num_rows);
  for (int i = 0; i < num_rows; ++i) {
    rows.push_back(fmt::format("{},{}\n", std::string(1, static_cast<char>('a' + i % 7)), i));
  }
  const auto text_in = [&](const std::vector<std::size_t>& order) {
    std::string text = "c,y\n";
    for (const std::size_t row : order) text += rows[row];
    return text;
  };
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const Dataset as_it_is = make(text_in(order));
  order = random.permutation(order.size());
  const Dataset permuted = make(text_in(order));
  EXPECT_EQ(permuted.input_scaling(0), as_it_is.input_scaling(0));
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(permuted.input(0)[i], as_it_is.input(0)[order[i]]);
  }
}

TEST(Category, NumbersAndDatesAreCategoriesIfNamed) {
  const Dataset data =
      make("a,day,y\n10,2024-01-02,1\n2,2024-01-01,2\n10.0,2024-01-01,3\n2,2024-01-02,5\n",
           {.target = "y", .categories = {"a", "day"}});
  EXPECT_EQ(data.input_scaling(0).levels, (Names{"2", "10"}));  // in the order of numbers
  EXPECT_EQ(names_in(data, 0), (Names{"10", "2", "10", "2"}));
  EXPECT_EQ(data.input_scaling(1).levels, (Names{"2024-01-01", "2024-01-02"}));
}

// A column of codes is often of numbers for the most part.
TEST(Category, NumbersAmongTextsAreLevelsToo) {
  const std::string text = "code,y\n1,1\n2,2\n1.0,3\nX,4\n2,5\nX,6\n";
  const Dataset data = make(text, {.target = "y", .categories = {"code"}});
  EXPECT_EQ(data.input_scaling(0).levels, (Names{"1", "2", "X"}));
  EXPECT_EQ(names_in(data, 0), (Names{"1", "2", "1", "X", "2", "X"}));
}

TEST(Category, WholeNumbersOfAFewValuesStayNumbersWithANote) {
  std::string text = "group,y\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("{},{}\n", i % 4, i);
  const Dataset data = make(text);
  EXPECT_EQ(data.input_scaling(0).type, ColumnType::number);
  EXPECT_EQ(data.notes(), (Names{"column \"group\" has 4 different whole numbers, taken as "
                                 "numbers; if they are names of groups, name it in --categories"}));
}

TEST(Category, MissingCellsFollowThePolicyAndLevelsThatAreGoneAreNotKept) {
  const std::string text = "c,x,y\nb,1,1\n,2,2\na,3,3\nb,4,5\na,5,1\nc,,2\nc,,2\n";
  EXPECT_EQ(
      bad_data(text, {.target = "y"}),
      "F: row 2 (line 3), column \"c\": the cell is empty; fill it in, or drop such rows with "
      "--missing drop");
  const Dataset data = make(text, {.target = "y", .missing = MissingPolicy::drop});
  EXPECT_EQ(data.num_rows(), 4U);
  EXPECT_EQ(data.input_scaling(0).levels, (Names{"a", "b"}));
  EXPECT_EQ(names_in(data, 0), (Names{"b", "a", "b", "a"}));
}

TEST(Category, TheFingerprintKnowsTheNames) {
  std::string renamed(regions);
  for (std::size_t at = 0; (at = renamed.find("south")) != std::string::npos;) {
    renamed.replace(at, 5, "wales");
  }
  EXPECT_NE(make(regions).fingerprint(), make(renamed).fingerprint());
}

std::string cities(std::size_t num_levels, std::size_t num_rows) {
  std::string text = "city,x,y\n";
  for (std::size_t i = 0; i < num_rows; ++i) {
    text += fmt::format("c{},{},{}\n", i % num_levels, 0.5 * static_cast<double>(i), i);
  }
  return text;
}

TEST(Category, ManyLevelsAreIgnoredUnlessNamed) {
  const Dataset data = make(cities(60, 200));
  EXPECT_EQ(data.input_names(), (Names{"x"}));
  EXPECT_EQ(data.notes(), (Names{"column \"city\" holds text with 60 levels in 200 rows and is "
                                 "ignored; name it in --categories to use it"}));
  EXPECT_EQ(make(cities(60, 200), {.target = "y", .categories = {"city"}}).num_inputs(), 2U);
  EXPECT_EQ(bad_data(cities(60, 200), {.target = "y", .inputs = {"city"}}),
            "F: column \"city\" holds text with 60 levels in 200 rows, too many for a category; "
            "leave it out of --inputs, or name it in --categories as well");
  EXPECT_EQ(bad_data(cities(1000, 3000), {.target = "y", .categories = {"city"}}),
            "F: column \"city\" has 1000 levels in 3000 rows, more than the 500 of a category; "
            "leave it out, or join levels");
  EXPECT_EQ(bad_data(cities(20'000, 20'000), {.target = "y", .categories = {"city"}}),
            "F: column \"city\" has more than 10000 levels, more than the 500 of a category; leave "
            "it out, or join levels");
  EXPECT_EQ(
      bad_data(cities(20, 20), {.target = "y", .categories = {"city"}}),
      "F: column \"city\" has another level in every row, from which nothing can be learnt as "
      "a category; leave it out");
}

TEST(Category, NumbersInAFormThatCannotBeReadAreNoLevels) {
  const std::string text = "price,x,y\n$10,1,1\n$20,2,2\n$10,3,4\n$20,4,4\n";
  EXPECT_EQ(make(text).input_names(), (Names{"x"}));
  EXPECT_EQ(bad_data(text, {.target = "y", .inputs = {"price"}}),
            "F: row 1 (line 2), column \"price\": \"$10\" has a currency sign; write the plain "
            "number, and most of the column is text; correct it, leave it out of --inputs, or name "
            "it in --categories");
  EXPECT_EQ(make(text, {.target = "y", .categories = {"price"}}).input_scaling(0).levels,
            (Names{"$10", "$20"}));
}

TEST(Category, OptionsThatContradictThemselvesAreUsageErrors) {
  EXPECT_EQ(usage(regions, {.target = "y", .categories = {"regin"}}),
            "--categories: no column \"regin\" in F (did you mean \"region\"?); it has region, y");
  EXPECT_EQ(usage(regions, {.target = "y", .categories = {"y"}}),
            "--categories: column \"y\" is the target, which has to be numbers");
  EXPECT_EQ(usage(cities(4, 20), {.target = "y", .inputs = {"x"}, .categories = {"city"}}),
            "--categories: column \"city\" is not among --inputs; name it there too");
}

TEST(Category, OneLevelIsNothingToLearnFrom) {
  EXPECT_EQ(make("c,x,y\na,1,1\na,2,2\na,3,4\na,4,4\n").notes(),
            (Names{"column \"c\" has the same level \"a\" in every row and is ignored"}));
}

// Equal names are equal levels, and different ones differ, whether the model has seen them or not.
TEST(Category, NewLevelsGetIndicesBeyondTheKnownOnes) {
  const Dataset data = make(regions);
  const Table table = read_csv_text("region\nwest\nsouth\nalps\nwest\neast\n", "new.csv");
  EXPECT_EQ(input_values(table, data.input_scaling(0)), (std::vector<double>{4, 2, 3, 4, 0}));
  EXPECT_EQ(data.input_scaling(0).value_text(4.0), "another level");
}

// The new table may have too few rows to tell what its column is.
TEST(Category, NewDataNeedNotLookLikeACategory) {
  const std::string text = "code,y\n1,1\n2,2\n1,3\nX,4\n2,5\nX,6\n";
  const Scaling code = make(text, {.target = "y", .categories = {"code"}}).input_scaling(0);
  EXPECT_EQ(input_values(read_csv_text("code\n2.0\n", "new.csv"), code), (std::vector<double>{1}));
  EXPECT_EQ(input_values(read_csv_text("code\nX\n", "new.csv"), code), (std::vector<double>{2}));
  EXPECT_EQ(error_of(ErrorKind::bad_data,
                     [&] { input_values(read_csv_text("code\nX\n?\n", "new.csv"), code); }),
            "new.csv: row 2 (line 3), column \"code\": \"?\" is not a usable value; a prediction "
            "needs a level there");
}

}  // namespace
}  // namespace covary
