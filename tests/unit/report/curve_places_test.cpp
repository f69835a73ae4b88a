#include "report/curve_places.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "report/axis.h"
#include "report/figures.h"
#include "unit/report/report_examples.h"

namespace covary {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

std::vector<double> waves(const std::vector<double>& places, double cycle) {
  std::vector<double> values;
  for (const double x : places) values.push_back(std::sin(2.0 * std::numbers::pi * x / cycle));
  return values;
}

// Extremes of a curve: two for each of its cycles.
std::size_t num_turns(const std::vector<double>& curve) {
  std::size_t count = 0;
  for (std::size_t i = 2; i < curve.size(); ++i) {
    if ((curve[i] - curve[i - 1]) * (curve[i - 1] - curve[i - 2]) < 0.0) ++count;
  }
  return count;
}

TEST(CurvePlaces, AreEnoughForEveryCycleThatCanBeDrawn) {
  for (const double cycles : {1.0, 7.3, 60.0, 99.0}) {
    const CurvePlaces places(0.0, 1.0, 300, 1.0 / cycles);
    EXPECT_FALSE(places.is_range());
    const std::size_t turns = num_turns(waves(places.drawn(), 1.0 / cycles));
    EXPECT_NEAR(static_cast<double>(turns), 2.0 * cycles, 2.0) << cycles;
  }
  EXPECT_EQ(CurvePlaces(0.0, 1.0, 300, endless).drawn().size(), 300U);
}

// Of 694 days of minutes a line at 800 places would show a slow wave that is not there.
TEST(CurvePlaces, OfMoreCyclesThanCanBeDrawnStandForTheirRange) {
  for (const double cycles : {101.0, 694.0, 800.0, 12345.6}) {
    CurvePlaces places(0.0, 1.0, 800, 1.0 / cycles);
    places.go_on_to(1.25);
    ASSERT_TRUE(places.is_range());
    const std::vector<double> values = waves(places.computed(), 1.0 / cycles);
    const std::vector<double> least = places.least(values);
    const std::vector<double> most = places.most(values);
    ASSERT_EQ(least.size(), places.drawn().size());
    EXPECT_GT(places.drawn().back(), 1.2);
    EXPECT_TRUE(std::is_sorted(places.drawn().begin(), places.drawn().end()));
    if (cycles < 400.0) continue;  // a place stands for a part of a cycle only
    for (std::size_t i = 0; i < least.size(); ++i) {
      EXPECT_LT(least[i], -0.8) << cycles;
      EXPECT_GT(most[i], 0.8) << cycles;
    }
  }
}

TEST(ThinnedRows, KeepNoStepWithACycle) {
  const std::vector<std::size_t> rows = thinned_rows(1'000'000, 3000);
  std::vector<std::size_t> by_phase(12, 0);
  for (const std::size_t row : rows) ++by_phase[row % 1000 * 12 / 1000];
  for (const std::size_t count : by_phase) EXPECT_GT(count, 200U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_LT(rows.back(), 1'000'000U);
}

TEST(SpansWithoutRows, AreTheLongGapsAndNoOthers) {
  std::vector<double> months = even_places(0.0, 119.0, 120);
  EXPECT_TRUE(spans_without_rows(months, 120).empty());
  months.erase(months.begin() + 50, months.begin() + 74);
  const std::vector<Figure::Span> spans = spans_without_rows(months, 96);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_GT(spans[0].low, 49.0);
  EXPECT_LT(spans[0].low, 54.0);
  EXPECT_GT(spans[0].high, 70.0);
  EXPECT_LT(spans[0].high, 74.0);
  EXPECT_TRUE(spans_without_rows({1.0}, 5).empty());
  // A gap that is hardly longer than what rows speak for is no gap: many would be a fence.
  EXPECT_TRUE(spans_without_rows({0.0, 1.0, 2.0, 3.0, 9.0, 10.0, 100.0, 107.0}, 8).size() == 1U);
}

// Three doses: between them nothing is known, however long the way from one to the next.
TEST(SpansWithoutRows, AreBetweenFewValuesThatRepeat) {
  EXPECT_EQ(spans_without_rows({0.0, 5.0, 10.0}, 90).size(), 2U);
  EXPECT_TRUE(spans_without_rows({0.0, 5.0, 10.0}, 3).empty());
}

TEST(RipplesBetween, AreThoseThatTheRowsDoNotShow) {
  const std::vector<double> rows = even_places(0.0, 40.0, 41);
  const std::vector<double> grid = even_places(0.0, 40.0, 801);
  for (const double cycle : {1.0, 0.7, 1.3}) {
    EXPECT_TRUE(ripples_between(rows, grid, waves(grid, cycle))) << cycle;
  }
  for (const double cycle : {6.0, 12.0, 100.0}) {
    EXPECT_FALSE(ripples_between(rows, grid, waves(grid, cycle))) << cycle;
  }
  EXPECT_FALSE(ripples_between(rows, grid, std::vector<double>(grid.size(), 3.0)));
}

// A period of less than a step, which steps of one cannot show.
TEST(Report, DrawsNoRipplesBetweenTheRowsOfASeries) {
  const Dataset data = example_table({"x", "y"}, 60);
  const Expression kernel = parse_expression("PER + LIN", InputNames(data.input_names()));
  const double step = 1.0 / 59.0;
  const FittedModel model(kernel, {0.8 * step, 0.5, 1.0, 1.0, 0.5, 0.01}, data);
  const ReportModel report = make_report(example_result(model), {}, {.num_draws = 0});
  const std::vector<double> rows = different_values(raw_input(data, 0));
  for (const Figure* figure : {&report.fit, &*report.components[0], &*report.components[1]}) {
    if (figure->title.find("linear") != std::string::npos) continue;
    ASSERT_GT(figure->grid.size(), rows.size());
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), figure->grid.begin())) << figure->id;
  }
}

