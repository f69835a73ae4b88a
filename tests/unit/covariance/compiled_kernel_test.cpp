#include "covariance/compiled_kernel.h"

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "linalg/symmetric.h"
#include "unit/covariance/random_parameters.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

constexpr std::size_t num_inputs = 3;

struct Points {
  std::vector<std::vector<double>> columns;
  InputColumns spans() const {
    InputColumns spans;
    for (const auto& column : columns) spans.emplace_back(column);
    return spans;
  }
};

Points random_points(std::size_t n, Random& random) {
  Points points;
  points.columns.resize(num_inputs);
  for (auto& column : points.columns) {
    for (std::size_t i = 0; i < n; ++i) column.push_back(-0.3 + 1.3 * random.uniform());
  }
  // Some points twice, as data have it.
  for (auto& column : points.columns) column[n / 2] = column[0];
  return points;
}

// The formulas of the paper's A.4 (and others), written down once more for one pair of points,
// which may be those of one and the same row.
double base_kernel_by_definition(std::string_view name, const double* p, double x, double y,
                                 bool same_row) {
  const double r = std::abs(x - y);
  if (name == "SE") return p[1] * std::exp(-0.5 * r * r / (p[0] * p[0]));
  if (name == "LIN") return p[0] * x * y + p[1];
  if (name == "PER") {
    const double s = std::sin(std::numbers::pi * r / p[2]);
    return p[1] * std::exp(-0.5 * s * s / (p[0] * p[0]));
  }
  if (name == "RQ") return p[1] * std::pow(1.0 + r * r / (2.0 * p[2] * p[0] * p[0]), -p[2]);
  if (name == "MAT32") {
    const double t = std::sqrt(3.0) * r / p[0];
    return p[1] * (1.0 + t) * std::exp(-t);
  }
  if (name == "MAT52") {
    const double t = std::sqrt(5.0) * r / p[0];
    return p[1] * (1.0 + t + t * t / 3.0) * std::exp(-t);
  }
  if (name == "YEAR" || name == "WEEK" || name == "DAY") {  // of inputs in that unit
    const double s = std::sin(std::numbers::pi * r);
    return p[1] * std::exp(-0.5 * s * s / (p[0] * p[0]));
  }
  if (name == "CAT") return x == y ? p[0] : 0.0;
  if (name == "ALIKE") return (x == y ? p[0] : 0.0) + p[1];
  if (name == "MAT12") return p[1] * std::exp(-r / p[0]);
  if (name == "RW") return (x * y > 0.0 ? p[0] * std::min(std::abs(x), std::abs(y)) : 0.0) + p[1];
  if (name == "C") return p[0];
  if (name == "WN") return same_row ? p[0] : 0.0;
  ADD_FAILURE() << "no formula for " << name << ": write it down here";
  return 0.0;
}

// Walks the tree and the parameters in preorder.
double by_definition(const Expression& tree, const double*& p, const std::vector<double>& x,
                     const std::vector<double>& y, bool same_row) {
  if (tree.is_leaf()) {
    const BoundKernel& leaf = tree.base_kernel();
    const double value =
        base_kernel_by_definition(leaf.kernel->name, p, x[leaf.column], y[leaf.column], same_row);
    p += leaf.kernel->parameters.size();
    return value;
  }
  const double* own = p;
  p += tree.op().op->parameters.size();
  const double left = by_definition(tree.left(), p, x, y, same_row);
  const double right = by_definition(tree.right(), p, x, y, same_row);
  if (tree.op().op == &add_operator()) return left + right;
  if (tree.op().op == &mult_operator()) return left * right;
  const std::size_t c = tree.op().column;
  const double sx = 1.0 / (1.0 + std::exp(-(x[c] - own[0]) / own[1]));
  const double sy = 1.0 / (1.0 + std::exp(-(y[c] - own[0]) / own[1]));
  return (1.0 - sx) * left * (1.0 - sy) + sx * right * sy;
}

std::vector<double> row(const Points& points, std::size_t i) {
  std::vector<double> values;
  for (const auto& column : points.columns) values.push_back(column[i]);
  return values;
}

