#include "surrogate/kernel_surrogate.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <covary/grammar.h>

namespace covary {
namespace {

Grammar test_grammar() { return Grammar(make_search_space({}, InputNames::unnamed(2))); }

// Something that the symbols tell: how many periodic kernels there are, less a price of size.
double made_up_value(const Expression& kernel) {
  double value = 0.0;
  for (const BoundKernel& leaf : leaves(kernel)) value += leaf.kernel->name == "PER" ? 1.0 : -0.2;
  return value / static_cast<double>(kernel.num_leaves());
}

std::vector<Expression> some_kernels(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const Grammar grammar = test_grammar();
  return grammar.grow(grammar.start_kernels(), count, random, Grammar::Repeats::left_out);
}

TEST(KernelSurrogate, PredictsAValueThatTheSymbolsTell) {
  Random random(1);
  KernelSurrogate surrogate;
  const std::vector<Expression> kernels = some_kernels(160, 2);
  for (std::size_t i = 0; i < 80; ++i) surrogate.add(kernels[i], made_up_value(kernels[i]));
  surrogate.refit(random);
  const std::vector<Expression> others(kernels.begin() + 80, kernels.end());
  const SurrogatePrediction prediction = surrogate.predict(others);
  double squares = 0.0;
  double squares_around_mean = 0.0;
  double mean = 0.0;
  for (const Expression& kernel : others) mean += made_up_value(kernel) / 80.0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const double value = made_up_value(others[i]);
    squares += (value - prediction.mean[i]) * (value - prediction.mean[i]);
    squares_around_mean += (value - mean) * (value - mean);
  }
  EXPECT_LT(squares, 0.1 * squares_around_mean);
}

TEST(KernelSurrogate, ForgetsBeliefsWhenAValueArrives) {
  Random random(3);
  const std::vector<Expression> kernels = some_kernels(40, 4);
  KernelSurrogate with_beliefs;
  KernelSurrogate without;
  for (std::size_t i = 0; i < 20; ++i) {
    with_beliefs.add(kernels[i], made_up_value(kernels[i]));
    without.add(kernels[i], made_up_value(kernels[i]));
  }
  with_beliefs.condition();
  for (std::size_t i = 20; i < 25; ++i) with_beliefs.believe(kernels[i]);
  const std::vector<Expression> asked(kernels.begin() + 20, kernels.end());
  EXPECT_LT(with_beliefs.predict(asked).sd[0], 0.5 * with_beliefs.predict(asked).sd[15]);
  with_beliefs.add(kernels[20], made_up_value(kernels[20]));
  without.add(kernels[20], made_up_value(kernels[20]));
  Random same(5);
  Random seed(5);
  with_beliefs.refit(same);
  without.refit(seed);
  EXPECT_EQ(with_beliefs.predict(asked).mean, without.predict(asked).mean);
  EXPECT_EQ(with_beliefs.predict(asked).sd, without.predict(asked).sd);
}

// After a climb, values are of another scale; what was known stands for a line of it.
TEST(KernelSurrogate, LearnsFromValuesOfFewerRows) {
  Random random(8);
  const std::vector<Expression> kernels = some_kernels(120, 9);
  KernelSurrogate with_hints;
  KernelSurrogate without;
  const auto above = [](const Expression& kernel) { return 3.0 + 1.5 * made_up_value(kernel); };
  for (std::size_t i = 0; i < 80; ++i) with_hints.add(kernels[i], made_up_value(kernels[i]));
  with_hints.refit(random);
  with_hints.climb();
  EXPECT_FALSE(with_hints.has_values());
  for (std::size_t i = 0; i < 10; ++i) {
    with_hints.add(kernels[i], above(kernels[i]));
    without.add(kernels[i], above(kernels[i]));
  }
  with_hints.refit(random);
  without.refit(random);
  const std::vector<Expression> others(kernels.begin() + 80, kernels.end());
  const auto squares = [&](const KernelSurrogate& surrogate) {
    const std::vector<double> mean = surrogate.predict(others).mean;
    double sum = 0.0;
    for (std::size_t i = 0; i < others.size(); ++i) {
      sum += (mean[i] - above(others[i])) * (mean[i] - above(others[i]));
    }
    return sum;
  };
  EXPECT_LT(squares(with_hints), 0.5 * squares(without));
  // The best is one that was compared here, whatever is hoped of others.
  const auto best = std::max_element(
      kernels.begin(), kernels.begin() + 10,
      [&](const Expression& a, const Expression& b) { return above(a) < above(b); });
  EXPECT_TRUE(identical(with_hints.best(), *best));
  EXPECT_EQ(with_hints.kernels().size(), 80U);
}

TEST(KernelSurrogate, HasTheLargestPosteriorMeanOfEvaluatedKernelsAsIncumbent) {
  Random random(6);
  const std::vector<Expression> kernels = some_kernels(30, 7);
  KernelSurrogate surrogate;
  for (const Expression& kernel : kernels) {
    surrogate.add(kernel, made_up_value(kernel) + 0.1 * random.normal());
  }
  surrogate.refit(random);
  const std::vector<double> mean = surrogate.predict(kernels).mean;
  EXPECT_NEAR(surrogate.incumbent(), *std::max_element(mean.begin(), mean.end()), 1e-9);
}

// One distance with one part, and the factor ½ of the Hellinger kernel-kernel.
class LeafCountDistance final : public DistanceSet {
 public:
  std::size_t num_parts() const override { return 1; }
  std::size_t size() const override { return num_leaves_.size(); }
  void add(const Expression& kernel) override { num_leaves_.push_back(leaves_of(kernel)); }
  void truncate(std::size_t size) override {
    num_leaves_.resize(std::min(size, num_leaves_.size()));
  }
  std::vector<Matrix> distances(std::span<const Expression> kernels) const override {
    std::vector<Matrix> parts;
    Matrix& part = parts.emplace_back(size(), kernels.size());
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      for (std::size_t i = 0; i < size(); ++i) {
        part(i, j) = std::abs(num_leaves_[i] - leaves_of(kernels[j]));
      }
    }
    return parts;
  }

 private:
  static double leaves_of(const Expression& kernel) {
    return static_cast<double>(kernel.num_leaves());
  }
  std::vector<double> num_leaves_;
};

TEST(KernelSurrogate, WorksWithAnyDistance) {
  Random random(8);
  SurrogateOptions options;
  options.distance_factor = 0.5;
  KernelSurrogate surrogate(std::make_unique<LeafCountDistance>(), options);
  const std::vector<Expression> kernels = some_kernels(60, 9);
  for (const Expression& kernel : kernels) {
    surrogate.add(kernel, -static_cast<double>(kernel.num_leaves()));
  }
  surrogate.refit(random);
  EXPECT_EQ(surrogate.parameters().weights, std::vector<double>{1.0});
  const std::vector<double> mean = surrogate.predict(kernels).mean;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_NEAR(mean[i], -static_cast<double>(kernels[i].num_leaves()), 0.35) << kernels[i];
  }
}

}  // namespace
}  // namespace covary