// 60 rows from 100 to 150, a step of 50/59: the table goes on by whole steps.
TEST(Report, ForecastsOnTheGridOfTheData) {
  const ReportModel report = example_report("LIN + SE", example_table({"x", "y"}, 60));
  const double step = 50.0 / 59.0;
  ASSERT_GE(report.forecast.size(), 5U);
  ASSERT_LE(report.forecast.size(), 12U);
  for (const ForecastRow& row : report.forecast) {
    const double steps = (row.place - 150.0) / step;
    EXPECT_NEAR(steps, std::round(steps), 1e-3);
    EXPECT_GT(steps, 0.5);
  }
  // A quarter of the range is 14.75 steps: the last one before it is there.
  EXPECT_NEAR((report.forecast.back().place - 150.0) / step, 14.0, 1e-3);
}

// Of more cycles than rows, what lies between the rows is the kernel's doing.
TEST(Report, DrawsAnEffectOfMoreCyclesThanRowsAtTheRowsAlone) {
  const Dataset data = example_table({"a", "b", "y"}, 40);
  const Expression kernel = parse_expression("SE(a) + SE(b)", InputNames(data.input_names()));
  const FittedModel model(kernel, {1e-4, 1.0, 0.4, 1.0, 0.01}, data);
  const ReportModel report = make_report(example_result(model), {}, {.num_draws = 0});
  std::size_t num_found = 0;
  for (const Figure& figure : report.main_effects) {
    if (figure.title != "a") continue;
    ++num_found;
    EXPECT_EQ(figure.grid, different_values(raw_input(data, 0)));
    EXPECT_EQ(figure.bands.size(), 2U);
  }
  EXPECT_EQ(num_found, 1U);
}

TEST(Report, DrawsAnInputOfFewValuesAtTheseAlone) {
  const Dataset smooth = example_table({"a", "b", "y"}, 80);
  std::vector<double> grade;
  for (std::size_t i = 0; i < 80; ++i) grade.push_back(static_cast<double>(i % 5) / 4.0);
  const std::vector<double> b(smooth.input(1).begin(), smooth.input(1).end());
  const std::vector<double> y(smooth.target().begin(), smooth.target().end());
  const Dataset data({grade, b}, y, {smooth.input_scaling(0), smooth.input_scaling(1)},
                     smooth.target_scaling(), std::string(32, '7'), {});
  const ReportModel report = example_report("SE(a) + SE(b) + SE(a)*SE(b)", data);
  std::size_t num_found = 0;
  for (const Figure& figure : report.main_effects) {
    EXPECT_EQ(figure.is_by_value, figure.title == "a");
    if (figure.title != "a") continue;
    ++num_found;
    EXPECT_EQ(figure.grid, (std::vector<double>{100.0, 112.5, 125.0, 137.5, 150.0}));
  }
  EXPECT_EQ(num_found, 1U);
}

TEST(HeatMap, StaysEmptyFarFromAllRows) {
  HeatMap map;
  map.x = {"a", ColumnType::number, 0.0, 1.0};
  map.y = map.x;
  map.x_places = cells_along(map.x, 10);
  map.y_places = map.x_places;
  map.values.assign(100, 1.0);
  // Rows along the diagonal, and a wild value where none are.
  map.values[90] = 1000.0;
  const std::vector<double> along = even_places(0.0, 1.0, 200);
  mark_near(map, along, along);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(map.is_near[i * 10 + i]);
  EXPECT_FALSE(map.is_near[90]);
  EXPECT_FALSE(map.is_near[9]);
  const std::vector<double> near = near_values(map);
  EXPECT_EQ(*std::max_element(near.begin(), near.end()), 1.0);
}

}  // namespace
}  // namespace covary