// Every base kernel alone, and random trees over the whole registry.
std::vector<Expression> test_expressions(int num_random) {
  std::vector<Expression> expressions;
  for (const BaseKernel* kernel : all_base_kernels()) {
    expressions.emplace_back(BoundKernel{kernel, 1});
  }
  for (const Operator* op : all_operators()) {
    expressions.push_back(Expression::join({op, 2}, BoundKernel{find_base_kernel("SE"), 0},
                                           BoundKernel{find_base_kernel("LIN"), 1}));
  }
  Random random(17);
  for (int i = 0; i < num_random; ++i) {
    expressions.push_back(
        random_expression(random, 1 + random.index(8), num_inputs, all_base_kernels()));
  }
  return expressions;
}

TEST(CompiledKernel, GramCrossAndDiagonalAreThoseOfTheFormulas) {
  Random random(1);
  for (const Expression& tree : test_expressions(200)) {
    const std::size_t n = 20 + random.index(5);
    const Points points = random_points(n, random);
    Points others = random_points(7, random);
    // A new point may have the inputs of a row, but is another.
    for (std::size_t c = 0; c < num_inputs; ++c) others.columns[c][6] = points.columns[c][2];
    const std::vector<double> parameters = random_parameters(tree, random);
    const CompiledKernel kernel(tree);
    ASSERT_EQ(kernel.num_parameters(), tree.num_parameters());
    Matrix gram(n, n);
    Matrix cross(n, 7);
    std::vector<double> diagonal(n);
    kernel.gram(parameters, points.spans(), gram);
    kernel.cross(parameters, points.spans(), others.spans(), cross);
    kernel.diagonal(parameters, points.spans(), diagonal);
    const auto expected = [&](const std::vector<double>& x, const std::vector<double>& y,
                              bool same_row) {
      const double* p = parameters.data();
      return by_definition(tree, p, x, y, same_row);
    };
    const std::vector<double> noise = kernel.noise(parameters, points.spans());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double value = expected(row(points, i), row(points, j), i == j);
        ASSERT_NEAR(gram(i, j), value, 1e-12 * (1.0 + std::abs(value))) << tree;
      }
      for (std::size_t j = 0; j < 7; ++j) {
        const double value = expected(row(points, i), row(others, j), false);
        ASSERT_NEAR(cross(i, j), value, 1e-12 * (1.0 + std::abs(value))) << tree;
      }
      ASSERT_EQ(diagonal[i], gram(i, i)) << tree;
      const double shared = expected(row(points, i), row(points, i), false);
      ASSERT_NEAR(gram(i, i) - noise[i], shared, 1e-12 * (1.0 + gram(i, i))) << tree;
    }
  }
}

TEST(CompiledKernel, GramMatricesArePositiveSemiDefinite) {
  Random random(2);
  for (const Expression& tree : test_expressions(100)) {
    const Points points = random_points(15, random);
    const CompiledKernel kernel(tree);
    Matrix gram(15, 15);
    kernel.gram(random_parameters(tree, random), points.spans(), gram);
    const std::vector<double> values = symmetric_eigen(gram).values;
    ASSERT_GT(values.front(), -1e-12 * (1.0 + values.back())) << tree;
  }
}

