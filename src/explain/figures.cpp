#include "explain/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "linalg/cholesky.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

double mean_absolute(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += std::abs(value);
  return sum / static_cast<double>(values.size());
}

// What each component says of the rows that were held out, centred as the component is.
struct HeldOut {
  std::vector<double> rest;                       // target less the fold's offset
  std::vector<std::vector<double>> contribution;  // per component
};

// One matrix of the size of the model's, beside it.
class Work {
 public:
  Work(const ComponentAlgebra& algebra, std::size_t num_folds, Random& random)
      : algebra_(algebra),
        folds_(folds_of(algebra.model().data(), num_folds, random)),
        matrix_(algebra.num_rows(), algebra.num_rows()) {
    const std::span<const double> target = algebra.model().data().target();
    held_out_.rest.assign(target.begin(), target.end());
    for (const auto& fold : folds_) {
      alphas_.push_back(algebra.posterior().alpha_without(fold));
      const double constant = algebra.constant_variance() *
                              std::accumulate(alphas_.back().begin(), alphas_.back().end(), 0.0);
      for (const std::size_t row : fold) held_out_.rest[row] -= constant;
    }
  }

  // Cross-validated contribution and evidence of one component, from one Gram matrix.
  std::optional<double> add(std::size_t c) {
    algebra_.gram(c, matrix_);
    add_contribution(c);
    const std::optional<double> without = log_likelihood_without(c);
    if (!without) return std::nullopt;
    return algebra_.posterior().log_marginal_likelihood() - *without;
  }

  const HeldOut& held_out() const { return held_out_; }

 private:
  void add_contribution(std::size_t c) {
    const std::size_t n = algebra_.num_rows();
    std::vector<double> contribution(n);
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const double constant = dot(algebra_.kernel_means(c), alphas_[f]);
      for (const std::size_t row : folds_[f]) {
        contribution[row] = dot({matrix_.column(row), n}, alphas_[f]) - constant;
        held_out_.rest[row] -= constant;
      }
    }
    held_out_.contribution.push_back(std::move(contribution));
  }

  // log N(y | 0, K + σ²I − K_c), beginning with K_c in the matrix; empty if that has no factor.
  std::optional<double> log_likelihood_without(std::size_t c) {
    bool is_there = true;
    const CholeskyOutcome outcome = cholesky(matrix_, [&](Matrix& matrix) {
      if (!is_there) algebra_.gram(c, matrix);
      is_there = false;
      algebra_.subtract_from_covariance(matrix);
    });
    if (!outcome.succeeded) return std::nullopt;
    const std::span<const double> target = algebra_.model().data().target();
    std::vector<double> white(target.begin(), target.end());
    solve_lower(matrix_, white);
    return -0.5 * (dot(white, white) + log_determinant(matrix_) +
                   static_cast<double>(target.size()) * std::log(2.0 * std::numbers::pi));
  }

  const ComponentAlgebra& algebra_;
  std::vector<std::vector<std::size_t>> folds_;
  std::vector<std::vector<double>> alphas_;  // per fold
  Matrix matrix_;
  HeldOut held_out_;
};

void order_greedily(const HeldOut& held_out, ComponentFigures& figures) {
  std::vector<double> rest = held_out.rest;
  figures.offset_error = mean_absolute(rest);
  std::vector<bool> is_taken(held_out.contribution.size(), false);
  for (std::size_t step = 0; step < held_out.contribution.size(); ++step) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < is_taken.size(); ++c) {
      if (is_taken[c]) continue;
      double error = 0.0;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        error += std::abs(rest[i] - held_out.contribution[c][i]);
      }
      if (error < least) {
        least = error;
        best = c;
      }
    }
    is_taken[best] = true;
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= held_out.contribution[best][i];
    figures.order.push_back(best);
    figures.error.push_back(mean_absolute(rest));
  }
}

void share_variance(const ComponentAlgebra& algebra, ComponentFigures& figures) {
  const std::span<const double> target = algebra.model().data().target();
  std::vector<double> rest(target.begin(), target.end());
  const double whole = variance_of(rest);
  double before = whole;
  for (const std::size_t c : figures.order) {
    const std::vector<double>& mean = algebra.means_at_rows(c);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= mean[i];
    const double left = variance_of(rest);
    figures.cumulative.push_back(whole > 0.0 ? 1.0 - left / whole : 0.0);
    figures.added.push_back(whole > 0.0 ? (before - left) / whole : 0.0);
    figures.of_residual.push_back(before > 0.0 ? 1.0 - left / before : 0.0);
    before = left;
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> folds_of(const Dataset& data, std::size_t num_folds,
                                               Random& random) {
  const std::size_t n = data.num_rows();
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (data.is_curve()) {
    const std::span<const double> x = data.input(0);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  } else {
    random.shuffle(rows);
  }
  const std::size_t count = std::clamp<std::size_t>(num_folds, 2, std::max<std::size_t>(n, 2));
  std::vector<std::vector<std::size_t>> folds(count);
  for (std::size_t i = 0; i < n; ++i) folds[i * count / n].push_back(rows[i]);
  std::erase_if(folds, [](const auto& fold) { return fold.empty(); });
  return folds;
}

ComponentFigures component_figures(const ComponentAlgebra& algebra, std::size_t num_folds,
                                   Random& random) {
  ComponentFigures figures;
  Work work(algebra, num_folds, random);
  for (std::size_t c = 0; c < algebra.size(); ++c) figures.evidence_lost.push_back(work.add(c));
  order_greedily(work.held_out(), figures);
  share_variance(algebra, figures);
  return figures;
}

}  // namespace covary
