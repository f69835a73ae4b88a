#include "inference/device/device_likelihood.h"

#include <algorithm>
#include <utility>

#include "inference/exact/exact_likelihood.h"
#include "linalg/large_factor.h"

namespace covary {

DeviceLikelihood::DeviceLikelihood(DeviceConnection& device, const Expression& kernel,
                                   const TrainingRows& rows, LongWork work)
    : device_(device),
      kernel_(kernel),
      rows_(rows),
      work_(std::move(work)),
      asking_([this] {
        if (!was_stopped_ && work_.should_stop) was_stopped_ = work_.should_stop();
        return was_stopped_;
      }),
      evaluation_(device.make_place(device.make_rows(rows), kernel,
                                    CompiledKernel(kernel).num_parameters()),
                  rows.size()) {
  if (!evaluation_.is_possible()) host();
}

Likelihood& DeviceLikelihood::host() {
  if (host_ == nullptr) {
    host_ = std::make_unique<ExactLikelihood>(kernel_, rows_, work_);
  }
  return *host_;
}

bool DeviceLikelihood::run(DeviceConnection::Request& request) {
  was_stopped_ = false;
  if (rows_.size() > many_rows) {
    request.stop = &asking_;
    if (asking_()) throw WorkStopped();
  }
  device_.run(request);
  if (was_stopped_) throw WorkStopped();
  return request.status == device::Status::ok;
}

double DeviceLikelihood::value(std::span<const double> parameters, std::optional<double> diagonal) {
  if (host_ != nullptr) return host_->value(parameters, diagonal);
  evaluation_.move_to(parameters, diagonal);
  given_diagonal_ = diagonal;
  while (true) {
    DeviceConnection::Request request;
    request.values.push_back(evaluation_.value_task());
    if (!run(request)) return host().value(parameters, diagonal);
    if (evaluation_.take(request.values.front())) return evaluation_.value();
  }
}

// False if the host has to: it is at the same place then.
bool DeviceLikelihood::find_gradient(bool with_information) {
  if (host_ != nullptr) return false;
  DeviceConnection::Request request;
  request.gradients.push_back(evaluation_.gradient_task(with_information));
  if (run(request)) return true;
  host().value(evaluation_.parameters(), given_diagonal_);
  return false;
}

void DeviceLikelihood::gradient(std::span<double> out) {
  if (!find_gradient(false)) {
    host().gradient(out);
    return;
  }
  std::copy(evaluation_.gradient().begin(), evaluation_.gradient().end(), out.begin());
}

void DeviceLikelihood::information(Matrix& out) {
  if (find_gradient(true)) {
    out = Matrix::copy_of(evaluation_.information());
  } else {
    host().information(out);
  }
}

void DeviceLikelihood::gradient_and_information(std::span<double> out, Matrix& information) {
  if (!find_gradient(true)) {
    host().gradient_and_information(out, information);
    return;
  }
  std::copy(evaluation_.gradient().begin(), evaluation_.gradient().end(), out.begin());
  information = Matrix::copy_of(evaluation_.information());
}

}  // namespace covary
