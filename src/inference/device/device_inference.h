#pragma once

#include <memory>

#include "inference/device/device_connection.h"
#include "inference/inference.h"

namespace covary {

// Likelihoods as those of exact_inference(), to rounding, computed on a device, where walks are led
// in step. Posteriors are its own. What the device cannot do, or no longer, the host does.
class DeviceInference final : public Inference {
 public:
  explicit DeviceInference(std::shared_ptr<DeviceConnection> device);

  const DeviceConnection& device() const { return *device_; }
  std::string title() const;  // "NVIDIA H200 (CUDA 13.0)"

  std::unique_ptr<Likelihood> likelihood(const Expression& kernel, const TrainingRows& rows,
                                         const LongWork& work) const override;
  std::unique_ptr<const Posterior> posterior(const Expression& kernel,
                                             std::span<const double> parameters,
                                             const TrainingRows& rows,
                                             const LongWork& work) const override;
  std::size_t num_support(std::size_t num_rows) const override;
  double walk_bytes(std::size_t num_rows) const override;
  double posterior_bytes(std::size_t num_rows) const override;
  double kept_bytes(std::size_t num_rows) const override;
  double posterior_seconds(std::size_t num_rows, std::size_t num_threads) const override;
  std::size_t useful_threads(std::size_t num_rows, std::size_t wanted) const override;
  WalkCosts lead(std::span<const Walk> walks, std::size_t num_threads,
                 const std::function<bool()>& should_stop) const override;

 private:
  std::shared_ptr<DeviceConnection> device_;
};

}  // namespace covary
