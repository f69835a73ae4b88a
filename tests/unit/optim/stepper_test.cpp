// Optimisers that are told values, led side by side.
#include "optim/stepper.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "optim/look.h"
#include "optim/maximize.h"

namespace covary {
namespace {

// −Σ cosh(x_i − i) − a coupling: smooth, with one top.
class Bowl : public Objective {
 public:
  std::size_t size() const override { return 3; }
  double value(std::span<const double> place) override {
    place_.assign(place.begin(), place.end());
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) sum -= std::cosh(place_[i] - static_cast<double>(i));
    return sum - 0.3 * (place_[0] * place_[1]) * (place_[0] * place_[1]);
  }
  void gradient(std::span<double> out) override {
    for (std::size_t i = 0; i < 3; ++i) out[i] = -std::sinh(place_[i] - static_cast<double>(i));
    out[0] -= 0.6 * place_[0] * place_[1] * place_[1];
    out[1] -= 0.6 * place_[0] * place_[0] * place_[1];
  }
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override {
    gradient(out);
    std::fill_n(curvature.data(), 9, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      curvature(i, i) = std::cosh(place_[i] - static_cast<double>(i));
    }
  }

 private:
  std::vector<double> place_;
};

class EveryStepper : public testing::TestWithParam<StepperMaker> {};
INSTANTIATE_TEST_SUITE_P(All, EveryStepper,
                         testing::Values(&newton_stepper, &lbfgs_stepper, &persistent_stepper));

// A gradient is for a step that comes after it.
TEST(NewtonStepper, WantsNoGradientBehindItsLastStepNorTriesWhatPromisesTooLittle) {
  MaximizeOptions options;
  options.max_iterations = 1;
  Bowl bowl;
  const std::vector<double> start = {0.3, 1.2, 1.8};
  std::vector<double> gradient(3);
  Matrix curvature(3, 3);
  const auto begin = [&](MaximizingStepper& stepper) {
    EXPECT_EQ(stepper.tell_value(bowl.value(stepper.place())), Want::gradient_and_curvature);
    bowl.gradient_and_curvature(gradient, curvature);
    stepper.tell_gradient(gradient, &curvature);
  };
  const auto one = newton_stepper(start, options);
  begin(*one);
  Want want = Want::gradient;
  while (!one->is_done()) want = one->tell_value(bowl.value(one->place()));
  EXPECT_EQ(want, Want::nothing);
  EXPECT_EQ(one->summary().reason, StopReason::iteration_limit);
  EXPECT_EQ(one->summary().num_iterations, 1U);
  EXPECT_GT(one->summary().value, bowl.value(start));

  options.least_promise = 1e3;
  const auto modest = newton_stepper(start, options);
  begin(*modest);
  EXPECT_TRUE(modest->is_done());
  EXPECT_EQ(modest->summary().reason, StopReason::converged);
  EXPECT_EQ(modest->summary().place, start);
}

// One step of each in turn, as a device would have it.
TEST_P(EveryStepper, WalksInStepEndWhereEachWouldAlone) {
  Random random(1);
  std::vector<std::unique_ptr<MaximizingStepper>> together;
  std::vector<MaximizeSummary> alone;
  MaximizeOptions options;
  options.max_iterations = 25;
  Bowl bowl;
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> start = {random.normal(), 3.0 * random.normal(), random.normal()};
    together.push_back(GetParam()(start, options));
    const auto single = GetParam()(start, options);
    lead(*single, bowl);
    alone.push_back(single->summary());
  }
  std::vector<double> gradient(3);
  Matrix curvature(3, 3);
  for (bool is_any = true; is_any;) {
    is_any = false;
    for (const auto& stepper : together) {
      if (stepper->is_done()) continue;
      is_any = true;
      const Want want = stepper->tell_value(bowl.value(stepper->place()));
      if (want == Want::nothing) continue;
      if (want == Want::gradient) {
        bowl.gradient(gradient);
      } else {
        bowl.gradient_and_curvature(gradient, curvature);
      }
      stepper->tell_gradient(gradient, want == Want::gradient ? nullptr : &curvature);
    }
  }
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const MaximizeSummary& summary = together[i]->summary();
    EXPECT_EQ(summary.place, alone[i].place);
    EXPECT_EQ(summary.value, alone[i].value);
    EXPECT_EQ(summary.reason, alone[i].reason);
    EXPECT_EQ(summary.num_iterations, alone[i].num_iterations);
  }
}

TEST(Look, WantsNothingOfAPlaceWithoutAValue) {
  Look look({1.0}, Want::gradient);
  EXPECT_FALSE(look.is_done());
  EXPECT_EQ(look.tell_value(-std::numeric_limits<double>::infinity()), Want::nothing);
  EXPECT_TRUE(look.is_done());
  EXPECT_TRUE(look.gradient().empty());
}

}  // namespace
}  // namespace covary
