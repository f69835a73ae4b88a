// A small calibration study: is what inference says as often true? Tolerances are those of chance
// at this number of draws, beside what docs/calibration.md says of the approximations.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "inference.h"
#include "process.h"
#include "summary.h"

namespace covary::calibration {
namespace {

constexpr double levels[] = {0.5, 0.8, 0.95};
constexpr double chance = 3.5;   // standard errors: one in two thousand is farther off
constexpr double rare = 5e-4;    // the same as a probability
constexpr std::size_t few = 50;  // ranks that are no distribution yet

std::vector<Inferred> inferred_draws(const Setting& setting, std::size_t num_draws,
                                     std::size_t num_places) {
  const Candidates candidates = candidates_of(setting);
  std::vector<Inferred> draws(num_draws);
  parallel_for(2, num_draws, [&](std::size_t d, std::size_t /*worker*/) {
    Random random(combine64(1, d));
    const Truth truth = draw_truth(setting, candidates, random);
    draws[d] = infer(candidates, truth, {.num_places = num_places, .seed = combine64(2, d)});
  });
  return draws;
}

void expect_coverage(const std::vector<Inferred>& draws, const Setting& setting, Way way,
                     double allowance) {
  for (const double level : levels) {
    const Estimate share = coverage(draws, setting, way, Where::anywhere, level);
    const std::string_view name = way_names[static_cast<std::size_t>(way)];
    std::cout << fmt::format("{}: {} -> {:.3f} ± {:.3f}\n", name, level, share.mean, share.error);
    EXPECT_NEAR(share.mean, level, allowance + chance * share.error) << name;
  }
}

void expect_uniform_ranks(const std::vector<Inferred>& draws, Belief belief) {
  for (const std::string& kind : kinds_of(draws)) {
    const Uniformity uniformity = uniformity_of(ranks_of(draws, kind, belief));
    std::cout << fmt::format("{}: {} ranks, KS {:.3f}, p {:.2g}\n", kind, uniformity.count,
                             uniformity.distance, uniformity.p_value);
    if (uniformity.count < few) continue;
    EXPECT_GT(uniformity.p_value, rare) << kind;
  }
}

KernelScore printed_score(const std::vector<Inferred>& draws, Evidences by) {
  const KernelScore score = kernel_score(draws, by);
  std::cout << fmt::format("log probability of the true kernel {:.3f}, surprise {:.3f} ± {:.3f}\n",
                           score.log_probability.mean, score.surprise.mean, score.surprise.error);
  return score;
}

// Priors, their Jacobians, likelihoods, probabilities of kernels and predictions belong together:
// with the integrals done, everything is right. What a search hands back is nearly so.
TEST(CalibrationStudy, WholePosteriorsAreRightAndSearchesNearly) {
  const Setting setting;
  const std::vector<Inferred> draws = inferred_draws(setting, 200, 1000);
  expect_uniform_ranks(draws, Belief::whole);
  expect_coverage(draws, setting, Way::truth, 0.0);
  expect_coverage(draws, setting, Way::whole, 0.0);
  expect_coverage(draws, setting, Way::search, 0.01);
  expect_coverage(draws, setting, Way::best, 0.04);
  const KernelScore score = printed_score(draws, Evidences::whole);
  EXPECT_LT(std::abs(score.surprise.errors_from(0.0)), chance);
  for (const ReliabilityBin& bin : reliability(draws, Evidences::whole)) {
    if (bin.count < few) continue;
    EXPECT_LT(std::abs(bin.excess.errors_from(0.0)), chance) << bin.from << " to " << bin.to;
  }
}

// Without a period to be found, where posteriors have one hill, Laplace's word is enough.
TEST(CalibrationStudy, LaplaceIsNearlyRightWithoutPeriods) {
  const Setting setting = {.space = "SE,LIN,RW"};
  const std::vector<Inferred> draws = inferred_draws(setting, 400, 0);
  expect_coverage(draws, setting, Way::search, 0.01);
  const KernelScore score = printed_score(draws, Evidences::laplace);
  EXPECT_LT(std::abs(score.surprise.mean), 0.05 + chance * score.surprise.error);
  for (const ReliabilityBin& bin : reliability(draws, Evidences::laplace)) {
    if (bin.count < few) continue;
    EXPECT_LT(std::abs(bin.excess.mean), 0.02 + chance * bin.excess.error) << bin.from;
  }
}

}  // namespace
}  // namespace covary::calibration
