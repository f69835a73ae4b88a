#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/random.h>
#include <covary/screening.h>

namespace covary {
namespace {

constexpr std::size_t num_rows = 200;

std::vector<double> uniform(Random& random, std::size_t size = num_rows) {
  std::vector<double> values(size);
  for (double& value : values) value = random.uniform();
  return values;
}

Scaling named(const std::string& name) {
  Scaling scaling;
  scaling.name = name;
  return scaling;
}

Dataset table_of(std::vector<std::vector<double>> inputs, std::vector<double> target) {
  std::vector<Scaling> scalings;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    scalings.push_back(named(fmt::format("x{}", i)));
  }
  return {std::move(inputs), std::move(target),    std::move(scalings),
          named("y"),        std::string(32, '0'), {}};
}

// A line, a parabola that falls as much as it rises, and a wave of three turns; the others say
// nothing.
Dataset three_of(std::size_t num_inputs, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < num_inputs; ++i) inputs.push_back(uniform(random));
  std::vector<double> target;
  for (std::size_t row = 0; row < num_rows; ++row) {
    const double bend = 4.0 * (inputs[11][row] - 0.5);
    target.push_back(3.0 * inputs[7][row] + bend * bend + 2.0 * std::sin(19.0 * inputs[13][row]) +
                     0.3 * random.normal());
  }
  return table_of(std::move(inputs), std::move(target));
}

TEST(Screening, KeepsTheThreeInputsOfAThousandThatMatter) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Dataset kept = screened(three_of(1000, seed), 3);
    EXPECT_EQ(kept.input_names(), (std::vector<std::string>{"x7", "x11", "x13"})) << seed;
    EXPECT_EQ(kept.num_candidates(), 1000U);
    EXPECT_EQ(kept.num_rows(), num_rows);
  }
}

TEST(Screening, KeepsWhatItIsGivenWhereThereIsRoomForAll) {
  const Dataset data = three_of(20, 1);
  for (const std::size_t most : {0U, 20U, 21U}) {
    EXPECT_EQ(screened(data, most), data);
    EXPECT_FALSE(is_screened(screened(data, most)));
  }
  EXPECT_TRUE(is_screened(screened(data, 19)));
  // Once more is once.
  EXPECT_EQ(screened(screened(data, 5), 5), screened(data, 5));
  EXPECT_EQ(screened(screened(data, 5), 5).num_candidates(), 20U);
}

TEST(Screening, NeitherUnitsNorMonotoneTransformsNorAnOutlierCount) {
  const Dataset data = three_of(60, 2);
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    inputs.emplace_back(data.input(i).begin(), data.input(i).end());
    for (double& x : inputs.back()) x = std::exp(5.0 * x) - 1e3;
  }
  std::vector<double> target(data.target().begin(), data.target().end());
  for (double& y : target) y = y * y * y;
  *std::max_element(target.begin(), target.end()) = 1e300;
  const Dataset other = table_of(std::move(inputs), std::move(target));
  const std::vector<double> relations = input_relations(data);
  const std::vector<double> same = input_relations(other);
  for (std::size_t i = 0; i < relations.size(); ++i) EXPECT_NEAR(relations[i], same[i], 1e-9);
}

TEST(Screening, ACategoryIsJudgedByItsLevelsWhateverTheirOrder) {
  Random random(3);
  std::vector<double> levels;
  std::vector<double> target;
  const double effects[] = {0.0, 3.0, 0.0, 3.0, 0.0, 3.0};
  for (std::size_t row = 0; row < num_rows; ++row) {
    levels.push_back(static_cast<double>(random.index(6)));
    target.push_back(effects[static_cast<std::size_t>(levels.back())] + random.normal());
  }
  Scaling category = named("group");
  category.type = ColumnType::category;
  category.levels = {"a", "b", "c", "d", "e", "f"};
  std::vector<double> noise = uniform(random);
  const Dataset data({noise, levels}, target, {named("noise"), category}, named("y"),
                     std::string(32, '0'), {});
  EXPECT_EQ(screened(data, 1).input_names(), std::vector<std::string>{"group"});
  EXPECT_GT(input_relations(data)[1], 20.0);
}

// What says nothing costs what its simplest curve costs, however few rows or values there are.
TEST(Screening, NothingIsSeenInNoiseInTwoValuesOrInARowOfItsOwn) {
  Random random(4);
  for (const std::size_t n : {3U, 4U, 20U, 200U}) {
    std::vector<std::vector<double>> inputs = {uniform(random, n), uniform(random, n),
                                               std::vector<double>(n, 0.0)};
    for (double& x : inputs[1]) x = std::round(x);
    inputs[2][n / 2] = 1.0;
    for (const double relation : input_relations(table_of(inputs, uniform(random, n)))) {
      EXPECT_TRUE(std::isfinite(relation));
      EXPECT_LT(relation, 4.0) << n;
    }
  }
}

// Its limit, as the documentation has it.
TEST(Screening, AnInteractionWithoutMainEffectsIsNotSeen) {
  Random random(5);
  std::vector<std::vector<double>> inputs = {uniform(random), uniform(random)};
  std::vector<double> target;
  for (std::size_t row = 0; row < num_rows; ++row) {
    target.push_back((inputs[0][row] > 0.5) == (inputs[1][row] > 0.5) ? 1.0 + random.normal() * 0.1
                                                                      : random.normal() * 0.1);
  }
  for (const double relation : input_relations(table_of(inputs, target))) EXPECT_LT(relation, 4.0);
}

TEST(Screening, InputsAreTakenByTheirNames) {
  const Dataset data = three_of(20, 6);
  const auto some = with_inputs_named(data, {"x11", "x7"});
  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->input_names(), (std::vector<std::string>{"x11", "x7"}));
  EXPECT_FALSE(with_inputs_named(data, {"x7", "other"}).has_value());
  EXPECT_FALSE(with_inputs_named(data, {}).has_value());
}

}  // namespace
}  // namespace covary
