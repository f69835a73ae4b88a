// Tables and data that no file was read for: programs can fill them with what no file holds.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/table.h>

#include "error_of.h"

namespace covary {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Table table_of(std::vector<Column> columns, std::size_t num_rows = 4) {
  Table table;
  table.source = "T";
  table.num_rows = num_rows;
  table.columns = std::move(columns);
  return table;
}

Column numbers(const std::string& name, std::vector<double> values) {
  Column column;
  column.name = name;
  column.values = std::move(values);
  return column;
}

std::string refused(const Table& table, const DatasetOptions& options = {.target = "y"}) {
  return error_of(ErrorKind::bad_data, [&] { make_dataset(table, options); });
}

const Column x = numbers("x", {1, 2, 3, 4});
const Column y = numbers("y", {2, 1, 5, 3});

TEST(TablesOfPrograms, ColumnsOfOneNameAreRefused) {
  EXPECT_EQ(refused(table_of({x, x, y})), "T: there are two columns \"x\"; rename one of them");
  EXPECT_EQ(refused(table_of({x, numbers("", {1, 2, 3, 4}), y})),
            "T: column 2 of 3 has no name; give it one");
}

TEST(TablesOfPrograms, ColumnsOfAnotherSizeAreRefused) {
  EXPECT_EQ(refused(table_of({numbers("x", {1, 2, 3}), y})),
            "T: column \"x\" has 3 values, but the table has 4 rows");
  EXPECT_EQ(refused(table_of({x, numbers("y", {1, 2, 3, 4, 5})})),
            "T: column \"y\" has 5 values, but the table has 4 rows");
}

TEST(TablesOfPrograms, EmptyTablesAreRefused) {
  EXPECT_EQ(error_of(ErrorKind::usage, [] { make_dataset(table_of({}, 0), {.target = "y"}); }),
            "--target: no column \"y\" in T; it has ");
  EXPECT_EQ(refused(table_of({numbers("x", {}), numbers("y", {})}, 0)),
            "T: column \"y\" has no value in any row and cannot be the target");
}

TEST(TablesOfPrograms, WhatIsNoNumberIsNamedByRowAndColumnOrDropped) {
  const Table table = table_of({numbers("x", {1, nan, 3, 4, 5}), numbers("y", {2, 1, 5, 3, 4})}, 5);
  EXPECT_EQ(
      refused(table),
      "T: row 2, column \"x\": the cell is empty; fill it in, or drop such rows with --missing "
      "drop");
  EXPECT_EQ(make_dataset(table, {.target = "y", .missing = MissingPolicy::drop}).num_rows(), 4U);
  const Table nothing = table_of({numbers("x", {nan, nan, nan, nan}), y});
  EXPECT_EQ(refused(nothing, {.target = "y", .inputs = {"x"}}),
            "T: column \"x\" has no value in any row; leave it out of --inputs");
  EXPECT_EQ(refused(table_of({x, numbers("y", {nan, nan, nan, nan})})),
            "T: column \"y\" has no value in any row and cannot be the target");
}

TEST(TablesOfPrograms, LevelsThatAreNoneAreRefused) {
  Column shop = numbers("shop", {0, 1, 2, 1});
  shop.type = ColumnType::category;
  shop.levels = {"a", "b"};
  EXPECT_EQ(refused(table_of({shop, x, y})),
            "T: row 3 of column \"shop\" is 2, which is no level: they are counted from 0, and the "
            "column has 2");
}

Dataset data_of(std::vector<std::vector<double>> inputs, std::vector<double> target,
                const std::vector<std::string>& names) {
  std::vector<Scaling> scalings;
  for (const std::string& name : names) scalings.push_back({.name = name});
  return {std::move(inputs), std::move(target), scalings, {.name = "y"}, "", {}};
}

TEST(DataOfPrograms, SizesThatDifferRepeatedNamesAndNaNAreRefused) {
  const auto sentence = [](auto make) { return error_of(ErrorKind::bad_data, make); };
  EXPECT_EQ(sentence([] {
              data_of({{1, 2}}, {1, 2, 3}, {"a"});
            }),
            "input \"a\" of the data has 2 values, and the target has 3");
  EXPECT_EQ(sentence([] {
              data_of({{1, 2}, {1, 2}}, {1, 2}, {"a"});
            }),
            "the data have 2 inputs, but scalings of 1");
  EXPECT_EQ(sentence([] {
              data_of({{1, 2}, {1, 2}}, {1, 2}, {"a", "a"});
            }),
            "two inputs of the data are called \"a\"; rename one");
  EXPECT_EQ(sentence([] {
              data_of({{1, nan}}, {1, 2}, {"a"});
            }),
            "the data: row 2, column \"a\": NaN is no value; correct it, or leave the row out");
  EXPECT_EQ(
      sentence([] {
        data_of({{1, 2}}, {1, INFINITY}, {"a"});
      }),
      "the data: row 2, column \"y\": infinity is no value; correct it, or leave the row out");
}

TEST(DataOfPrograms, RowsThatAreNotThereAreRefused) {
  const Dataset data = data_of({{1, 2}}, {1, 2}, {"a"});
  EXPECT_EQ(error_of(ErrorKind::usage,
                     [&] {
                       data.rows(std::vector<std::size_t>{0, 2});
                     }),
            "there is no row 2: the data have 2, counted from 0");
}

TEST(DataOfPrograms, NewPointsAreCheckedByNameAndRow) {
  const Dataset data = data_of({{1, 2}, {3, 4}}, {1, 2}, {"a", "b"});
  const auto sentence = [&](const std::vector<std::vector<double>>& points) {
    return error_of(ErrorKind::bad_data, [&] { scaled_inputs(data, points); });
  };
  EXPECT_EQ(sentence({{1, 2}}), "the model has 2 inputs, not 1");
  EXPECT_EQ(sentence({{1, 2}, {3}}),
            "the columns of new points differ in length: \"a\" has 2 values, \"b\" has 1");
  EXPECT_EQ(
      sentence({{1, 2}, {3, nan}}),
      "the new points: row 2, column \"b\": NaN is no value; correct it, or leave the row out: "
      "nothing can be predicted without it");
}

}  // namespace
}  // namespace covary
