// What an oracle tells of fits that go wrong, by a way of inference that goes wrong.
#include "evidence/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

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
  void gradient_and_information(std::span<double> out, Matrix& information) override {
    gradient(out);
    std::fill_n(information.data(), size_ * size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) information(i, i) = 1.0;
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
  void gradient_and_information(std::span<double> /*out*/, Matrix& /*information*/) override {}
  double diagonal() const override { return 0.0; }
  double jitter() const override { return 0.0; }
};

template <class OneLikelihood>
class InferenceBy final : public Inference {
 public:
  std::unique_ptr<Likelihood> likelihood(
      const Expression& /*kernel*/, const TrainingRows& /*rows*/,
      const std::function<bool()>& /*should_stop*/) const override {
    return std::make_unique<OneLikelihood>();
  }
  std::unique_ptr<const Posterior> posterior(const Expression& /*kernel*/,
                                             std::span<const double> /*parameters*/,
                                             const TrainingRows& /*rows*/,
                                             const LongWork& /*work*/) const override {
    return nullptr;
  }
  double walk_bytes(std::size_t /*num_rows*/) const override { return 0.0; }
  double posterior_bytes(std::size_t /*num_rows*/) const override { return 0.0; }
  double kept_bytes(std::size_t /*num_rows*/) const override { return 0.0; }
  double posterior_seconds(std::size_t /*num_rows*/, std::size_t /*num_threads*/) const override {
    return 0.0;
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

TEST(Oracle, SaysThatNoStartHadAValue) {
  const Evidence evidence = evaluated(InferenceBy<Nowhere>());
  EXPECT_EQ(evidence.outcome, FitOutcome::not_positive_definite);
  EXPECT_FALSE(evidence.value);
}

}  // namespace
}  // namespace covary
