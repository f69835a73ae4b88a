// A component's kernel is a product over inputs, so the mean of f given one input is exact:
//   E[f | x_d] = Σ_c Σ_i α_i k_{c,d}(x_d, x_{i,d}) Π_{e ≠ d} E k_{c,e}(x_e, x_{i,e}).
// What is left, the interactions h = f − Σ_d E[f | x_d], is sampled, every input in a random order
// of its own:
//   Var f = Σ_d Var E[f | x_d] + Var h,
//   total_d Var f = Var E[f | x_d] + E (h(A) − h(A with another x_d))² / 2      (Jansen 1999).
// So no total is below its first order, and a sum of functions of one input each has no error.
#include "explain/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "linalg/vectors.h"

namespace covary {
namespace {

constexpr std::size_t max_support = 512;  // rows that stand for the inputs' distribution
constexpr std::size_t num_orders = 2;     // random orders of them: so many times the support

// Positions in the support, each num_orders times.
std::vector<std::size_t> shuffled(std::size_t size, Random& random) {
  std::vector<std::size_t> result;
  for (std::size_t order = 0; order < num_orders; ++order) {
    const std::vector<std::size_t> positions = random.permutation(size);
    result.insert(result.end(), positions.begin(), positions.end());
  }
  return result;
}

// Adds a product's part of E[f | x_d] at the support, for each of its inputs d.
void add_main_effects(const ComponentAlgebra& algebra, std::size_t product,
                      const std::vector<std::vector<double>>& support,
                      std::vector<std::vector<double>>& effects) {
  const std::size_t n = algebra.num_rows();
  const std::size_t size = support[0].size();
  const InputColumns points = spans_of(support);
  std::vector<std::size_t> columns;
  std::vector<Matrix> factors;             // k_{c,d}(x_i, support)
  std::vector<std::vector<double>> means;  // of each over the support
  for (std::size_t d = 0; d < support.size(); ++d) {
    Product own;
    for (const Factor& factor : algebra.products()[product]) {
      if (factor.column() == d) own.push_back(factor);
    }
    if (own.empty()) continue;
    Matrix values(n, size);
    ProductKernel(own).cross(algebra.inputs(), points, values);
    std::vector<double> mean(n, 0.0);
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < n; ++i) mean[i] += values(i, j) / static_cast<double>(size);
    }
    columns.push_back(d);
    factors.push_back(std::move(values));
    means.push_back(std::move(mean));
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    std::vector<double> weight(algebra.posterior().alpha().begin(),
                               algebra.posterior().alpha().end());
    for (std::size_t other = 0; other < columns.size(); ++other) {
      if (other == k) continue;
      for (std::size_t i = 0; i < n; ++i) weight[i] *= means[other][i];
    }
    for (std::size_t j = 0; j < size; ++j) {
      const double* column = factors[k].column(j);
      effects[columns[k]][j] += dot(weight, {column, n});
    }
  }
}

}  // namespace

std::vector<Sensitivity> sensitivities(const ComponentAlgebra& algebra, Random& random) {
  std::vector<Sensitivity> result(algebra.inputs().size());
  for (const Product& product : algebra.products()) {
    for (const Factor& factor : product) {
      if (factor.uses_input()) result[factor.column()].is_used = true;
    }
  }
  const std::vector<std::vector<double>> support = some_rows(algebra, max_support);
  const std::size_t size = support[0].size();
  std::vector<std::vector<double>> effects(support.size(), std::vector<double>(size, 0.0));
  for (std::size_t p = 0; p < algebra.products().size(); ++p) {
    add_main_effects(algebra, p, support, effects);
  }
  std::vector<std::vector<std::size_t>> positions;
  for (std::size_t d = 0; d < support.size(); ++d) positions.push_back(shuffled(size, random));
  const auto interactions = [&] {
    std::vector<std::vector<double>> points(support.size());
    for (std::size_t d = 0; d < support.size(); ++d) {
      for (const std::size_t at : positions[d]) points[d].push_back(support[d][at]);
    }
    std::vector<double> values = algebra.total_mean(spans_of(points));
    for (std::size_t d = 0; d < support.size(); ++d) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] -= effects[d][positions[d][i]];
    }
    return values;
  };

  const std::vector<double> values = interactions();
  double variance = variance_of(values);
  for (const std::vector<double>& effect : effects) variance += variance_of(effect);
  if (!(variance > 0.0)) return result;
  for (std::size_t d = 0; d < result.size(); ++d) {
    if (!result[d].is_used) continue;
    std::vector<std::size_t> other = shuffled(size, random);
    std::swap(positions[d], other);
    const std::vector<double> moved = interactions();
    std::swap(positions[d], other);
    double square = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      square += (values[i] - moved[i]) * (values[i] - moved[i]);
    }
    const double own = variance_of(effects[d]);
    const double joint = 0.5 * square / static_cast<double>(values.size());
    result[d].first_order = own / variance;
    result[d].total = std::min((own + joint) / variance, 1.0);
  }
  return result;
}

}  // namespace covary
