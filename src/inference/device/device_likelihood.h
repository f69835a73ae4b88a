#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <covary/long_work.h>

#include "inference/device/device_evaluation.h"
#include "inference/likelihood.h"

namespace covary {

// One kernel on some rows, one place at a time, on a device; on the host from the moment on when
// the device fails.
class DeviceLikelihood final : public Likelihood {
 public:
  // Keeps views of the rows.
  DeviceLikelihood(DeviceConnection& device, const Expression& kernel, const TrainingRows& rows,
                   LongWork work);

  double value(std::span<const double> parameters, std::optional<double> diagonal) override;
  void gradient(std::span<double> out) override;
  void information(Matrix& out) override;
  void gradient_and_information(std::span<double> out, Matrix& information) override;
  double diagonal() const override { return host_ ? host_->diagonal() : evaluation_.diagonal(); }
  double jitter() const override { return host_ ? host_->jitter() : evaluation_.jitter(); }

 private:
  bool run(DeviceConnection::Request& request);  // false if the device failed
  bool find_gradient(bool with_information);
  Likelihood& host();

  DeviceConnection& device_;
  Expression kernel_;
  TrainingRows rows_;
  LongWork work_;
  bool was_stopped_ = false;
  std::function<bool()> asking_;
  DeviceEvaluation evaluation_;
  std::optional<double> given_diagonal_;
  std::unique_ptr<Likelihood> host_;
};

}  // namespace covary
