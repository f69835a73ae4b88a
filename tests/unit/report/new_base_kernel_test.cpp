// A base kernel is one file and one line: what comes after the parser knows it by what it says of
// itself. Here is one that nobody has heard of, saying nothing but what it must.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <covary/evidence.h>
#include <covary/explain.h>
#include <covary/report.h>
#include <covary/table.h>

#include "expression/normal_form.h"
#include "report/svg.h"
#include "unit/series.h"

namespace covary {
namespace {

const Dataset& data() {
  static const Dataset result = series(
      40, [](int i) { return 2.0 * i; },
      [](int i) { return std::sin(0.4 * i) + 0.05 * (i * 7 % 5); });
  return result;
}

// The numbers of another kernel under a new name, with the least that a kernel has to say.
BaseKernel nameless(const BaseKernel& like) {
  return {.name = "NEW",
          .title = "new",
          .formula = like.formula,
          .parameters = like.parameters,
          .numerics = like.numerics,
          .is_stationary = like.is_stationary,
          .noun = "wobbly function",
          .modifier = "wobbling"};
}

Expression leaf(const BaseKernel& kernel) { return Expression(BoundKernel{&kernel, 0}); }

Expression times(const Expression& a, const Expression& b) {
  return Expression::join({&mult_operator(), 0}, a, b);
}

std::string tree_of(const FittedModel& model) { return tree_svg(model); }

TEST(NewBaseKernel, IsPrintedFittedExplainedAndDrawnByItsOwnWords) {
  for (const BaseKernel* like : all_base_kernels()) {
    const BaseKernel kernel = nameless(*like);
    const Expression expression = leaf(kernel);
    EXPECT_EQ(to_string(expression), "NEW");
    EXPECT_EQ(tree_key(expression), "NEW_1");
    const Evidence evidence =
        make_oracle(data(), {.restarts = 4, .max_iterations = 50})->evaluate(expression);
    ASSERT_TRUE(evidence.value) << like->name;
    const FittedModel model(expression, evidence.parameters, data());
    const Explanation explanation = explain(model);
    ASSERT_EQ(explanation.components.size(), 1U);
    EXPECT_EQ(explanation.components[0].title, "A wobbly function") << like->name;
    EXPECT_EQ(explanation.components[0].kernel, "NEW");
    const auto place = length_place(kernel);
    const std::string words = to_string(explanation);
    if (place) {
      const std::string sentence = "Its " + std::string(kernel.parameters[*place].name) + " is ";
      EXPECT_NE(words.find(sentence), std::string::npos) << words;
    }
    EXPECT_NE(tree_of(model).find(">NEW</text>"), std::string::npos);
    EXPECT_FALSE(explanation_to_json(explanation).empty());
  }
}

TEST(NewBaseKernel, BesideOthersModifiesThem) {
  const BaseKernel kernel = nameless(*find_base_kernel("MAT32"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SE", "A smooth function wobbling"},
      {"PER", "A periodic function wobbling"},
      {"LIN", "A wobbly function with linearly increasing variation"},
  };
  for (const auto& [other, title] : cases) {
    const Expression expression = times(leaf(kernel), leaf(*find_base_kernel(other)));
    std::vector<double> parameters = {0.3, 1.0, 0.2, 1.0};
    if (other == "PER") parameters.push_back(0.2);
    parameters.push_back(0.1);
    if (other == "LIN") parameters[3] = 0.01;
    const Explanation explanation = explain(FittedModel(expression, parameters, data()));
    ASSERT_EQ(explanation.components.size(), 1U);
    EXPECT_EQ(explanation.components[0].title, title);
  }
}

TEST(NewBaseKernel, MayPlayAPartOfTheLanguage) {
  BaseKernel kernel = nameless(*find_base_kernel("PER"));
  kernel.role = KernelRole::periodic;
  const FittedModel model(leaf(kernel), {0.3, 1.0, 0.1, 0.1}, data());
  const Explanation explanation = explain(model);
  EXPECT_EQ(explanation.components[0].title, "A periodic function");
  EXPECT_EQ(explanation.components[0].sentences[0], "Its period is 7.8.");
  EXPECT_NE(tree_of(model).find("every 7.8"), std::string::npos);

  BaseKernel rough = nameless(*find_base_kernel("MAT32"));
  rough.role = KernelRole::smooth;
  rough.roughness = 10.0;
  const Expression product = times(leaf(*find_base_kernel("MAT52")), leaf(rough));
  const Explanation of_product = explain(FittedModel(product, {0.3, 1.0, 0.2, 1.0, 0.1}, data()));
  EXPECT_EQ(of_product.components[0].title.find("A wobbly"), 0U) << of_product.components[0].title;
}

TEST(NewBaseKernel, MergesIfItSaysHow) {
  BaseKernel kernel = nameless(*find_base_kernel("SE"));
  const std::vector<double> parameters = {0.3, 2.0, 0.4, 3.0};
  EXPECT_EQ(sum_of_products(times(leaf(kernel), leaf(kernel)), parameters)[0].size(), 2U);
  kernel.merge = find_base_kernel("SE")->merge;
  const Product merged = sum_of_products(times(leaf(kernel), leaf(kernel)), parameters)[0];
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_NEAR(merged[0].parameters[0], 0.24, 1e-12);
  EXPECT_NEAR(merged[0].parameters[1], 6.0, 1e-12);
}

// The whole registry, each kernel by itself and beside each other one, on an input with a calendar.
TEST(EveryBaseKernel, HasATitleAndATree) {
  const Dataset months = series(
      40, [](int i) { return 2001.0 + i / 12.0; },
      [](int i) { return std::sin(0.4 * i) + 0.05 * (i * 7 % 5); });
  for (const BaseKernel* first : all_base_kernels()) {
    for (const BaseKernel* second : all_base_kernels()) {
      const Expression expression = times(leaf(*first), leaf(*second));
      std::vector<double> parameters(expression.num_parameters(), 0.3);
      parameters.push_back(0.1);
      const FittedModel model(expression, parameters, months);
      const Explanation explanation = explain(model, {.num_draws = 0});
      for (const ExplainedComponent& component : explanation.components) {
        EXPECT_EQ(component.is_noise, first->is_white || second->is_white) << component.title;
        EXPECT_EQ(component.title.find(component.is_noise ? "Noise" : "A"), 0U) << component.title;
        const bool has_noun = component.title.find("function") != std::string::npos ||
                              component.title.find("value") != std::string::npos;
        EXPECT_NE(has_noun, component.is_noise) << component.title;
        EXPECT_EQ(component.title.find("  "), std::string::npos) << component.title;
      }
      const std::string tree = tree_of(model);
      EXPECT_NE(tree.find(std::string(first->name) + "</text>"), std::string::npos);
      EXPECT_NE(tree.find(std::string(second->name) + "</text>"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace covary
