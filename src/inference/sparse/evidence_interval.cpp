#include "inference/sparse/evidence_interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "base/checkpoint.h"
#include "linalg/cholesky.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

// Of y' (K + Λ)^-1 y.
struct Bounds {
  double lower = 0.0;
  double upper = 0.0;
};

// y' Λ^-1 y
double scaled_square(const SparseRows& rows) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += rows.target()[i] * rows.target()[i] / rows.noise()[i];
  }
  return sum;
}

// y' (Q + sΛ)^-1 y, by the factor of sI + A A'.
double quadratic(const SparseRows& rows, const SparseSystem& system, const Matrix& factor,
                 double s) {
  std::vector<double> image = system.bound().image;
  solve_lower(factor, image);
  return (scaled_square(rows) - dot(image, image)) / s;
}

// K + Λ is at least Q + Λ, and at most Q + (1 + t)Λ.
Bounds bounds_by_trace(const SparseRows& rows, const SparseSystem& system, double trace,
                       const LongWork& work) {
  Bounds bounds;
  bounds.upper = quadratic(rows, system, system.bound().factor, 1.0);
  const std::size_t m = system.bound().square.size();
  Matrix wider(m, m);
  const CholeskyOutcome outcome = large_cholesky(
      wider,
      [&](Matrix& matrix) {
        for (std::size_t j = 0; j < m; ++j) {
          matrix(j, j) = 1.0 + trace + system.bound().square[j];
          for (std::size_t i = j + 1; i < m; ++i) matrix(i, j) = system.bound().factor(j, i);
        }
      },
      work);
  // Without that factor there is still that a square is not negative.
  if (outcome.succeeded && outcome.jitter == 0.0) {
    bounds.lower = std::max(quadratic(rows, system, wider, 1.0 + trace), 0.0);
  }
  return bounds;
}

// Conjugate gradients for (K + Λ) v = y, preconditioned by Q + Λ. Of v and the residual r,
//   y' (K + Λ)^-1 y = v' (K + Λ) v + r' (K + Λ)^-1 r,
// of which the first part adds up step by step, and the second is at most r' (Q + Λ)^-1 r.
Bounds bounds_by_products(const SparseRows& rows, const SparseSystem& system, double most,
                          std::size_t num_products, double enough, const LongWork& work) {
  constexpr double share_of_product = 0.8;
  Bounds bounds{0.0, most};
  std::vector<double> residual(rows.target().begin(), rows.target().end());
  std::vector<double> solved = residual;
  const double begun = 0.05;
  solve_system(rows, system, solved, part_of(work, 0.0, begun));
  std::vector<double> direction = solved;
  double left = dot(residual, solved);
  for (std::size_t step = 0; step < num_products && left > enough; ++step) {
    const double width = (1.0 - begun) / static_cast<double>(num_products);
    const double from = begun + width * static_cast<double>(step);
    const double middle = from + share_of_product * width;
    std::vector<double> product = rows.product(direction, part_of(work, from, middle));
    for (std::size_t i = 0; i < rows.size(); ++i) product[i] += rows.noise()[i] * direction[i];
    const double length = left / dot(direction, product);
    bounds.lower += length * left;
    for (std::size_t i = 0; i < rows.size(); ++i) residual[i] -= length * product[i];
    solved = residual;
    solve_system(rows, system, solved, part_of(work, middle, from + width));
    const double next = std::max(dot(residual, solved), 0.0);
    bounds.upper = std::min(bounds.upper, bounds.lower + next);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      direction[i] = solved[i] + next / left * direction[i];
    }
    left = next;
  }
  return bounds;
}

}  // namespace

Posterior::Interval evidence_interval(const SparseRows& rows, const SparseSystem& system,
                                      std::size_t num_products, const LongWork& work) {
  const auto n = static_cast<double>(rows.size());
  double log_determinant_of_noise = 0.0;
  double trace = 0.0;  // of Λ^-1 (K - Q)
  for (std::size_t i = 0; i < rows.size(); ++i) {
    log_determinant_of_noise += std::log(rows.noise()[i]);
    trace += system.rest[i] / rows.noise()[i];
  }
  const double least = log_determinant_of_noise + log_determinant(system.bound().factor);
  // A determinant is at most that of equal eigenvalues of the same sum, and at most that of its
  // blocks: neighbours explain each other.
  double most = least + n * std::log1p(trace / n);
  if (rows.own_part() != OwnPart::none) {
    most = std::min(most, log_determinant(system.bound().factor) + system.own_log_determinant);
  }
  Bounds bounds = bounds_by_trace(rows, system, trace, part_of(work, 0.0, 0.05));
  if (num_products > 0) {
    constexpr double enough = 0.1;  // of what is not known of the determinant
    const Bounds closer = bounds_by_products(rows, system, bounds.upper, num_products,
                                             enough * (most - least), part_of(work, 0.05, 1.0));
    bounds = {std::max(bounds.lower, closer.lower), std::min(bounds.upper, closer.upper)};
  }
  Checkpoint(work, 1.0).pass(1.0);  // the rest, which was not needed
  const double constant = n * std::log(2.0 * std::numbers::pi);
  return {-0.5 * (most + bounds.upper + constant), -0.5 * (least + bounds.lower + constant)};
}

}  // namespace covary
