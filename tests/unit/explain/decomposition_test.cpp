#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "unit/explain/random_model.h"

namespace covary {
namespace {

TEST(Decomposition, OffsetAndMeansAddUpToTheModelsMeanWithinAndBeyondTheData) {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    const FittedModel model = random_model(random);
    const Decomposition parts(model);
    const auto points = random_points(model.data(), 50, random);
    const Prediction whole = model.predict(points);
    std::vector<double> sum(50, parts.offset());
    for (std::size_t c = 0; c < parts.size(); ++c) {
      const Decomposition::Curve curve = parts.curve(c, points);
      for (std::size_t i = 0; i < 50; ++i) sum[i] += curve.mean[i];
    }
    const double unit = model.data().target_scaling().factor;
    for (std::size_t i = 0; i < 50; ++i) {
      ASSERT_NEAR(sum[i], whole.mean[i], 1e-8 * unit) << model.kernel();
    }
  }
}

TEST(Decomposition, GivesEachComponentMeanZeroOverTheTrainingInputs) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    const FittedModel model = random_model(random);
    const Dataset& data = model.data();
    std::vector<std::vector<double>> rows(data.num_inputs());
    for (std::size_t c = 0; c < rows.size(); ++c) {
      for (const double x : data.input(c)) rows[c].push_back(data.input_scaling(c).to_raw(x));
    }
    const Decomposition parts(model);
    for (std::size_t c = 0; c < parts.size(); ++c) {
      double sum = 0.0;
      for (const double value : parts.curve(c, rows).mean) sum += value;
      const double mean = sum / static_cast<double>(data.num_rows());
      EXPECT_NEAR(mean, 0.0, 1e-8 * data.target_scaling().factor) << model.kernel();
    }
  }
}

// The sum of independent components is one Gaussian, so the spread of a kernel with one component
// is that of the model, less its mean over the rows: here the linear function through its centre.
TEST(Decomposition, SpreadOfALineIsThatOfItsSlope) {
  Random random(3);
  const Dataset data = random_dataset(40, 1, random);
  const Expression kernel = parse_expression("LIN", InputNames(data.input_names()));
  const FittedModel model(kernel, {0.8, 0.3, 0.1}, data);
  double centre = 0.0;
  for (const double x : data.input(0)) centre += x / 40.0;
  // Posterior of slope and constant by the textbook's formulas for Bayesian regression.
  double a = 1.0 / 0.8;
  double b = 0.0;
  double d = 1.0 / 0.3;
  for (const double x : data.input(0)) {
    a += x * x / 0.1;
    b += x / 0.1;
    d += 1.0 / 0.1;
  }
  const double slope_sd = std::sqrt(d / (a * d - b * b));
  const Decomposition parts(model);
  const double unit = data.target_scaling().factor;
  for (const double x : {-1.0, 0.2, 1.0, 4.0}) {
    const auto curve = parts.curve(0, {{data.input_scaling(0).to_raw(x)}});
    EXPECT_NEAR(curve.sd[0], std::abs(x - centre) * slope_sd * unit, 1e-8 * unit);
    EXPECT_NEAR(curve.prior_sd[0], std::abs(x - centre) * std::sqrt(0.8) * unit, 1e-8 * unit);
  }
}

TEST(Decomposition, SamplesHaveTheMeanAndSpreadOfTheCurve) {
  Random random(4);
  for (int round = 0; round < 5; ++round) {
    const FittedModel model = random_model(random);
    const Decomposition parts(model);
    const auto points = random_points(model.data(), 6, random);
    const std::size_t c = random.index(parts.size());
    const Decomposition::Curve curve = parts.curve(c, points);
    constexpr std::size_t num_samples = 4000;
    const auto samples = parts.sample(c, points, num_samples, random);
    for (std::size_t i = 0; i < 6; ++i) {
      double mean = 0.0;
      double square = 0.0;
      for (const auto& sample : samples) mean += sample[i] / num_samples;
      for (const auto& sample : samples) square += (sample[i] - mean) * (sample[i] - mean);
      const double sd = std::sqrt(square / num_samples);
      const double unit = model.data().target_scaling().factor;
      EXPECT_NEAR(mean, curve.mean[i], 0.08 * curve.sd[i] + 1e-4 * unit) << model.kernel();
      EXPECT_NEAR(sd, curve.sd[i], 0.08 * curve.sd[i] + 1e-4 * unit) << model.kernel();
    }
  }
}

}  // namespace
}  // namespace covary
