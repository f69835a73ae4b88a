#include "inference/sparse/sparse_state.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "inference/sparse/sparse_posterior.h"

namespace covary {
namespace {

bool is_whole(const SparseState& state, std::size_t num_support) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (state.image.size() != num_support || state.triangle.size() != triangle_size(num_support) ||
      state.num_rows < num_support || !(state.jitter >= 0.0 && state.jitter < 1.0) ||
      !std::all_of(state.image.begin(), state.image.end(), is_finite) ||
      !std::all_of(state.triangle.begin(), state.triangle.end(), is_finite)) {
    return false;
  }
  std::size_t diagonal = 0;
  for (std::size_t j = 0; j < num_support; ++j) {
    if (!(state.triangle[diagonal] > 0.0)) return false;
    diagonal += num_support - j;
  }
  return true;
}

}  // namespace

SparseState state_of(const Posterior& posterior) {
  const SparseSystem& system = dynamic_cast<const SparsePosterior&>(posterior).system();
  SparseState state{posterior.num_rows(),
                    system.jitter,
                    posterior.log_marginal_likelihood_interval(),
                    system.posterior.image,
                    {}};
  const std::size_t m = system.posterior.image.size();
  state.triangle.reserve(triangle_size(m));
  for (std::size_t j = 0; j < m; ++j) {
    const double* column = system.posterior.factor.column(j);
    state.triangle.insert(state.triangle.end(), column + j, column + m);
  }
  return state;
}

std::unique_ptr<const Posterior> restored_posterior(const Expression& kernel,
                                                    std::span<const double> parameters,
                                                    const TrainingRows& support,
                                                    const SparseState& state,
                                                    const LongWork& work) {
  const std::size_t m = support.size();
  if (!is_whole(state, m)) return nullptr;
  std::vector<std::size_t> all(m);
  std::iota(all.begin(), all.end(), std::size_t{0});
  SparseRows rows(kernel, parameters, support, std::move(all), OwnPart::none);
  SparseSystem system;
  const CholeskyOutcome outcome = factor_support(rows, state.jitter, system.support_factor, work);
  // With more jitter it would be the L of another R.
  if (!outcome.succeeded || outcome.jitter > 0.0) return nullptr;
  system.posterior.factor = Matrix(m, m);
  std::fill_n(system.posterior.factor.data(), m * m, 0.0);
  auto next = state.triangle.begin();
  for (std::size_t j = 0; j < m; ++j) {
    const auto end = next + static_cast<std::ptrdiff_t>(m - j);
    std::copy(next, end, system.posterior.factor.column(j) + j);
    next = end;
  }
  system.posterior.image = state.image;
  system.jitter = state.jitter;
  return std::make_unique<SparsePosterior>(std::move(rows), std::move(system),
                                           state.log_marginal_likelihood, state.num_rows);
}

}  // namespace covary
