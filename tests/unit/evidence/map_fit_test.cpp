// The race of starts.
#include "evidence/map_fit.h"

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "unit/evidence/likelihoods_alone.h"
#include "unit/evidence/scaled_data.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

MapFit fit(const Expression& kernel, const FitData& data, const EvidenceOptions& options,
           const std::vector<WarmStart>& warm_starts) {
  const std::function<bool()> never = [] { return false; };
  FitWork work(exact_inference(), options.threads, never);
  return fit_map(kernel, LogPrior(kernel, options.laplace), data, options, warm_starts, work);
}

// What is known of the kernel from elsewhere counts for all rows, even if the sample, as here, has
// nothing to do with them.
TEST(MapFit, DoesNotFallBehindTheStartThatItWasGivenHoweverTheSampleMisleads) {
  Random random(3);
  Numbers x;
  Numbers y;
  for (int i = 0; i < 300; ++i) {
    x.push_back(random.uniform());
    y.push_back(std::sin(40.0 * x.back()) + 0.1 * random.normal());
  }
  Numbers noise;
  for (int i = 0; i < 125; ++i) noise.push_back(random.normal());
  const Dataset all = scaled_data({x}, y);
  const FitData data(all, all, all, MeanFunction::zero, Priors::paper);
  const FitData misled(all, scaled_data({Numbers(x.begin(), x.begin() + 125)}, noise), all,
                       MeanFunction::zero, Priors::paper);

  const Expression kernel = parse_expression("PER*SE + RQ", InputNames::unnamed(1));
  EvidenceOptions options;
  const MapFit best = fit(kernel, data, options, {});
  const ParameterSpace space(kernel);
  Numbers parameters;
  for (std::size_t i = 0; i < space.size(); ++i) {
    parameters.push_back(space.natural(i, best.place[i]));
  }
  options.restarts = 2;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    options.seed = seed;
    const MapFit again = fit(kernel, misled, options, {{kernel, parameters}});
    EXPECT_GT(again.value, best.value - 0.01);
  }
}

// Rows in pairs of neighbours show what changes quickly; a sample of one of each pair shows noise.
TEST(MapFit, TakesNotForNoiseWhatChangesFromRowToRow) {
  Random random(11);
  Numbers x;
  Numbers y;
  for (int i = 0; i < 150; ++i) {
    const double place = random.uniform();
    const double level = std::sin(5.0 * place) + 0.5 * random.normal();
    for (const double step : {0.0, 1e-4}) {
      x.push_back(place + step);
      y.push_back(level + 0.05 * random.normal());
    }
  }
  Numbers x_of_some;
  Numbers y_of_some;
  for (std::size_t i = 0; i < 250; i += 2) {
    x_of_some.push_back(x[i]);
    y_of_some.push_back(y[i]);
  }
  const Dataset all = scaled_data({x}, y);
  const Dataset some = scaled_data({x_of_some}, y_of_some);
  const FitData data(all, all, all, MeanFunction::zero, Priors::paper);
  const FitData misled(all, some, all, MeanFunction::zero, Priors::paper);
  const Expression kernel = parse_expression("SE + MAT32", InputNames::unnamed(1));
  EvidenceOptions options;
  options.restarts = 256;
  const MapFit best = fit(kernel, data, options, {});
  options.restarts = 8;
  std::size_t times_at_the_top = 0;
  for (options.seed = 1; options.seed <= 8; ++options.seed) {
    if (fit(kernel, misled, options, {}).value > best.value - 0.1) ++times_at_the_top;
  }
  EXPECT_GE(times_at_the_top, 6U);
}

// Two cycles of nearly the same strength, and one periodic function for both of them: two tops, and
// a search's settings, under which one start alone goes to the end, see both.
TEST(MapFit, CountsTheOptimaThatWereLeftForABetterOne) {
  Random random(7);
  Numbers x;
  Numbers y;
  for (int i = 0; i < 90; ++i) {
    x.push_back(i / 89.0);
    y.push_back(std::sin(2.0 * M_PI * x.back() / 0.23) +
                0.95 * std::sin(2.0 * M_PI * x.back() / 0.0701) + 0.1 * random.normal());
  }
  const FitData data(scaled_data({x}, y), MeanFunction::zero);
  EvidenceOptions options;
  options.restarts = 20;
  const auto num_optima = [&](const char* text) {
    const Expression kernel = parse_expression(text, InputNames::unnamed(1));
    return fit(kernel, data, options, {}).num_distinct_optima;
  };
  EXPECT_GE(num_optima("PER"), 2U);
  EXPECT_EQ(num_optima("LIN"), 1U);
}

