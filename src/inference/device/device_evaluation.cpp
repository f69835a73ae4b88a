#include "inference/device/device_evaluation.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include "linalg/cholesky.h"

namespace covary {

DeviceEvaluation::DeviceEvaluation(DeviceConnection::Place place, std::size_t num_rows)
    : place_(std::move(place)), num_rows_(num_rows) {}

void DeviceEvaluation::move_to(std::span<const double> parameters, std::optional<double> diagonal) {
  parameters_.assign(parameters.begin(), parameters.end());
  given_diagonal_ = diagonal;
  attempt_ = 0;
}

device::ValueTask DeviceEvaluation::value_task() const {
  device::ValueTask task;
  task.place = place_.get();
  task.parameters = parameters_.data();
  task.diagonal = given_diagonal_.value_or(0.0);
  task.jitter = jitters[attempt_];
  return task;
}

bool DeviceEvaluation::take(const device::ValueTask& found) {
  value_ = -std::numeric_limits<double>::infinity();
  if (found.is_factored == 0) {
    // With a given diagonal, more of it would be another function.
    const bool is_hopeless = given_diagonal_ || !std::isfinite(found.mean_diagonal);
    return is_hopeless || ++attempt_ == std::size(jitters);
  }
  jitter_ = given_diagonal_ ? *given_diagonal_ / found.mean_diagonal : found.jitter;
  diagonal_ = given_diagonal_.value_or(found.jitter * found.mean_diagonal);
  const auto n = static_cast<double>(num_rows_);
  const double value =
      -0.5 * (found.square + found.log_determinant + n * std::log(2.0 * std::numbers::pi));
  if (std::isfinite(value)) value_ = value;
  return true;
}

device::GradientTask DeviceEvaluation::gradient_task(bool with_information) {
  const std::size_t size = parameters_.size();
  gradient_.resize(size);
  if (with_information && information_.num_rows() != size) information_ = Matrix(size, size);
  device::GradientTask task;
  task.place = place_.get();
  task.gradient = gradient_.data();
  task.information = with_information ? information_.data() : nullptr;
  return task;
}

}  // namespace covary
