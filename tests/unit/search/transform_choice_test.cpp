// The transform that a search explains its target by.
#include "search/transform_choice.h"

#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <covary/random.h>
#include <covary/search.h>

#include "search/first_sentences.h"
#include "unit/series.h"

namespace covary {
namespace {

enum class Truth { sum, product, counts, share };

// A trend and a season, with noise that belongs to them.
Dataset simulated(Truth truth, std::uint64_t seed) {
  Random random(seed);
  return series(
      80, [](int i) { return i; },
      [&](int i) {
        const double signal = 0.02 * i + 0.5 * std::sin(0.52 * i) + 0.15 * random.normal();
        switch (truth) {
          case Truth::sum:
            return 3.0 + signal;
          case Truth::product:
            return std::exp(signal);
          case Truth::counts:
            return std::floor(std::exp(2.0 * signal - 0.5));
          case Truth::share:
            break;
        }
        return 1.0 / (1.0 + std::exp(-3.0 * (signal - 0.8)));
      });
}

SearchSpace usual_space() { return make_search_space({}, InputNames::unnamed(1)); }

TransformChoice chosen(const Dataset& data, std::size_t num_threads = 1) {
  EvidenceOptions options;
  options.restarts = 8;
  return choose_transform(data, usual_space(), options, num_threads, nullptr);
}

TEST(TransformChoice, IsTheTrueOneInTwentyDrawsOfEach) {
  const std::pair<Truth, TargetTransform> cases[] = {{Truth::sum, TargetTransform::none},
                                                     {Truth::product, TargetTransform::log},
                                                     {Truth::share, TargetTransform::logit}};
  for (const auto& [truth, transform] : cases) {
    int num_right = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      num_right += chosen(simulated(truth, seed)).transform == transform ? 1 : 0;
    }
    EXPECT_GE(num_right, 18) << to_string(transform);
  }
}

TEST(TransformChoice, CostsTwoKernelsForEachTransformAndNothingWithoutAny) {
  EXPECT_EQ(probe_kernels(usual_space()).size(), 2U);
  EXPECT_EQ(chosen(simulated(Truth::product, 1)).num_evaluations, 4U);
  EXPECT_EQ(chosen(simulated(Truth::share, 1)).num_evaluations, 6U);
  const Dataset signed_target = series(
      30, [](int i) { return i; }, [](int i) { return std::sin(0.3 * i); });
  EXPECT_EQ(chosen(signed_target).num_evaluations, 0U);
  EXPECT_EQ(chosen(signed_target).transform, TargetTransform::none);
}

TEST(TransformChoice, OfASearchIsThatOfAllItsEvaluationsAlsoWhenItIsResumed) {
  const std::string folder = fmt::format("{}/covary-transform-{}",
                                         std::filesystem::temp_directory_path().string(), getpid());
  std::filesystem::remove_all(folder);
  const Dataset data = simulated(Truth::product, 3);
  SearchOptions options;
  options.evidence.transform.reset();
  options.evidence.restarts = 4;
  options.max_evaluations = 14;
  options.deterministic = true;
  options.finalists = 2;
  const SearchResult whole = search(data, options);
  EXPECT_EQ(whole.model.data().target_scaling().transform, TargetTransform::log);
  for (const SearchRecord& record : whole.history) {
    EXPECT_EQ(record.evidence.transform, TargetTransform::log);
  }
  options.max_evaluations = 6;
  search_in_folder(data, options, {.folder = folder});
  options.max_evaluations = 14;
  const SearchResult resumed = search_in_folder(data, options, {.folder = folder, .resume = true});
  EXPECT_EQ(resumed.kernel, whole.kernel);
  EXPECT_EQ(resumed.value, whole.value);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace covary
