#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/table.h>

#include "error_of.h"
#include "table/rows_fingerprint.h"

namespace covary {
namespace {

using Names = std::vector<std::string>;

// Of data that are as small as they may be.
const std::string three_rows =
    "3 rows are few: what a model makes of them is more its own assumptions than the data's";

Table read(std::string_view text) { return read_csv_text(text, "F"); }

Dataset make(std::string_view text, const DatasetOptions& options = {.target = "y"}) {
  return make_dataset(read(text), options);
}

std::string bad_data(std::string_view text, const DatasetOptions& options = {.target = "y"}) {
  return error_of(ErrorKind::bad_data, [&] { make(text, options); });
}

std::string usage(std::string_view text, const DatasetOptions& options) {
  return error_of(ErrorKind::usage, [&] { make(text, options); });
}

constexpr std::string_view plain = "a,b,y\n1,10,2\n2,30,4\n3,20,9\n";

TEST(MakeDataset, TakesAllOtherColumnsByDefault) {
  const Dataset data = make(plain);
  EXPECT_EQ(data.input_names(), (Names{"a", "b"}));
  EXPECT_EQ(data.num_rows(), 3U);
  EXPECT_EQ(data.target_scaling().name, "y");
  EXPECT_EQ(data.input(0)[1], 0.5);
  EXPECT_EQ(data.input(1)[1], 1.0);
  EXPECT_EQ(data.notes(), Names{three_rows});
}

TEST(MakeDataset, TakesNamedColumnsInTheirOrder) {
  EXPECT_EQ(make(plain, {.target = "a", .inputs = {"y", "b"}}).input_names(), (Names{"y", "b"}));
}

TEST(MakeDataset, UnknownColumnsAreUsageErrorsThatListTheColumns) {
  EXPECT_EQ(usage("Month,Passengers\n1,2\n", {.target = "foo"}),
            "--target: no column \"foo\" in F; it has Month, Passengers");
  EXPECT_EQ(usage("Month,Passengers\n1,2\n", {.target = "pasengers"}),
            "--target: no column \"pasengers\" in F (did you mean \"Passengers\"?); it has Month, "
            "Passengers");
  EXPECT_EQ(usage(plain, {.target = "y", .inputs = {"a", "zz"}}),
            "--inputs: no column \"zz\" in F; it has a, b, y");
  EXPECT_EQ(usage("a1,a2,a3,a4,a5,a6,a7,a8,a9,b1,b2,b3,b4,b5\n1,1,1,1,1,1,1,1,1,1,1,1,1,1\n",
                  {.target = "foo"}),
            "--target: no column \"foo\" in F; it has a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, "
            "b3 and 2 more");
  EXPECT_EQ(usage(plain, {.target = "x\n\xff"}),
            "--target: no column \"x\\n\\xff\" in F; it has a, b, y");
}

TEST(MakeDataset, WithoutATargetTheColumnsAreListed) {
  EXPECT_EQ(usage(plain, {}), "--target: name the column to explain; F has a, b, y");
}

TEST(MakeDataset, AnInputIsNamedOnceAndIsNotTheTarget) {
  EXPECT_EQ(usage(plain, {.target = "y", .inputs = {"a", "y"}}),
            "--inputs: column \"y\" is the target; it cannot be an input as well");
  EXPECT_EQ(usage(plain, {.target = "y", .inputs = {"a", "b", "a"}}),
            "--inputs: column \"a\" is named twice");
}

TEST(MakeDataset, TheTargetHasToBeNumbers) {
  EXPECT_EQ(bad_data("a,y\n1,anna\n2,bert\n3,cleo\n"),
            "F: column \"y\" holds text (row 1 has \"anna\") and cannot be the target; choose a "
            "column of numbers");
  EXPECT_EQ(bad_data("a,y\n1,2020-01-01\n2,2020-01-02\n3,2020-01-03\n"),
            "F: column \"y\" holds dates and cannot be the target; choose a column of numbers");
  EXPECT_EQ(bad_data("a,y\n1,\n2,NA\n3,?\n"),
            "F: column \"y\" has no value in any row and cannot be the target");
}

TEST(MakeDataset, TextColumnsAreIgnoredWithANoteOrRefusedByName) {
  constexpr std::string_view text = "a,name,y\n1,anna,2\n2,bert,4\n3,cleo,9\n";
  EXPECT_EQ(
      make(text).notes(),
      (Names{"column \"name\" holds text with 3 levels in 3 rows and is ignored", three_rows}));
  EXPECT_EQ(make(text).input_names(), Names{"a"});
  EXPECT_EQ(
      bad_data(text, {.target = "y", .inputs = {"a", "name"}}),
      "F: column \"name\" holds text with 3 levels in 3 rows, too many for a category; leave it "
      "out of --inputs");
}

TEST(MakeDataset, EmptyColumnsAreIgnoredWithANoteOrRefusedByName) {
  constexpr std::string_view text = "a,e,y\n1,,2\n2,NA,4\n3,,9\n";
  EXPECT_EQ(make(text).notes(),
            (Names{"column \"e\" has no value in any row and is ignored", three_rows}));
  EXPECT_EQ(bad_data(text, {.target = "y", .inputs = {"e"}}),
            "F: column \"e\" has no value in any row; leave it out of --inputs");
}

TEST(MakeDataset, StrayCellsAreAlwaysAnError) {
  constexpr std::string_view text = "a,b,y\n1,1,2\n0x1F,2,4\n3,3,9\n4,4,7\n";
  EXPECT_EQ(bad_data(text),
            "F: row 2 (line 3), column \"a\": \"0x1F\" is hexadecimal; write it in decimal; "
            "correct it, or name the columns to use with --inputs");
  EXPECT_EQ(bad_data(text, {.target = "y", .missing = MissingPolicy::drop}), bad_data(text));
  EXPECT_EQ(bad_data(text, {.target = "y", .inputs = {"a"}}),
            "F: row 2 (line 3), column \"a\": \"0x1F\" is hexadecimal; write it in decimal; "
            "correct it, or leave the column out of --inputs");
  EXPECT_EQ(make(text, {.target = "y", .inputs = {"b"}}).num_rows(), 4U);
  EXPECT_EQ(bad_data(text, {.target = "a"}),
            "F: row 2 (line 3), column \"a\": \"0x1F\" is hexadecimal; write it in decimal; "
            "correct it");
  EXPECT_EQ(bad_data("a,y\n1,2\nx,4\nz,9\n4,7\n5,1\n"),
            "F: row 2 (line 3), column \"a\": \"x\" is not a number (and 1 more cell of the column "
            "does not fit); correct it, or name the columns to use with --inputs");
  EXPECT_EQ(bad_data("a,y\n2020-01-01,2\n7,4\n2020-01-02,9\n2020-01-03,9\n"),
            "F: row 2 (line 3), column \"a\": \"7\" is not a date; correct it, or name the columns "
            "to use with --inputs");
  EXPECT_EQ(bad_data("a,y\n1,2\n2020-01-01,4\n3,9\n4,9\n"),
            "F: row 2 (line 3), column \"a\": \"2020-01-01\" is a date, not a number; correct it, "
            "or name the columns to use with --inputs");
  EXPECT_EQ(bad_data("a,y\n1,2\n\"12,5\",4\n3,9\n4,9\n"),
            "F: row 2 (line 3), column \"a\": \"12,5\" has a decimal comma; write a decimal point, "
            "or separate the columns with semicolons; correct it, or name the columns to use with "
            "--inputs");
}

TEST(MakeDataset, ConflictsCountOnlyInUsedColumns) {
  constexpr std::string_view text = "a;b;y\n1,5;1;2\n2.5;2;4\n3;3;9\n";
  EXPECT_EQ(bad_data(text),
            "F: column \"a\": \"1,5\" in row 1 (line 2) has a decimal comma, but \"2.5\" in row 2 "
            "(line 3) has a decimal point; write all numbers of the column in one way, or name the "
            "columns to use with --inputs");
  EXPECT_EQ(make(text, {.target = "y", .inputs = {"b"}}).num_inputs(), 1U);
}

TEST(MakeDataset, MissingCellsAreRefusedByPlace) {
  EXPECT_EQ(bad_data("age,y\n1,2\n,4\n3,9\n4,\n"),
            "F: row 2 (line 3), column \"age\": the cell is empty; fill it in, or drop such rows "
            "with --missing drop");
  EXPECT_EQ(bad_data("age,y\n1,2\n2,N/A\n,9\n4,1\n"),
            "F: row 2 (line 3), column \"y\": \"N/A\" stands for a missing value; fill it in, or "
            "drop such rows with --missing drop");
  EXPECT_EQ(bad_data("age,y\n1,2\n-inf,3\n2,9\n4,1\n"),
            "F: row 2 (line 3), column \"age\": \"-inf\" is infinite; correct it, or drop such "
            "rows with --missing drop");
  EXPECT_EQ(bad_data("age,y\n1,2\n1e309,3\n2,9\n4,1\n"),
            "F: row 2 (line 3), column \"age\": \"1e309\" is too large for a double-precision "
            "number; correct it, or drop such rows with --missing drop");
}

TEST(MakeDataset, RowsWithMissingCellsAreDroppedOnDemand) {
  const DatasetOptions drop = {.target = "y", .missing = MissingPolicy::drop};
  const Dataset data = make("a,y\n1,2\n,4\n3,9\ninf,1\n5,6\n6,NA\n", drop);
  EXPECT_EQ(data.num_rows(), 3U);
  EXPECT_EQ(data.input(0)[1], 0.5);
  EXPECT_EQ(data.notes(),
            (Names{"3 of 6 rows have missing or infinite values and are left out (the "
                   "first is row 2)",
                   three_rows}));
  EXPECT_EQ(
      make("a,y\n1,2\n2,4\n3,9\n,1\n", drop).notes(),
      (Names{"1 of 4 rows has missing or infinite values and is left out (row 4)", three_rows}));
  EXPECT_EQ(bad_data("a,y\n1,2\n,4\n3,\n4,1\n", drop),
            "F: only 2 of 4 rows have a value in every used column; at least 3 are needed");
  EXPECT_EQ(bad_data("a,y\n1,2\n,4\n3,\n,1\n", drop),
            "F: only 1 of 4 rows has a value in every used column; at least 3 are needed");
}

TEST(MakeDataset, MissingCellsOfUnusedColumnsDoNotMatter) {
  EXPECT_EQ(make("a,b,y\n1,,2\n2,5,4\n3,7,9\n", {.target = "y", .inputs = {"a"}}).num_rows(), 3U);
  // A constant column is ignored, and so are its holes.
  EXPECT_EQ(make("a,c,y\n1,,2\n2,5,4\n3,5,9\n").num_rows(), 3U);
}

TEST(MakeDataset, NeedsThreeRows) {
  EXPECT_EQ(bad_data("a,y\n1,2\n2,3\n"), "F: the table has 2 rows; at least 3 are needed");
  EXPECT_EQ(bad_data("a,y\n1,2\n"), "F: the table has 1 row; at least 3 are needed");
}

TEST(MakeDataset, ConstantColumnsAreOfNoUse) {
  constexpr std::string_view text = "a,b,y\n1,5,2\n2,5,4\n3,5,9\n";
  EXPECT_EQ(make(text).notes(),
            (Names{"column \"b\" has the same value 5 in every row and is ignored", three_rows}));
  EXPECT_EQ(bad_data(text, {.target = "y", .inputs = {"a", "b"}}),
            "F: column \"b\" has the same value 5 in every row; leave it out of --inputs");
  EXPECT_EQ(bad_data("b,y\n5,2\n5,4\n5,9\n"),
            "F: no input is left: column \"b\" has the same value 5 in every row and is ignored; "
            "besides the target, the table needs a column of numbers, dates or "
            "categories that vary");
  EXPECT_EQ(
      bad_data("y\n2\n4\n9\n"),
      "F: no input is left; besides the target, the table needs a column of numbers, dates or "
      "categories that vary");
  EXPECT_EQ(make("a,d,y\n1,2020-01,2\n2,2020-01,4\n3,2020-01-01,9\n").notes(),
            (Names{"column \"d\" has the same date in every row and is ignored", three_rows}));
}

TEST(MakeDataset, AConstantTargetIsScaledByWhatADoubleCanTellFromIt) {
  const auto expect_constant = [](const Dataset& data, double value, std::string_view where) {
    EXPECT_TRUE(data.has_constant_target());
    EXPECT_EQ(data.notes().back(),
              fmt::format("column \"y\" has the same value {} in every {}: its model is that "
                          "constant, and nothing tells how far from it other rows may be",
                          value, where));
    const Scaling& scaling = data.target_scaling();
    EXPECT_GT(scaling.factor, 0.0);
    EXPECT_EQ(scaling.to_scaled(value), 0.0);
    EXPECT_EQ(scaling.to_raw(0.0), value);
    EXPECT_LE(scaling.factor, 1e-15 * std::max(std::abs(value), 1.0));
    for (const double scaled : data.target()) EXPECT_EQ(scaled, 0.0);
  };
  expect_constant(make("a,y\n1,5\n2,5.0\n3,5e0\n4,5\n"), 5.0, "row");
  expect_constant(make("a,y\n1,0\n2,0\n3,-0\n4,0\n"), 0.0, "row");
  expect_constant(
      make("a,y\n1,-1e300\n2,-1e300\n3,-1e300\n4,-1e300\n", {.target = "y", .scale = false}),
      -1e300, "row");
  expect_constant(
      make("a,y\n1,5\n2,5\n3,5\n4,5\n,6\n", {.target = "y", .missing = MissingPolicy::drop}), 5.0,
      "row that is left");
  EXPECT_FALSE(make("a,y\n1,5\n2,5\n3,6\n").has_constant_target());
}

TEST(MakeDataset, WhatIsLawfulAndMostlyASlipIsNoted) {
  const auto note_of = [](const std::string& y_of_last, std::string_view part) {
    std::string text = "a,y\n";
    for (int i = 0; i < 20; ++i) text += fmt::format("{},{}\n", i, i * i % 7);
    const Names notes = make(text + "20," + y_of_last + "\n").notes();
    const bool has_note = !notes.empty() && notes.back().find(part) != std::string::npos;
    EXPECT_EQ(has_note, !part.empty()) << y_of_last;
    EXPECT_EQ(notes.empty(), part.empty()) << y_of_last;
  };
  note_of("3", "");
  note_of("300", "");
  note_of("1e6", "column \"y\" has 1e+06 in row 21");
  note_of("-3e12", "standard deviations of the others away from them");
  std::string close = "a,y\n";
  for (int i = 0; i < 9; ++i) close += fmt::format("{},{:.15f}\n", i, 1.0 + i % 3 * 4.5e-16);
  EXPECT_NE(make(close).notes().front().find("of which double precision keeps few digits"),
            std::string::npos);
  EXPECT_EQ(make("a,y\n1,2\n2,3\n3,5\n").notes(), Names{three_rows});
}

TEST(MakeDataset, ColumnsThatDroppingMakesConstantAreOfNoUse) {
  const DatasetOptions drop = {.target = "y", .missing = MissingPolicy::drop};
  EXPECT_EQ(make("a,b,y\n1,5,2\n2,5,4\n3,5,9\n,6,1\n", drop).notes(),
            (Names{"1 of 4 rows has missing or infinite values and is left out (row 4)",
                   "column \"b\" has the same value 5 in every row that is left and is ignored",
                   three_rows}));
}

TEST(MakeDataset, RepeatedRowsAreNoted) {
  EXPECT_EQ(make("a,b,y\n1,1,2\n1,1,2\n1,2,2\n1,1,2\n0,1,2\n-0,1,2\n5,5,5\n").notes(),
            Names{"3 of 7 rows repeat an earlier row in every used column"});
  EXPECT_EQ(make("a,y\n1,2\n1,2\n3,4\n").notes(),
            (Names{"1 of 3 rows repeats an earlier row in every used column", three_rows}));
  EXPECT_TRUE(make("a,y\n1,2\n1,3\n3,2\n4,1\n").notes().empty());
}

TEST(MakeDataset, SpreadsOutOfRangeAreRefused) {
  EXPECT_EQ(bad_data("a,y\n-1e308,2\n1e308,4\n0,9\n"),
            "F: column \"a\" spans more than a double-precision number can hold; divide it by a "
            "large number");
  EXPECT_EQ(bad_data("a,y\n1,0\n2,5e-324\n3,0\n"),
            "F: the values of column \"y\" differ by less than double precision can scale; "
            "multiply it by a large number");
}

TEST(MakeDataset, WithoutScalingTheNumbersAreAsInTheFile) {
  const Dataset data = make(plain, {.target = "y", .scale = false});
  EXPECT_EQ(std::vector<double>(data.input(1).begin(), data.input(1).end()),
            (std::vector<double>{10, 30, 20}));
  EXPECT_EQ(std::vector<double>(data.target().begin(), data.target().end()),
            (std::vector<double>{2, 4, 9}));
  EXPECT_EQ(data.target_scaling().offset, 0.0);
  EXPECT_EQ(data.target_scaling().factor, 1.0);
}

TEST(MakeDataset, TablesMadeByHandNeedNoNotesOnCells) {
  Table table;
  table.source = "numbers";
  table.num_rows = 4;
  Column x;
  x.name = "x";
  x.values = {1, 2, 3, 4};
  Column y;
  y.name = "y";
  y.values = {1, 3, 2, std::numeric_limits<double>::quiet_NaN()};
  table.columns = {x, y};
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { make_dataset(table, {.target = "y"}); }),
            "numbers: row 4, column \"y\": the cell is empty; fill it in, or drop such rows with "
            "--missing drop");
  table.columns[1].values.pop_back();
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { make_dataset(table, {.target = "y"}); }),
            "numbers: column \"y\" has 3 values, but the table has 4 rows");
}

