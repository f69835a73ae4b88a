#include "surrogate/kernel_surrogate.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kernel_distance/transport_table.h"

namespace covary {

KernelSurrogate::KernelSurrogate(SurrogateOptions options)
    : KernelSurrogate(std::make_unique<TransportTable>(), options) {}

KernelSurrogate::KernelSurrogate(std::unique_ptr<DistanceSet> distances, SurrogateOptions options)
    : distances_(std::move(distances)), meta_gp_(options), rows_(distances_->num_parts()) {}

void KernelSurrogate::add(const Expression& kernel, double value) {
  forget_beliefs();
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (known_[i].value || !identical(kernels_[i], kernel)) continue;
    known_[i].value = value;
    return;
  }
  const std::vector<Matrix> row = distances_->distances({&kernel, 1});
  for (std::size_t p = 0; p < row.size(); ++p) {
    rows_[p].insert(rows_[p].end(), row[p].data(), row[p].data() + row[p].num_rows());
  }
  distances_->add(kernel);
  kernels_.push_back(kernel);
  known_.push_back({value, std::nullopt, 0.0});
}

void KernelSurrogate::climb() {
  take_hints();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    known_[i] = {std::nullopt, values_[i], doubts_.empty() ? 0.0 : doubts_[i]};
  }
}

// The line through the pairs of hint and value: of the slope as much as the pairs tell, beside the
// belief that a nat a row stays one.
void KernelSurrogate::take_hints() {
  double count = 0.0;
  double mean_hint = 0.0;
  double mean_value = 0.0;
  bool has_hints = false;
  for (const Known& known : known_) {
    has_hints = has_hints || known.hint;
    if (!known.hint || !known.value) continue;
    ++count;
    mean_hint += (*known.hint - mean_hint) / count;
    mean_value += (*known.value - mean_value) / count;
  }
  double squares = 0.0;
  double products = 0.0;
  double value_squares = 0.0;
  for (const Known& known : known_) {
    if (!known.hint || !known.value) continue;
    squares += (*known.hint - mean_hint) * (*known.hint - mean_hint);
    products += (*known.hint - mean_hint) * (*known.value - mean_value);
    value_squares += (*known.value - mean_value) * (*known.value - mean_value);
  }
  constexpr double pairs_beforehand = 2.0;
  const double belief = count > 0.0 ? pairs_beforehand * squares / count : 0.0;
  const double slope =
      squares > 0.0 ? std::clamp((products + belief) / (squares + belief), 0.2, 5.0) : 1.0;
  const double off =
      std::max(value_squares - 2.0 * slope * products + slope * slope * squares, 0.0);
  const double variance = count > 1.0 ? off / (count - 1.0) : 0.0;
  values_.clear();
  doubts_.clear();
  for (const Known& known : known_) {
    values_.push_back(known.value ? *known.value : mean_value + slope * (*known.hint - mean_hint));
    if (has_hints) doubts_.push_back(known.value ? 0.0 : variance + slope * slope * known.doubt);
  }
}

std::vector<Matrix> KernelSurrogate::distance_matrices() const {
  const std::size_t n = kernels_.size();
  std::vector<Matrix> matrices;
  for (const std::vector<double>& rows : rows_) {
    Matrix& matrix = matrices.emplace_back(n, n);
    const double* next = rows.data();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) matrix(i, j) = matrix(j, i) = *next++;
      matrix(i, i) = 0.0;
    }
  }
  return matrices;
}

MaximizeSummary KernelSurrogate::refit(Random& random) {
  forget_beliefs();
  take_hints();
  return meta_gp_.fit(distance_matrices(), values_, random, doubts_);
}

void KernelSurrogate::condition() {
  forget_beliefs();
  take_hints();
  meta_gp_.condition(distance_matrices(), values_, doubts_);
}

void KernelSurrogate::believe(const Expression& kernel) {
  meta_gp_.believe(distances_->distances({&kernel, 1}));
  distances_->add(kernel);
}

SurrogatePrediction KernelSurrogate::predict(std::span<const Expression> kernels) const {
  return meta_gp_.predict(distances_->distances(kernels));
}

double KernelSurrogate::incumbent() const {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < meta_gp_.fitted_mean().size(); ++i) {
    if (known_[i].value) most = std::max(most, meta_gp_.fitted_mean()[i]);
  }
  return most;
}

bool KernelSurrogate::has_values() const {
  return std::any_of(known_.begin(), known_.end(),
                     [](const Known& known) { return known.value.has_value(); });
}

const Expression& KernelSurrogate::best() const {
  const auto top =
      std::max_element(known_.begin(), known_.end(), [](const Known& a, const Known& b) {
        return a.value < b.value;  // none is the least
      });
  return kernels_[static_cast<std::size_t>(std::distance(known_.begin(), top))];
}

}  // namespace covary
