#include "forecast/scores.h"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/holdout.h>

#include "forecast/naive.h"

namespace covary {
namespace {

double below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

Prediction gaussian(double mean, double sd) {
  Prediction prediction;
  prediction.mean = {mean};
  prediction.sd = {sd};
  prediction.latent_sd = {sd};
  return prediction;
}

Prediction lognormal(double mean, double sd) {
  Prediction prediction = gaussian(std::exp(mean + 0.5 * sd * sd), 1.0);
  prediction.transform = TargetTransform::log;
  prediction.parts = {{1.0, {mean}, {sd}}};
  return prediction;
}

TEST(Crps, OfAGaussianIsItsClosedForm) {
  for (const double y : {-3.0, 0.5, 1.0, 9.0}) {
    const double sd = 1.7;
    const double z = (y - 1.0) / sd;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    const double exact =
        sd * (z * (2.0 * below(z) - 1.0) + 2.0 * density - 1.0 / std::sqrt(std::numbers::pi));
    EXPECT_NEAR(crps(gaussian(1.0, sd), {y})[0], exact, 1e-3 * sd) << y;
  }
}

TEST(Crps, OfALogNormalIsItsClosedForm) {
  const double mean = 0.4;
  const double sd = 0.6;
  for (const double y : {0.1, 1.0, 3.0, 8.0}) {
    const double z = (std::log(y) - mean) / sd;
    const double exact =
        y * (2.0 * below(z) - 1.0) - 2.0 * std::exp(mean + 0.5 * sd * sd) *
                                         (below(z - sd) + below(sd / std::numbers::sqrt2) - 1.0);
    EXPECT_NEAR(crps(lognormal(mean, sd), {y})[0], exact, 3e-3) << y;
  }
}

TEST(Crps, OfAForecastWithoutSpreadIsItsAbsoluteError) {
  EXPECT_NEAR(crps(gaussian(2.0, 1e-12), {5.0})[0], 3.0, 1e-9);
}

TEST(Probability, IsThatOfTheMixtureOfTheTransformedTarget) {
  Prediction prediction = lognormal(0.0, 1.0);
  prediction.parts = {{0.25, {0.0}, {1.0}}, {0.75, {1.0}, {0.5}}};
  EXPECT_NEAR(probabilities_below(prediction, {std::exp(1.0)})[0], 0.25 * below(1.0) + 0.75 * 0.5,
              1e-12);
  EXPECT_EQ(probabilities_below(prediction, {-1.0})[0], 0.0);  // it cannot be
  EXPECT_EQ(probabilities_below(prediction, {0.0})[0], 0.0);
}

TEST(Coverage, AgreesWithTheIntervalsOfThePrediction) {
  Prediction prediction = lognormal(0.3, 0.8);
  prediction.parts = {{0.4, {0.0}, {1.0}}, {0.6, {1.0}, {0.5}}};
  const Prediction::Interval interval = prediction.interval(0.8);
  for (const double y : {0.99 * interval.lower[0], 1.01 * interval.lower[0],
                         0.99 * interval.upper[0], 1.01 * interval.upper[0]}) {
    const bool is_between = interval.lower[0] <= y && y <= interval.upper[0];
    EXPECT_EQ(is_inside(80.0, probabilities_below(prediction, {y})[0]), is_between) << y;
  }
}

TEST(Scores, OfSeveralOriginsAreMeansOverTheirRows) {
  const ForecastScores one{.num_rows = 1, .mae = 4.0, .mase = 2.0, .crps = 3.0};
  const ForecastScores three{.num_rows = 3, .mae = 8.0, .mase = 1.0, .crps = 1.0};
  const ForecastScores all = joined({one, three});
  EXPECT_EQ(all.num_rows, 4U);
  EXPECT_DOUBLE_EQ(all.mae, 7.0);
  EXPECT_DOUBLE_EQ(all.mase, 1.25);
  EXPECT_DOUBLE_EQ(all.crps, 1.5);
}

TimeSeries series_of(const std::vector<double>& times, const std::vector<double>& targets) {
  std::string text = "t,y\n";
  for (std::size_t i = 0; i < times.size(); ++i) {
    text += fmt::format("{},{}\n", times[i], targets[i]);
  }
  std::vector<std::string> notes;
  return time_series_of(read_csv_text(text, "F"), {.target = "y"}, notes).front();
}

TimeStep step_of(const TimeSeries& series) {
  return time_step_of(series.time().values, {.name = "t"}, "F: column \"t\"");
}

TEST(SeasonalNaive, IsWhatWasThereASeasonAgo) {
  const TimeSeries known = series_of({0, 1, 2, 3, 4, 5}, {1, 5, 9, 2, 6, 11});
  const TimeStep step = step_of(known);
  const SeasonalNaive naive(known, step, 3);
  const Prediction next = naive.predict({6, 7, 8, 9, 13});
  EXPECT_EQ(next.mean, (std::vector<double>{2, 6, 11, 2, 6}));
  // Changes of 1, 1 and 2 from season to season.
  EXPECT_DOUBLE_EQ(naive.mean_change(), 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(next.sd[0], std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(next.sd[3], 2.0);                   // two seasons ahead
  EXPECT_DOUBLE_EQ(next.sd[4], std::sqrt(2.0 * 3.0));  // three
}

TEST(SeasonalNaive, WithoutASeasonIsTheLastValue) {
  const TimeSeries known = series_of({0, 1, 2, 3}, {1, 2, 4, 3});
  const TimeStep step = step_of(known);
  const Prediction next = SeasonalNaive(known, step, 1).predict({4, 5});
  EXPECT_EQ(next.mean, (std::vector<double>{3, 3}));
  EXPECT_DOUBLE_EQ(next.sd[1], std::sqrt(2.0) * next.sd[0]);
}

TEST(SeasonalNaive, LooksFurtherBackWhereRowsAreMissing) {
  const TimeSeries known = series_of({0, 1, 2, 3, 5, 6}, {1, 5, 9, 2, 11, 3});
  const TimeStep step = step_of(known);
  const Prediction next = SeasonalNaive(known, step, 3).predict({7, 8});
  EXPECT_EQ(next.mean, (std::vector<double>{5, 11}));
}

TEST(SeasonalNaive, SaysWhereNothingIsASeasonApart) {
  const TimeSeries known = series_of({0, 1, 2, 3}, {1, 2, 4, 3});
  const TimeStep step = step_of(known);
  const SeasonalNaive naive(known, step, 12);
  EXPECT_TRUE(std::isnan(naive.mean_change()));
  EXPECT_EQ(naive.predict({4}).mean[0], 3.0);
}

}  // namespace
}  // namespace covary