TEST(Fingerprint, IsTheSameInAnyFormat) {
  const std::string fingerprint = make(plain).fingerprint();
  EXPECT_EQ(fingerprint.size(), 32U);
  for (const std::string_view text :
       {"a;b;y\r\n1;10;2\r\n2;30;4\r\n3;20;9\r\n", "y\ta\tb\n2.0\t1e0\t+10\n4\t2\t30\n9\t3\t20",
        "a,b,y,name\n1,10,2,anna\n\n2,30,4,bert\n3,20,9,cleo\n",
        "a,b,y,c\n1,10,2,5\n2,30,4,5\n3,20,9,5\n"}) {
    EXPECT_EQ(make(text).fingerprint(), fingerprint) << text;
  }
  EXPECT_EQ(make(plain, {.target = "y", .scale = false}).fingerprint(), fingerprint);
  EXPECT_EQ(
      make("a,b,y\n1,10,2\n,5,5\n2,30,4\n3,20,9\n", {.target = "y", .missing = MissingPolicy::drop})
          .fingerprint(),
      fingerprint);
}

TEST(Fingerprint, DiffersWhenAnythingDiffers) {
  const std::string fingerprint = make(plain).fingerprint();
  for (const std::string_view text :
       {"a,b,y\n1,10,2\n2,30,4\n3,20.000000000000004,9\n",                // one bit
        "a,b,y\n2,30,4\n1,10,2\n3,20,9\n",                                // order of rows
        "A,b,y\n1,10,2\n2,30,4\n3,20,9\n",                                // name
        "b,a,y\n10,1,2\n30,2,4\n20,3,9\n",                                // order of inputs
        "b,a,y\n1,10,2\n2,30,4\n3,20,9\n",                                // names swapped
        "a,b,y\n1970-01-02,10,2\n1970-01-03,30,4\n1970-01-04,20,9\n"}) {  // type
    EXPECT_NE(make(text).fingerprint(), fingerprint) << text;
  }
  EXPECT_NE(make(plain, {.target = "y", .inputs = {"a"}}).fingerprint(), fingerprint);
  EXPECT_NE(make(plain, {.target = "a"}).fingerprint(), fingerprint);
}

