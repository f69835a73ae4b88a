#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/effects.h>
#include <covary/evidence.h>
#include <covary/explain.h>
#include <covary/random.h>

namespace covary {
namespace {

Dataset wages() {
  constexpr const char* regions[] = {"north", "east", "south"};
  constexpr const char* sexes[] = {"f", "m"};
  constexpr double offsets[] = {3.0, 0.0, -2.0};
  Random random(8);
  std::string text = "age,region,sex,wage\n";
  for (std::size_t i = 0; i < 60; ++i) {
    const double age = 20.0 + 40.0 * random.uniform();
    text += fmt::format("{},{},{},{}\n", age, regions[i % 3], sexes[i / 3 % 2],
                        offsets[i % 3] + 0.1 * (i % 3 == 0 ? -age : age) + 0.1 * random.normal());
  }
  return make_dataset(read_csv_text(text, "F"), {.target = "wage"});
}

Explanation explain_kernel(const std::string& kernel, const Dataset& data) {
  const Expression expression = parse_expression(kernel, inputs_of(data));
  std::vector<double> parameters(expression.num_parameters() + 1, 0.5);
  parameters.back() = 0.01;
  return explain(FittedModel(expression, parameters, data), {.num_draws = 20});
}

std::vector<std::string> titles(const std::string& kernel) {
  std::vector<std::string> found;
  for (const ExplainedComponent& component : explain_kernel(kernel, wages()).components) {
    found.push_back(component.title);
  }
  return found;
}

TEST(CategoryWords, SayWhatAKernelOfCategoriesDoes) {
  using Titles = std::vector<std::string>;
  EXPECT_EQ(titles("CAT(region)"), Titles{"A value for each level of region"});
  EXPECT_EQ(titles("SE(age)*CAT(region)"), Titles{"A smooth function of age, differing by region"});
  EXPECT_EQ(titles("SE(age)*ALIKE(region)*CAT(sex)"),
            Titles{"A smooth function of age, partly differing by region, differing by sex"});
  EXPECT_EQ(titles("CAT(region)*CAT(sex)"),
            Titles{"A value for each level of region, differing by sex"});
}

TEST(CategoryWords, AnEffectDiffersByGroups) {
  const Explanation explanation = explain_kernel("SE(age)*CAT(region)", wages());
  EXPECT_EQ(explanation.components[0].sentences[0], "The effect of age differs by region.");
}

TEST(CategoryWords, TitlesThatRepeatAreCounted) {
  const Explanation explanation = explain_kernel("CAT(region) + ALIKE(region)", wages());
  EXPECT_EQ(explanation.descriptions,
            std::vector<std::string>{"Two values for each level of region"});
}

// Of balanced groups the levels' values are the shrunk means about that of all rows.
TEST(CategoryWords, LevelsHaveTheirValues) {
  const Dataset data = wages();
  const Explanation explanation = explain_kernel("SE(age)*CAT(region) + CAT(region)", data);
  const auto part =
      std::find_if(explanation.components.begin(), explanation.components.end(),
                   [](const ExplainedComponent& c) { return c.kernel == "CAT(region)"; });
  ASSERT_NE(part, explanation.components.end());
  ASSERT_EQ(part->levels.size(), 3U);
  EXPECT_EQ(part->levels[0].name, "east");
  double sum = 0.0;
  for (const ExplainedComponent::Level& level : part->levels) {
    EXPECT_GT(level.sd, 0.0);
    sum += level.mean;
  }
  EXPECT_NEAR(sum, 0.0, 1e-9);  // as many rows of each
  EXPECT_FALSE(part->horizon.has_value());
  EXPECT_TRUE(part->checks.empty());
}

TEST(CategoryWords, OneCategoryAloneIsExplained) {
  const Dataset data = make_dataset(
      read_csv_text("c,y\na,1\nb,2\na,1.5\nb,2.5\na,1.2\nc,9\nc,8\n", "F"), {.target = "y"});
  const Explanation explanation = explain_kernel("CAT", data);
  EXPECT_EQ(explanation.components[0].title, "A value for each level of c");
  EXPECT_EQ(explanation.components[0].levels.size(), 3U);
  for (const ModelCheck& check : explanation.checks) EXPECT_NE(check.name, "residual_correlation");
}

// Main effects at the levels add up to nothing over the rows, as those of numbers do.
TEST(CategoryEffects, HaveMeanZeroOverTheRows) {
  const Dataset data = wages();
  const Explanation explanation = explain_kernel("SE(age)*ALIKE(region) + CAT(sex)", data);
  const Effects effects(explanation.decomposition);
  for (const std::size_t input : {1U, 2U}) {
    double sum = 0.0;
    for (const double mean : effects.main_effect(input, raw_input(data, input)).mean) sum += mean;
    EXPECT_NEAR(sum / static_cast<double>(data.num_rows()), 0.0, 1e-9);
  }
}

}  // namespace
}  // namespace covary
