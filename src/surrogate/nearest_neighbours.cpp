#include "surrogate/nearest_neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace covary {
namespace {

double mean_value(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// guesses[k - 1] is the average of the k nearest of `near`; ties go by place. Fewer if fewer are
// near at all.
std::vector<double> guesses(std::span<const std::size_t> near, const double* distances,
                            std::span<const double> values, std::size_t max_neighbours) {
  std::vector<std::size_t> order;
  for (const std::size_t i : near) {
    if (std::isfinite(distances[i])) order.push_back(i);
  }
  const std::size_t count = std::min(max_neighbours, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
                    });
  std::vector<double> averages;
  double sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    sum += values[order[k]];
    averages.push_back(sum / static_cast<double>(k + 1));
  }
  return averages;
}

}  // namespace

void NearestNeighbours::fit(const Matrix& distances, std::span<const double> values,
                            Random& random) {
  values_.assign(values.begin(), values.end());
  num_neighbours_ = 1;
  const std::size_t n = values.size();
  const std::size_t num_folds = std::min(options_.folds, n);
  if (num_folds < 2) return;
  // Every thing in one fold, at random, the folds of equal size.
  const std::vector<std::size_t> shuffled = random.permutation(n);
  std::vector<double> errors(options_.max_neighbours, 0.0);
  for (std::size_t fold = 0; fold < num_folds; ++fold) {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> left_out;
    for (std::size_t i = 0; i < n; ++i) {
      (i % num_folds == fold ? left_out : kept).push_back(shuffled[i]);
    }
    std::sort(kept.begin(), kept.end());
    double sum = 0.0;
    for (const std::size_t i : kept) sum += values[i];
    for (const std::size_t i : left_out) {
      const std::vector<double> by_k =
          guesses(kept, distances.column(i), values, options_.max_neighbours);
      for (std::size_t k = 0; k < errors.size(); ++k) {
        const double guess = by_k.empty() ? sum / static_cast<double>(kept.size())
                                          : by_k[std::min(k, by_k.size() - 1)];
        errors[k] += (values[i] - guess) * (values[i] - guess);
      }
    }
  }
  const auto best = std::min_element(errors.begin(), errors.end());
  num_neighbours_ = static_cast<std::size_t>(best - errors.begin()) + 1;
}

std::vector<double> NearestNeighbours::predict(const Matrix& cross) const {
  std::vector<std::size_t> all(values_.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<double> predictions;
  for (std::size_t j = 0; j < cross.num_columns(); ++j) {
    const std::vector<double> by_k = guesses(all, cross.column(j), values_, num_neighbours_);
    predictions.push_back(by_k.empty() ? mean_value(values_) : by_k.back());
  }
  return predictions;
}

}  // namespace covary