TEST(RowsFingerprint, TellsRowsTheirOrderAndTheirScalingApart) {
  const Dataset data = make(plain);
  const auto of_rows = [&](std::vector<std::size_t> indices) {
    return rows_fingerprint(data.rows(indices));
  };
  EXPECT_EQ(rows_fingerprint(data).size(), 32U);
  EXPECT_EQ(of_rows({0, 1, 2}), rows_fingerprint(data));
  EXPECT_EQ(of_rows({2, 1}),
            rows_fingerprint(
                data.rows(std::vector<std::size_t>{1, 2}).rows(std::vector<std::size_t>{1, 0})));
  std::set<std::string> all = {rows_fingerprint(make(plain, {.target = "y", .scale = false}))};
  for (const std::vector<std::size_t>& indices : std::vector<std::vector<std::size_t>>{
           {0, 1, 2}, {1, 0, 2}, {0, 1}, {1, 2}, {2, 1}, {0, 0, 1, 2}}) {
    all.insert(of_rows(indices));
  }
  EXPECT_EQ(all.size(), 7U);
  EXPECT_TRUE(is_scaled(data));
  EXPECT_FALSE(is_scaled(make(plain, {.target = "y", .scale = false})));
}

TEST(RowsFingerprint, IsTheSameWhereAProcessorRoundsOtherwise) {
  const auto with = [](double x) {
    return Dataset({{0.0, x, 1.0}}, {-x, 0.25, 1.0}, {Scaling{"x"}}, Scaling{"y"}, "", {});
  };
  EXPECT_EQ(rows_fingerprint(with(1.0 / 3.0)),
            rows_fingerprint(with(std::nextafter(1.0 / 3.0, 1.0))));
  EXPECT_EQ(rows_fingerprint(with(0.5)), rows_fingerprint(with(std::nextafter(0.5, 0.0))));
  EXPECT_EQ(rows_fingerprint(with(0.0)), rows_fingerprint(with(-0.0)));
  EXPECT_NE(rows_fingerprint(with(0.5)), rows_fingerprint(with(0.500001)));
}

