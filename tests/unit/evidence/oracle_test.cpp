// What an oracle tells of fits that go wrong, by a way of inference that goes wrong.
#include "evidence/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "unit/evidence/likelihoods_alone.h"
#include "unit/series.h"

namespace covary {
namespace {

const Dataset& data() {
  static const Dataset result = series(
      30, [](int i) { return 0.1 * i; }, [](int i) { return std::sin(0.7 * i); });
  return result;
}

// A plain that says of itself that it rises steeply everywhere.
class Mirage final : public Likelihood {
 public:
  double value(std::span<const double> parameters, std::optional<double> /*diagonal*/) override {
    size_ = parameters.size();
    return 0.0;
  }
  void gradient(std::span<double> out) override { std::fill(out.begin(), out.end(), 1e6); }
  void information(Matrix& out) override {
    std::fill_n(out.data(), size_ * size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) out(i, i) = 1.0;
  }
  void gradient_and_information(std::span<double> out, Matrix& information) override {
    gradient(out);
    this->information(information);
  }
  double diagonal() const override { return 0.0; }
  double jitter() const override { return 0.0; }

 private:
  std::size_t size_ = 0;
};

// Its likelihoods have no value anywhere.
class Nowhere final : public Likelihood {
 public:
  double value(std::span<const double> /*parameters*/,
               std::optional<double> /*diagonal*/) override {
    return -std::numeric_limits<double>::infinity();
  }
  void gradient(std::span<double> /*out*/) override {}
  void information(Matrix& /*out*/) override {}
  void gradient_and_information(std::span<double> /*out*/, Matrix& /*information*/) override {}
  double diagonal() const override { return 0.0; }
  double jitter() const override { return 0.0; }
};

// There is no memory for its matrices.
class Refused final : public Likelihood {
 public:
  double value(std::span<const double> /*parameters*/,
               std::optional<double> /*diagonal*/) override {
    throw std::bad_alloc();
  }
  void gradient(std::span<double> /*out*/) override {}
  void information(Matrix& /*out*/) override {}
  void gradient_and_information(std::span<double> /*out*/, Matrix& /*information*/) override {}
  double diagonal() const override { return 0.0; }
  double jitter() const override { return 0.0; }
};

template <class OneLikelihood>
class InferenceBy final : public LikelihoodsAlone {
 public:
  std::unique_ptr<Likelihood> likelihood(const Expression& /*kernel*/, const TrainingRows& /*rows*/,
                                         const LongWork& /*work*/) const override {
    return std::make_unique<OneLikelihood>();
  }
};

Evidence evaluated(const Inference& inference) {
  EvidenceOptions options;
  options.criterion = Criterion::bic;
  options.starts = StartValues::priors;
  options.restarts = 1;
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  return make_oracle(data(), options, inference, nullptr)->evaluate(kernel);
}

TEST(Oracle, CallsAFitThatCanGainNothingStuckAndNotConverged) {
  const Evidence evidence = evaluated(InferenceBy<Mirage>());
  EXPECT_EQ(evidence.outcome, FitOutcome::stuck) << evidence.message;
  EXPECT_TRUE(evidence.value);
  EXPECT_EQ(evidence.num_distinct_optima, 0U);
}

// From a place that is good for other rows the same kernel takes few steps to about as good a place
// as a whole fit does, and the average information stands for a Hessian that takes gradients.
TEST(Oracle, FewStepsFromAKnownPlaceDoNearlyWhatAFitDoes) {
  const Expression kernel = parse_expression("SE + LIN", InputNames::unnamed(1));
  const Dataset whole = series(
      150, [](int i) { return 0.02 * i; },
      [](int i) { return std::sin(0.05 * i) + 0.3 * std::sin(1e4 * i * i); });
  EvidenceOptions options;
  const Evidence fitted = make_oracle(whole, options)->evaluate(kernel);
  ASSERT_TRUE(fitted.value);
  std::vector<double> start = fitted.parameters;
  for (std::size_t i = 0; i < start.size(); ++i) start[i] *= i % 2 == 0 ? 1.4 : 0.7;
  options.few_steps = true;
  options.starts = StartValues::known;
  options.max_iterations = 8;
  std::vector<std::size_t> steps;
  const auto oracle =
      make_oracle(whole, options, nullptr, [&](std::size_t num_done, std::size_t num_at_most) {
        EXPECT_EQ(num_at_most, 8U);
        steps.push_back(num_done);
      });
  const Evidence refined = oracle->evaluate(kernel, {{kernel, start}, {kernel, start}});
  ASSERT_TRUE(refined.value);
  EXPECT_EQ(refined.num_starts, 1U);
  EXPECT_NEAR(refined.log_posterior, fitted.log_posterior, 0.1);
  EXPECT_NEAR(*refined.value, *fitted.value, 1.0);
  EXPECT_LE(refined.gradient_evaluations, 8U);
  EXPECT_FALSE(steps.empty());
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  // Nothing that matters is gained from where it ended: one look and its gradient.
  const Evidence again = oracle->evaluate(kernel, {{kernel, refined.parameters}});
  EXPECT_EQ(again.gradient_evaluations, 1U);
  EXPECT_NEAR(again.log_posterior, refined.log_posterior, 0.015);
}

TEST(Oracle, CountsLackOfMemoryAsAFailedEvaluationAndSaysHowMuchThereIs) {
  const Evidence evidence = evaluated(InferenceBy<Refused>());
  EXPECT_EQ(evidence.outcome, FitOutcome::out_of_memory);
  EXPECT_FALSE(evidence.value);
  EXPECT_NE(evidence.message.find("on 30 rows it needs about "), std::string::npos);
  EXPECT_NE(evidence.message.find(" GB are left"), std::string::npos) << evidence.message;
}

TEST(Oracle, SaysThatNoStartHadAValue) {
  const Evidence evidence = evaluated(InferenceBy<Nowhere>());
  EXPECT_EQ(evidence.outcome, FitOutcome::not_positive_definite);
  EXPECT_FALSE(evidence.value);
}

}  // namespace
}  // namespace covary