// Longer than a block, so that every path of the sweep is taken.
TEST(CompiledKernel, WeightedGradientMatchesFiniteDifferences) {
  Random random(3);
  for (const Expression& tree : test_expressions(200)) {
    const std::size_t n = random.index(10) == 0 ? 300 : 12;
    const Points points = random_points(n, random);
    std::vector<double> parameters = random_parameters(tree, random);
    const CompiledKernel kernel(tree);
    Matrix weights(n, n);
    for (std::size_t i = 0; i < n * n; ++i) weights.data()[i] = random.normal();
    std::vector<double> gradient(parameters.size());
    kernel.weighted_gradient(parameters, points.spans(), weights, gradient);

    Matrix gram(n, n);
    CompiledKernel::Kept kept;
    std::vector<double> with_kept(parameters.size());
    kernel.gram(parameters, points.spans(), gram, &kept);
    kernel.weighted_gradient(parameters, points.spans(), weights, with_kept, &kept);
    ASSERT_EQ(with_kept, gradient) << tree;

    const auto weighted_sum = [&] {
      kernel.gram(parameters, points.spans(), gram);
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = j; i < n; ++i) sum += weights(i, j) * gram(i, j);
      }
      return sum;
    };
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const double value = parameters[p];
      const double step = 1e-5 * std::max(std::abs(value), 0.01);
      parameters[p] = value + step;
      const double above = weighted_sum();
      parameters[p] = value - step;
      const double below = weighted_sum();
      parameters[p] = value;
      const double slope = (above - below) / (2.0 * step);
      const double rounding = 1e-11 * static_cast<double>(n * n) / step;
      ASSERT_NEAR(gradient[p], slope, 1e-5 * (std::abs(slope) + 1.0) + rounding)
          << tree << " parameter " << p;
    }
  }
}

TEST(CompiledKernel, DerivativeProductsAgreeWithWeightedGradients) {
  Random random(4);
  for (const Expression& tree : test_expressions(100)) {
    const std::size_t n = random.index(10) == 0 ? 300 : 17;
    const Points points = random_points(n, random);
    const std::vector<double> parameters = random_parameters(tree, random);
    const CompiledKernel kernel(tree);
    std::vector<double> v(n);
    for (double& x : v) x = random.normal();
    Matrix products(n, std::max<std::size_t>(parameters.size(), 1));
    kernel.derivative_products(parameters, points.spans(), v, products);
    // v' (dK/dp) v, once through the products and once through the weights v v'.
    Matrix weights(n, n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) weights(i, j) = (i == j ? 1.0 : 2.0) * v[i] * v[j];
    }
    std::vector<double> gradient(parameters.size());
    kernel.weighted_gradient(parameters, points.spans(), weights, gradient);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      double sum = 0.0;
      double size = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += v[i] * products(i, p);
        size += std::abs(v[i] * products(i, p));
      }
      ASSERT_NEAR(sum, gradient[p], 1e-10 * (1.0 + size)) << tree << " parameter " << p;
    }
  }
}

TEST(Numerics, VariantsForWiderVectorsAgreeWithTheBaseline) {
  const VectorWidth width = vector_width();
  if (width == VectorWidth::baseline) GTEST_SKIP() << "this machine has only the baseline";
  Random random(5);
  std::vector<double> x(40);
  for (double& value : x) value = random.uniform();
  for (const BaseKernel* kernel : all_base_kernels()) {
    const Expression tree(BoundKernel{kernel, 0});
    const std::vector<double> parameters = random_parameters(tree, random);
    const KernelNumerics& baseline = kernel->numerics->baseline;
    std::vector<double> first = x;
    std::vector<double> extra(2 * x.size());
    double* writable[] = {first.data(), extra.data(), extra.data() + x.size()};
    baseline.prepare(parameters.data(), x.data(), x.size(), writable);
    const Block block{
        {x.data(), writable[1], writable[2]}, {x[3], writable[1][3], writable[2][3]}, x.size()};
    std::vector<double> shared(x.size());
    std::vector<double> a(x.size());
    std::vector<double> sums_a(3, 0.0);
    baseline.values(parameters.data(), block, a.data(), shared.data());
    baseline.gradient(parameters.data(), block, a.data(), shared.data(), x.data(), sums_a.data());
    std::vector<const KernelNumerics*> others = {&kernel->numerics->wide};
    if (width == VectorWidth::widest) others.push_back(&kernel->numerics->widest);
    for (const KernelNumerics* other : others) {
      std::vector<double> b(x.size());
      std::vector<double> sums_b(3, 0.0);
      other->values(parameters.data(), block, b.data(), shared.data());
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-14) << kernel->name;
      other->gradient(parameters.data(), block, a.data(), shared.data(), x.data(), sums_b.data());
      for (std::size_t p = 0; p < 3; ++p) ASSERT_NEAR(sums_a[p], sums_b[p], 1e-11) << kernel->name;
    }
  }
}

}  // namespace
}  // namespace covary
