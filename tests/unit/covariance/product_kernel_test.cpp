#include "covariance/product_kernel.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

constexpr std::size_t num_inputs = 3;
constexpr std::size_t num_rows = 25;

std::vector<std::vector<double>> random_columns(std::size_t rows, Random& random) {
  std::vector<std::vector<double>> columns(num_inputs);
  for (auto& column : columns) {
    for (std::size_t i = 0; i < rows; ++i) column.push_back(-0.5 + 2.0 * random.uniform());
  }
  return columns;
}

InputColumns spans_of(const std::vector<std::vector<double>>& columns) {
  InputColumns spans;
  for (const auto& column : columns) spans.emplace_back(column);
  return spans;
}

std::vector<double> random_parameters(const Expression& expression, Random& random) {
  const ParameterSpace space(expression);
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < space.size(); ++i) {
    values.push_back(quantile(space[i].parameter.prior, 0.05 + 0.9 * random.uniform()));
  }
  return values;
}

TEST(SumOfProducts, IsTheSameKernelForRandomExpressionsWithChangePoints) {
  Random random(1);
  std::size_t num_with_change = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t num_leaves = 1 + random.index(9);
    const Expression expression =
        random_expression(random, num_leaves, num_inputs, all_base_kernels());
    const std::vector<double> parameters = random_parameters(expression, random);
    const std::vector<Product> products = sum_of_products(expression, parameters);
    const auto columns = random_columns(num_rows, random);
    const auto others = random_columns(7, random);
    const InputColumns x = spans_of(columns);
    const InputColumns z = spans_of(others);

    const CompiledKernel compiled(expression);
    Matrix gram(num_rows, num_rows);
    compiled.gram(parameters, x, gram);
    Matrix cross(num_rows, 7);
    compiled.cross(parameters, x, z, cross);
    std::vector<double> scale(num_rows);
    std::vector<double> other_scale(7);
    compiled.diagonal(parameters, x, scale);
    compiled.diagonal(parameters, z, other_scale);

    std::vector<double> diagonal(num_rows, 0.0);
    Matrix sum(num_rows, num_rows);
    std::fill_n(sum.data(), num_rows * num_rows, 0.0);
    Matrix cross_sum(num_rows, 7);
    std::fill_n(cross_sum.data(), num_rows * 7, 0.0);
    for (const Product& product : products) {
      const ProductKernel kernel(product);
      if (kernel.has_sides()) ++num_with_change;
      Matrix part(num_rows, num_rows);
      kernel.gram(x, part);
      Matrix cross_part(num_rows, 7);
      kernel.cross(x, z, cross_part);
      std::vector<double> own(num_rows);
      kernel.diagonal(x, own);
      for (std::size_t i = 0; i < num_rows; ++i) diagonal[i] += own[i];
      for (std::size_t i = 0; i < num_rows * num_rows; ++i) sum.data()[i] += part.data()[i];
      for (std::size_t i = 0; i < num_rows * 7; ++i) cross_sum.data()[i] += cross_part.data()[i];
    }
    for (std::size_t j = 0; j < num_rows; ++j) {
      ASSERT_NEAR(diagonal[j], scale[j], 1e-10 * scale[j]) << expression;
      for (std::size_t i = j; i < num_rows; ++i) {
        const double unit = std::sqrt(scale[i] * scale[j]);
        ASSERT_NEAR(sum(i, j), gram(i, j), 1e-10 * unit) << expression;
        ASSERT_EQ(sum(j, i), sum(i, j));
      }
      for (std::size_t k = 0; k < 7; ++k) {
        const double unit = std::sqrt(scale[j] * other_scale[k]);
        ASSERT_NEAR(cross_sum(j, k), cross(j, k), 1e-10 * unit) << expression;
      }
    }
  }
  EXPECT_GT(num_with_change, 100U);
}

TEST(SumOfProducts, GivesCopiesOfAFactorTheSameParameters) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const Expression expression =
        random_expression(random, 1 + random.index(9), num_inputs, all_base_kernels());
    const std::vector<double> parameters = random_parameters(expression, random);
    std::set<std::size_t> seen;
    for (const Product& product : sum_of_products(expression, parameters)) {
      for (const Factor& factor : product) {
        seen.insert(factor.origins.begin(), factor.origins.end());
        if (factor.origins.size() > 1) continue;  // merged: computed from several
        const auto own = parameters.begin() + static_cast<std::ptrdiff_t>(factor.origins[0]);
        EXPECT_TRUE(std::equal(factor.parameters.begin(), factor.parameters.end(), own));
      }
    }
    // Nothing is lost: every base kernel and every change point turns up.
    std::set<std::size_t> all;
    const ParameterSpace space(expression);
    for (std::size_t i = 0; i + 1 < space.size(); ++i) {
      if (i == 0 || space[i].node != space[i - 1].node) all.insert(i);
    }
    EXPECT_EQ(seen, all) << expression;
  }
}

TEST(SumOfProducts, RefusesAKernelThatExpandsToTooManyProducts) {
  const InputNames inputs = InputNames::unnamed(1);
  Expression kernel = parse_expression("SE + LIN", inputs);
  for (int i = 0; i < 10; ++i) kernel = kernel * parse_expression("PER + LIN", inputs);
  const std::vector<double> parameters(kernel.num_parameters(), 1.0);
  EXPECT_THROW(sum_of_products(kernel, parameters), Error);
}

TEST(NormalForm, ExpandsTheSummandsOfFewestProductsAndKeepsTheRest) {
  const InputNames inputs = InputNames::unnamed(1);
  std::string large = "(PER + LIN)";
  for (int i = 0; i < 7; ++i) large += "*(PER + LIN)";
  // 256, 2, 128 and 1 products: all but the first are 131 and one more part.
  const Expression kernel = parse_expression(
      large + " + SE*(LIN + PER) + " + large.substr(0, large.rfind('*')) + " + RQ", inputs);
  Random random(3);
  const std::vector<double> parameters = random_parameters(kernel, random);
  const NormalForm form = normal_form(kernel, parameters);
  ASSERT_EQ(form.unexpanded.size(), 1U);
  EXPECT_EQ(form.unexpanded[0].first_parameter, 0U);
  EXPECT_EQ(form.unexpanded[0].num_products, 256.0);
  EXPECT_EQ(form.products.size(), 131U);
}

}  // namespace
}  // namespace covary