// Three cycles, one for each of three periodic kernels: a start has to be near all of them at once,
// or one after the other has to be found from there. By one thread as by three.
TEST(MapFit, FindsSeveralPeriodsByAnyNumberOfThreads) {
  Random random(11);
  Numbers x;
  Numbers y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(i / 99.0);
    double sum = 0.1 * random.normal();
    for (const double period : {0.31, 0.112, 0.0415})
      sum += std::sin(2.0 * M_PI * x.back() / period);
    y.push_back(sum);
  }
  const FitData data(scaled_data({x}, y), MeanFunction::zero);
  const Expression kernel = parse_expression("PER + PER + PER", InputNames::unnamed(1));
  EvidenceOptions options;
  options.restarts = 64;
  const double best = fit(kernel, data, options, {}).value;
  options.restarts = 20;
  int num_near = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    options.seed = seed;
    options.threads = 1;
    const MapFit alone = fit(kernel, data, options, {});
    options.threads = 3;
    const MapFit together = fit(kernel, data, options, {});
    EXPECT_EQ(alone.place, together.place);
    if (alone.value > best - 1.0) ++num_near;
  }
  EXPECT_GE(num_near, 4);
}

// One hill, whose top moves a little with the number of rows.
class MovingHill final : public Likelihood {
 public:
  explicit MovingHill(std::size_t num_rows)
      : height_(static_cast<double>(num_rows)), top_(-1.0 - 1000.0 / height_) {}

  double value(std::span<const double> parameters, std::optional<double> /*diagonal*/) override {
    place_.assign(parameters.begin(), parameters.end());
    double sum = 0.0;
    for (const double parameter : place_) sum += std::pow(std::log(parameter) - top_, 2);
    return -0.5 * height_ * sum;
  }
  void gradient(std::span<double> out) override {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      out[i] = -height_ * (std::log(place_[i]) - top_) / place_[i];
    }
  }
  void information(Matrix& out) override {
    std::fill_n(out.data(), place_.size() * place_.size(), 0.0);
    for (std::size_t i = 0; i < place_.size(); ++i) out(i, i) = height_ / (place_[i] * place_[i]);
  }
  void gradient_and_information(std::span<double> out, Matrix& information) override {
    gradient(out);
    this->information(information);
  }
  double diagonal() const override { return 0.0; }
  double jitter() const override { return 0.0; }

 private:
  double height_;
  double top_;
  Numbers place_;
};

// Counts walks by the rows that they are on.
class CountingInference final : public LikelihoodsAlone {
 public:
  std::unique_ptr<Likelihood> likelihood(const Expression& /*kernel*/, const TrainingRows& rows,
                                         const LongWork& /*work*/) const override {
    return std::make_unique<MovingHill>(rows.size());
  }
  WalkCosts lead(std::span<const Walk> walks, std::size_t num_threads,
                 const std::function<bool()>& should_stop) const override {
    for (const Walk& walk : walks) ++num_walks[walk.rows->size()];
    return Inference::lead(walks, num_threads, should_stop);
  }

  mutable std::map<std::size_t, std::size_t> num_walks;
};

TEST(MapFit, OfThousandsOfRowsLooksAroundOnFewAndWalksOnceOnAll) {
  constexpr std::size_t num_rows = 10'000;
  Random random(5);
  Numbers x;
  Numbers y;
  for (std::size_t i = 0; i < num_rows; ++i) {
    x.push_back(random.uniform());
    y.push_back(random.normal());
  }
  const FitData data(scaled_data({x}, y), MeanFunction::zero);
  const Expression kernel = parse_expression("SE + MAT32", InputNames::unnamed(1));
  const EvidenceOptions options;
  const CountingInference inference;
  const std::function<bool()> never = [] { return false; };
  FitWork work(inference, 1, never);
  const LogPrior prior(kernel, options.laplace);
  const MapFit best = fit_map(kernel, prior, data, options, {}, work);

  ASSERT_FALSE(best.place.empty());
  EXPECT_EQ(best.reason, StopReason::converged);
  const double top = -1.0 - 1000.0 / static_cast<double>(num_rows);
  for (std::size_t i = 0; i < best.place.size(); ++i) {
    EXPECT_NEAR(std::log(prior.space().natural(i, best.place[i])), top, 0.02);
  }
  EXPECT_EQ(inference.num_walks.at(num_rows), 1U);
  EXPECT_EQ(inference.num_walks.at(4500), 1U);
  EXPECT_GT(inference.num_walks.at(1500), 10U);
  EXPECT_GT(inference.num_walks.at(125), 100U);
  EXPECT_EQ(inference.num_walks.size(), 4U);
}

}  // namespace
}  // namespace covary