TEST(Dataset, RowsAreTakenInTheGivenOrder) {
  const Dataset data = make(plain);
  const std::vector<std::size_t> indices = {2, 0, 2};
  const Dataset some = data.rows(indices);
  EXPECT_EQ(some.num_rows(), 3U);
  EXPECT_EQ(some.input(0)[0], data.input(0)[2]);
  EXPECT_EQ(some.target()[1], data.target()[0]);
  EXPECT_EQ(some.fingerprint(), data.fingerprint());
  EXPECT_EQ(some.input_scaling(1).offset, data.input_scaling(1).offset);
}

TEST(Dataset, CopiesShareTheNumbers) {
  const Dataset data = make(plain);
  const Dataset copy = data;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.target().data(), data.target().data());
  EXPECT_EQ(copy.input(0).data(), data.input(0).data());
}

TEST(Dataset, IsEqualToTheSameNumbersAndToNothingElse) {
  const Dataset data = make(plain);
  EXPECT_TRUE(data == make(plain));
  EXPECT_FALSE(data == make(plain, {.target = "y", .inputs = {"a"}}));
  EXPECT_FALSE(data == make(plain, {.target = "y", .scale = false}));
  const std::vector<std::size_t> swapped = {1, 0, 2};
  EXPECT_FALSE(data == data.rows(swapped));  // which has the same fingerprint
}

TEST(Dataset, RawValuesAreThoseOfTheFileAndScaleBack) {
  const Dataset data =
      make_dataset(read_csv_text("a,b,y\n1,30,5\n2,10,9\n4,20,7\n", "t.csv"), {.target = "y"});
  const std::vector<double> a = raw_input(data, 0);
  const std::vector<double> y = raw_target(data);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(a[i], std::vector<double>({1, 2, 4})[i], 1e-12);
    EXPECT_NEAR(raw_inputs(data)[1][i], std::vector<double>({30, 10, 20})[i], 1e-12);
    EXPECT_NEAR(y[i], std::vector<double>({5, 9, 7})[i], 1e-12);
    EXPECT_NEAR(scaled_input(data, 0, a)[i], data.input(0)[i], 1e-12);
  }
}

}  // namespace
}  // namespace covary
