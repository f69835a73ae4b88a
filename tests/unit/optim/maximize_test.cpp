#include "optim/maximize.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

// -(100 (y - x²)² + (1 - x)²), with its maximum 0 at (1, 1); curvature by Gauss and Newton.
class Rosenbrock : public Objective {
 public:
  std::size_t size() const override { return 2; }
  double value(std::span<const double> place) override {
    x_ = place[0];
    y_ = place[1];
    ++num_values;
    return -(100.0 * (y_ - x_ * x_) * (y_ - x_ * x_) + (1.0 - x_) * (1.0 - x_));
  }
  void gradient(std::span<double> out) override {
    out[0] = 400.0 * x_ * (y_ - x_ * x_) + 2.0 * (1.0 - x_);
    out[1] = -200.0 * (y_ - x_ * x_);
  }
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override {
    gradient(out);
    curvature(0, 0) = 800.0 * x_ * x_ + 2.0;
    curvature(0, 1) = curvature(1, 0) = -400.0 * x_;
    curvature(1, 1) = 200.0;
  }

  int num_values = 0;

 private:
  double x_ = 0.0;
  double y_ = 0.0;
};

// log x - x, nowhere for x <= 0: steps that leave the domain must be taken back.
class HalfLine : public Objective {
 public:
  std::size_t size() const override { return 1; }
  double value(std::span<const double> place) override {
    x_ = place[0];
    return x_ > 0.0 ? std::log(x_) - x_ : -std::numeric_limits<double>::infinity();
  }
  void gradient(std::span<double> out) override { out[0] = 1.0 / x_ - 1.0; }
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override {
    gradient(out);
    curvature(0, 0) = 0.01;  // far too little: the damping has to cope
  }

 private:
  double x_ = 0.0;
};

using Maximizer = MaximizeSummary (*)(Objective&, std::span<const double>, const MaximizeOptions&);

class EveryMaximizer : public testing::TestWithParam<Maximizer> {};
INSTANTIATE_TEST_SUITE_P(All, EveryMaximizer,
                         testing::Values(&maximize, &maximize_lbfgs, &maximize_to_the_end));

TEST_P(EveryMaximizer, FindsTheTopOfACurvedRidge) {
  Rosenbrock objective;
  MaximizeOptions options;
  options.tolerance = 1e-14;
  const std::vector<double> start = {-1.2, 1.0};
  const MaximizeSummary summary = GetParam()(objective, start, options);
  EXPECT_EQ(summary.reason, StopReason::converged);
  EXPECT_NEAR(summary.place[0], 1.0, 1e-4);
  EXPECT_NEAR(summary.place[1], 1.0, 1e-4);
  EXPECT_LT(objective.num_values, 150);
}

TEST_P(EveryMaximizer, StaysWhereTheFunctionHasValues) {
  HalfLine objective;
  const std::vector<double> start = {0.01};
  const MaximizeSummary summary = GetParam()(objective, start, {});
  EXPECT_EQ(summary.reason, StopReason::converged);
  EXPECT_NEAR(summary.place[0], 1.0, 1e-3);
}

TEST_P(EveryMaximizer, SaysWhyItStopped) {
  Rosenbrock objective;
  const std::vector<double> start = {-1.2, 1.0};
  MaximizeOptions options;
  options.max_iterations = 2;
  EXPECT_EQ(GetParam()(objective, start, options).reason, StopReason::iteration_limit);
  options.should_stop = [] { return true; };
  EXPECT_EQ(GetParam()(objective, start, options).reason, StopReason::stopped);
  HalfLine half_line;
  const std::vector<double> outside = {-1.0};
  EXPECT_EQ(GetParam()(half_line, outside, {}).reason, StopReason::invalid_start);
}

TEST_P(EveryMaximizer, NeverReturnsAPlaceWorseThanTheStart) {
  Rosenbrock objective;
  for (const double x : {-3.0, 0.0, 2.0}) {
    for (const double y : {-2.0, 0.5, 4.0}) {
      const std::vector<double> start = {x, y};
      MaximizeOptions options;
      options.max_iterations = 3;
      const double before = objective.value(start);
      EXPECT_GE(GetParam()(objective, start, options).value, before);
    }
  }
}

}  // namespace
}  // namespace covary
