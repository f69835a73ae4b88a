#include "inference/state_space/markov_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace covary {
namespace {

using Kind = MarkovFactor::Kind;

// Of one factor, column by column.
constexpr std::size_t most_factor_size = 3;
using Small = std::array<double, most_factor_size * most_factor_size>;

Small product(const Small& a, const Small& b, std::size_t m) {
  Small result{};
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t i = 0; i < m; ++i) result[j * m + i] += a[k * m + i] * b[j * m + k];
    }
  }
  return result;
}

Small transposed(const Small& a, std::size_t m) {
  Small result{};
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i) result[j * m + i] = a[i * m + j];
  }
  return result;
}

// ---- Matérn: the function and its derivatives in units of the rate √(2ν) / ℓ -------------------

double rate(const MarkovFactor& factor) {
  return std::sqrt(2.0 * static_cast<double>(factor.size()) - 1.0) / factor.length;
}

Small stationary(std::size_t m) {
  if (m == 1) return {1.0};
  if (m == 2) return {1.0, 0.0, 0.0, 1.0};
  return {1.0, 0.0, -1.0 / 3.0, 0.0, 1.0 / 3.0, 0.0, -1.0 / 3.0, 0.0, 1.0};
}

// e^{Ft} with (F + 1)^m = 0: e^-t (1 + t N + t² N² / 2), N = F + 1.
Small matern_transition(double t, std::size_t m) {
  const double e = std::exp(-t);
  if (m == 1) return {e};
  if (m == 2) return {e * (1.0 + t), -e * t, e * t, e * (1.0 - t)};
  const double half = 0.5 * t * t;
  return {e * (1.0 + t + half),
          -e * half,
          e * (half - t),
          e * (t + 2.0 * half),
          e * (1.0 + t - 2.0 * half),
          e * (2.0 * half - 3.0 * t),
          e * half,
          e * (t - half),
          e * (1.0 - 2.0 * t + half)};
}

// What t adds: the integral over what comes in by the last derivative. Of short steps by Gauss and
// Legendre's rule, to rounding; what is left of P − A P A' there would be rounding alone.
Small matern_added(double t, const Small& kept, std::size_t m) {
  Small added{};
  constexpr double short_step = 0.5;
  if (t > short_step) {
    const Small whole = stationary(m);
    for (std::size_t i = 0; i < m * m; ++i) added[i] = whole[i] - kept[i];
    return added;
  }
  constexpr std::array<double, 4> nodes = {0.1834346424956498, 0.5255324099163290,
                                           0.7966664774136267, 0.9602898564975363};
  constexpr std::array<double, 4> weights = {0.3626837833783620, 0.3137066458778873,
                                             0.2223810344533745, 0.1012285362903763};
  constexpr std::array<double, most_factor_size> density = {2.0, 4.0, 16.0 / 3.0};
  for (std::size_t k = 0; k < 2 * nodes.size(); ++k) {
    const double node = k % 2 == 0 ? nodes[k / 2] : -nodes[k / 2];
    const Small arrived = matern_transition(0.5 * t * (1.0 + node), m);
    const double* last = arrived.data() + (m - 1) * m;
    const double weight = 0.5 * t * weights[k / 2] * density[m - 1];
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t i = 0; i < m; ++i) added[j * m + i] += weight * last[i] * last[j];
    }
  }
  return added;
}

// ---- both --------------------------------------------------------------------------------------

double walked(const MarkovFactor& factor, double a, double b) {
  const double way = 0.5 * (std::abs(a) + std::abs(b) - std::abs(a - b));
  return factor.variance * way + factor.constant_variance;
}

Small prior_of(const MarkovFactor& factor, double x) {
  if (factor.kind == Kind::random_walk) return {walked(factor, x, x)};
  return stationary(factor.size());
}

struct FactorStep {
  Small transition{};
  Small kept{};  // of the prior covariance, A P A'
  Small added{};
};

FactorStep step_of(const MarkovFactor& factor, double from, double to) {
  FactorStep step;
  const std::size_t m = factor.size();
  if (factor.kind == Kind::random_walk) {
    const double before = walked(factor, from, from);
    const double both = walked(factor, from, to);
    const double ratio = before > 0.0 ? both / before : 0.0;
    step.transition[0] = ratio;
    step.kept[0] = ratio * both;
    // On the right of 0 that is the step alone.
    step.added[0] = from >= 0.0 ? factor.variance * (to - from)
                                : std::max(walked(factor, to, to) - step.kept[0], 0.0);
    return step;
  }
  constexpr double far = 1000.0;  // where nothing is left
  const double t = std::min((to - from) * rate(factor), far);
  step.transition = matern_transition(t, m);
  step.kept =
      product(product(step.transition, stationary(m), m), transposed(step.transition, m), m);
  step.added = matern_added(t, step.kept, m);
  return step;
}

// `outer` of so many rows gets another one inside: outer ⊗ inner.
std::vector<double> kronecker(const std::vector<double>& outer, std::size_t size,
                              const Small& inner, std::size_t m) {
  const std::size_t rows = size * m;
  std::vector<double> result(rows * rows);
  for (std::size_t column = 0; column < rows; ++column) {
    for (std::size_t row = 0; row < rows; ++row) {
      result[column * rows + row] =
          outer[(column / m) * size + row / m] * inner[(column % m) * m + row % m];
    }
  }
  return result;
}

void add(std::vector<double>& sum, const std::vector<double>& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
}

}  // namespace

std::size_t MarkovFactor::size() const {
  switch (kind) {
    case Kind::matern12:
    case Kind::random_walk:
      return 1;
    case Kind::matern32:
      return 2;
    case Kind::matern52:
      return 3;
  }
  return 0;
}

MarkovProcess::MarkovProcess(std::span<const MarkovFactor> factors)
    : factors_(factors.begin(), factors.end()) {
  for (const MarkovFactor& factor : factors_) size_ *= factor.size();
}

std::vector<double> MarkovProcess::prior(double x) const {
  std::vector<double> result = {1.0};
  std::size_t size = 1;
  for (const MarkovFactor& factor : factors_) {
    result = kronecker(result, size, prior_of(factor, x), factor.size());
    size *= factor.size();
  }
  return result;
}

// Of two factors (B + Q) ⊗ (C + R) − B ⊗ C = B ⊗ R + Q ⊗ C + Q ⊗ R, which loses no digits.
MarkovProcess::Step MarkovProcess::step(double from, double to) const {
  Step result{{1.0}, {0.0}};
  std::vector<double> kept = {1.0};
  std::size_t size = 1;
  for (const MarkovFactor& factor : factors_) {
    const FactorStep own = step_of(factor, from, to);
    const std::size_t m = factor.size();
    std::vector<double> added = kronecker(kept, size, own.added, m);
    add(added, kronecker(result.added, size, own.kept, m));
    add(added, kronecker(result.added, size, own.added, m));
    result.added = std::move(added);
    kept = kronecker(kept, size, own.kept, m);
    result.transition = kronecker(result.transition, size, own.transition, m);
    size *= m;
  }
  return result;
}

}  // namespace covary
