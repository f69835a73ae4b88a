#pragma once

#include <optional>
#include <span>
#include <vector>

#include "inference/device/device_connection.h"
#include "linalg/matrix.h"

namespace covary {

// What a device computes at one place for a kernel on some rows, put into tasks and taken out of
// what it found.
class DeviceEvaluation {
 public:
  // `place` may be null: then nothing can be evaluated.
  DeviceEvaluation(DeviceConnection::Place place, std::size_t num_rows);

  bool is_possible() const { return place_ != nullptr; }

  void move_to(std::span<const double> parameters, std::optional<double> diagonal);
  device::ValueTask value_task() const;
  // False if a value has to be asked for again, with more on the diagonal.
  bool take(const device::ValueTask& found);

  device::GradientTask gradient_task(bool with_information);
  std::span<const double> gradient() const { return gradient_; }
  const Matrix& information() const { return information_; }

  const std::vector<double>& parameters() const { return parameters_; }
  double value() const { return value_; }        // minus infinity where there is none
  double diagonal() const { return diagonal_; }  // both as Likelihood has them
  double jitter() const { return jitter_; }

 private:
  DeviceConnection::Place place_;
  std::size_t num_rows_;
  std::vector<double> parameters_;
  std::optional<double> given_diagonal_;
  std::size_t attempt_ = 0;  // among the jitters
  double value_ = 0.0;
  double diagonal_ = 0.0;
  double jitter_ = 0.0;
  std::vector<double> gradient_;
  Matrix information_;
};

}  // namespace covary
