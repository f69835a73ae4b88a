#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

TEST(Random, GivesTheSameDrawsOnEveryMachine) {
  // mt19937_64 is fixed by the C++ standard: its 10000th draw from the default seed.
  std::mt19937_64 engine;
  engine.discard(9999);
  ASSERT_EQ(engine(), 9981545732273789042U);
  Random random(1);
  EXPECT_EQ(random.index(1000), 2469588189546311528U % 1000);  // first draw of seed 1
}

TEST(Random, IndexIsUniformForASizeThatDoesNotDivideTheRange) {
  Random random(7);
  constexpr int draws = 300'000;
  std::vector<int> counts(3);
  for (int i = 0; i < draws; ++i) ++counts[random.index(3)];
  for (const int count : counts) EXPECT_NEAR(count, draws / 3.0, 5 * 258);  // 5 standard deviations
}

TEST(Random, IndexRejectsTheIncompleteLastRun) {
  // For 3/4 of the range a plain remainder would give small numbers twice as often.
  constexpr std::uint64_t size = 3ULL << 62;
  Random random(3);
  int in_lower_third = 0;
  constexpr int draws = 30'000;
  for (int i = 0; i < draws; ++i) in_lower_third += random.index(size) < size / 3 ? 1 : 0;
  EXPECT_NEAR(in_lower_third, draws / 3.0, 5 * 82);
}

TEST(Random, UniformStaysBelowOneAndFillsTheInterval) {
  Random random(5);
  double low = 1.0;
  double high = 0.0;
  double sum = 0.0;
  constexpr int draws = 100'000;
  for (int i = 0; i < draws; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    low = std::min(low, x);
    high = std::max(high, x);
    sum += x;
  }
  EXPECT_LT(low, 1e-3);
  EXPECT_GT(high, 1.0 - 1e-3);
  EXPECT_NEAR(sum / draws, 0.5, 5 * 0.2887 / 316.2);
}

TEST(Random, SampleGivesEverySubsetEquallyOften) {
  Random random(11);
  std::map<std::vector<std::size_t>, int> counts;
  constexpr int draws = 60'000;
  for (int i = 0; i < draws; ++i) ++counts[random.sample(5, 2)];
  ASSERT_EQ(counts.size(), 10U);
  for (const auto& [subset, count] : counts) {
    EXPECT_TRUE(std::is_sorted(subset.begin(), subset.end()));
    EXPECT_NEAR(count, draws / 10.0, 5 * 74);
  }
}

TEST(Random, SampleOfEverythingIsEverything) {
  Random random(1);
  EXPECT_EQ(random.sample(4, 4), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(random.sample(4, 0).empty());
}

TEST(Random, ShufflesIntoEveryOrderEquallyOften) {
  Random random(7);
  std::map<std::vector<std::size_t>, int> seen;
  for (int i = 0; i < 6000; ++i) ++seen[random.permutation(3)];
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, ShufflesTheSameForTheSameSeed) {
  Random random(7);
  Random again(7);
  std::vector<std::size_t> values = {0, 1, 2, 3, 4, 5, 6, 7};
  random.shuffle(values);
  EXPECT_EQ(values, again.permutation(8));
}

}  // namespace
}  // namespace covary
