#include "grammar/structure_prior.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace covary {
namespace {

constexpr double share_of_grammar = 0.1;
constexpr double share_of_rare_sentences = 0.05;  // where there are some

// Of a share that sentences have in equal parts, that of a kernel.
double part_of(double share, const std::vector<Expression>& sentences, const Expression& kernel) {
  const bool is_one = std::any_of(sentences.begin(), sentences.end(), [&](const Expression& one) {
    return same_polynomial(one, kernel);
  });
  return is_one ? share / static_cast<double>(sentences.size()) : 0.0;
}

// The number of multisets of at least two items with n base kernels in all, where pool[m] items
// have m of them: Euler's transform, whose terms [0] to [n - 1] are `multisets`.
double joined_in_any_order(const std::vector<double>& pool, std::vector<double>& multisets,
                           std::size_t n) {
  double sum = 0.0;
  for (std::size_t k = 1; k <= n; ++k) {
    double items = 0.0;
    for (std::size_t d = 1; d <= k && d < n; ++d) {
      if (k % d == 0) items += static_cast<double>(d) * pool[d];
    }
    sum += items * multisets[n - k];
  }
  return sum / static_cast<double>(n);
}

double joined_in_order(const std::vector<double>& all, std::size_t n) {
  double sum = 0.0;
  for (std::size_t left = 1; left < n; ++left) sum += all[left] * all[n - left];
  return sum;
}

}  // namespace

std::vector<double> count_kernels(const SearchSpace& space) {
  const std::size_t most = space.max_leaves;
  std::vector<double> all(most + 1, 0.0);
  // Of the kernels that an operator whose operands have no order does not stand on top of.
  struct Pool {
    std::vector<double> items;
    std::vector<double> multisets;  // of one item or more
  };
  std::vector<Pool> pools(space.operators.size(),
                          {std::vector<double>(most + 1, 0.0), std::vector<double>(most + 1, 0.0)});
  for (Pool& pool : pools) pool.multisets[0] = 1.0;
  for (std::size_t n = 1; n <= most; ++n) {
    std::vector<double> on_top(space.operators.size());
    for (std::size_t o = 0; o < space.operators.size(); ++o) {
      const Operator& op = *space.operators[o].op;
      on_top[o] = op.is_commutative && op.is_associative
                      ? joined_in_any_order(pools[o].items, pools[o].multisets, n)
                      : joined_in_order(all, n);
      all[n] += on_top[o];
    }
    if (n == 1) all[n] += static_cast<double>(space.base_kernels.size());
    for (std::size_t o = 0; o < space.operators.size(); ++o) {
      pools[o].items[n] = all[n] - on_top[o];
      pools[o].multisets[n] = on_top[o] + pools[o].items[n];
    }
  }
  return all;
}

StructurePrior::StructurePrior(const SearchSpace& space, std::vector<Expression> usual,
                               std::vector<Expression> rare)
    : usual_(std::move(usual)), rare_(std::move(rare)) {
  const std::vector<double> counts = count_kernels(space);
  const auto num_sizes = static_cast<double>(counts.size() - 1);
  share_.push_back(0.0);
  for (std::size_t n = 1; n < counts.size(); ++n) share_.push_back(1.0 / (num_sizes * counts[n]));
}

double StructurePrior::log_probability(const Expression& kernel) const {
  const double share_of_rare = rare_.empty() ? 0.0 : share_of_rare_sentences;
  const std::size_t n = std::min(kernel.num_leaves(), share_.size() - 1);
  return std::log(share_of_grammar * share_[n] +
                  part_of(1.0 - share_of_grammar - share_of_rare, usual_, kernel) +
                  part_of(share_of_rare, rare_, kernel));
}

}  // namespace covary
