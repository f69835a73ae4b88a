#include "explain/checks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "explain/quantile_plot.h"
#include "gp/gaussian_draws.h"
#include "unit/explain/random_model.h"

namespace covary {
namespace {

// A series drawn from the kernel itself, on an even grid.
Dataset drawn_from(const Expression& kernel, const std::vector<double>& parameters,
                   std::size_t num_rows, Random& random, bool heavy_tails = false) {
  std::vector<double> x;
  for (std::size_t i = 0; i < num_rows; ++i) {
    x.push_back(static_cast<double>(i) / static_cast<double>(num_rows - 1));
  }
  const CompiledKernel compiled(kernel);
  Matrix gram(num_rows, num_rows);
  compiled.gram(parameters, {x}, gram);
  const std::vector<double> zero(num_rows, 0.0);
  const Matrix draw = sample_gaussian(zero, gram, 1, random);
  std::vector<double> y(draw.column(0), draw.column(0) + num_rows);
  for (double& value : y) {
    const double scale = heavy_tails && random.index(10) == 0 ? 6.0 : 1.0;
    value += scale * std::sqrt(parameters.back()) * random.normal();
  }
  return {{x}, y, {Scaling{"x"}}, Scaling{"y"}, std::string(32, '0'), {}};
}

TEST(CurveStatistics, FindTheFrequencyAndTheHalfPeriodOfAWave) {
  std::vector<double> wave(128);
  for (std::size_t i = 0; i < 128; ++i) {
    wave[i] = std::cos(2.0 * std::numbers::pi * 8.0 * static_cast<double>(i) / 128.0);
  }
  const CurveStatistics statistics = curve_statistics(wave, Waves(128));
  EXPECT_EQ(statistics.frequency, 8.0);
  EXPECT_EQ(statistics.lag, 8.0);
  EXPECT_LT(statistics.least_autocorrelation, -0.9);
}

TEST(TailProbability, CountsPairsAndHalvesTies) {
  EXPECT_EQ(tail_probability({1.0, 2.0, 3.0, 4.0}, {2.5}, 0.0), 0.5);
  EXPECT_EQ(tail_probability({1.0, 2.0, 3.0, 4.0}, {4.0}, 0.0), 0.125);
  EXPECT_EQ(tail_probability({1.0, 1.0}, {1.0, 1.0}, 1e-9), 0.5);
}

TEST(ResidualChecks, RarelySpeakOfAMisfitWhereTheModelIsRight) {
  Random random(1);
  const Expression kernel = parse_expression("SE + LIN", InputNames::unnamed(1));
  const std::vector<double> parameters = {0.2, 1.0, 0.5, 0.5, 0.1};
  int num_checks = 0;
  int num_misfits = 0;
  for (int round = 0; round < 60; ++round) {
    const FittedModel model(kernel, parameters, drawn_from(kernel, parameters, 80, random));
    const ComponentAlgebra algebra(model);
    for (const ModelCheck& check :
         residual_checks(algebra, leave_one_out(algebra.posterior()), 200, random)) {
      ++num_checks;
      if (check.p_value <= 0.05) ++num_misfits;
    }
  }
  // 300 checks, of which 15 are expected; the coverage is discrete, so fewer are.
  EXPECT_EQ(num_checks, 300);
  EXPECT_LE(num_misfits, 27);
  EXPECT_GE(num_misfits, 3);
}

TEST(ResidualChecks, SeeHeavyTails) {
  Random random(2);
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  const std::vector<double> parameters = {0.3, 1.0, 0.05};
  int num_seen = 0;
  for (int round = 0; round < 10; ++round) {
    const FittedModel model(kernel, parameters, drawn_from(kernel, parameters, 150, random, true));
    const ComponentAlgebra algebra(model);
    const auto checks = residual_checks(algebra, leave_one_out(algebra.posterior()), 200, random);
    if (checks[0].p_value <= 0.01 || checks[1].p_value <= 0.01) ++num_seen;
  }
  EXPECT_GE(num_seen, 9);
}

TEST(ComponentChecks, RarelySpeakOfAMisfitWhereTheModelIsRight) {
  Random random(3);
  const Expression kernel = parse_expression("SE + PER", InputNames::unnamed(1));
  const std::vector<double> parameters = {0.15, 1.0, 1.0, 1.0, 0.11, 0.05};
  int num_checks = 0;
  int num_strong = 0;
  for (int round = 0; round < 40; ++round) {
    const FittedModel model(kernel, parameters, drawn_from(kernel, parameters, 100, random));
    const ComponentAlgebra algebra(model);
    for (std::size_t c = 0; c < algebra.size(); ++c) {
      const ComponentShape shape = component_shape(algebra, c);
      for (const ModelCheck& check : component_checks(algebra, c, shape, 100, random)) {
        ++num_checks;
        if (check.p_value <= 0.05) ++num_strong;
      }
    }
  }
  EXPECT_EQ(num_checks, 40 * 2 * 6);
  EXPECT_LE(num_strong, 48);  // twice what chance gives
}

TEST(ComponentChecks, SeeAWaveThatASmoothKernelDoesNotExpect) {
  Random random(4);
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 120; ++i) {
    x.push_back(i / 119.0);
    y.push_back(std::sin(2.0 * std::numbers::pi * 9.0 * x.back()) + 0.05 * random.normal());
  }
  const Dataset data({x}, y, {Scaling{"x"}}, Scaling{"y"}, std::string(32, '0'), {});
  const FittedModel model(kernel, {0.05, 0.5, 0.01}, data);
  const ComponentAlgebra algebra(model);
  const auto checks = component_checks(algebra, 0, component_shape(algebra, 0), 200, random);
  EXPECT_EQ(checks[0].name, "autocorrelation_minimum");
  EXPECT_EQ(checks[0].evidence_of_misfit, Misfit::strong);
}

TEST(LeaveOneOut, IsThatOfModelsWithoutTheRow) {
  Random random(5);
  for (int round = 0; round < 5; ++round) {
    const FittedModel model = random_model(random);
    const Dataset& data = model.data();
    const Scaling& unit = data.target_scaling();
    const Residuals residuals = leave_one_out(model.posterior());
    const std::vector<double> means = model.leave_one_out_mean();
    const std::vector<double> densities = model.leave_one_out_log_density();
    const std::size_t last = data.num_rows() - 1;
    for (const std::size_t left_out : {std::size_t{0}, last / 2, last}) {
      std::vector<std::size_t> others;
      for (std::size_t i = 0; i <= last; ++i) {
        if (i != left_out) others.push_back(i);
      }
      const FittedModel without(model.kernel(), model.parameters(), data.rows(others),
                                model.mean_function());
      const Prediction there = without.predict(raw_inputs(data.rows(std::vector{left_out})));
      EXPECT_NEAR(means[left_out], there.mean[0], 1e-6 * unit.factor);
      const double sd = there.sd[0] / unit.factor;
      const double z = (data.target()[left_out] - unit.to_scaled(there.mean[0])) / sd;
      EXPECT_NEAR(residuals.standardized[left_out], z, 1e-6);
      EXPECT_NEAR(densities[left_out], -0.5 * (std::log(2.0 * std::numbers::pi * sd * sd) + z * z),
                  1e-6);
    }
  }
}

}  // namespace
}  // namespace covary
