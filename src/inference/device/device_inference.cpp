#include "inference/device/device_inference.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "inference/device/device_evaluation.h"
#include "inference/device/device_likelihood.h"
#include "inference/exact/exact_likelihood.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

const Inference& host_for(std::size_t num_rows) {
  return num_rows <= most_exact_rows ? exact_inference() : sparse_inference();
}

// One walk under way, which waits for a value or for what it wants of the same place.
struct Led {
  const Walk* walk = nullptr;
  DeviceEvaluation evaluation;
  Want want = Want::nothing;  // else a value
};

// Walks of one number of rows side by side: in each round all of them get what they wait for, and
// those that are done make way for others.
class Lockstep {
 public:
  Lockstep(DeviceConnection& device, std::size_t num_threads,
           const std::function<bool()>& should_stop)
      : device_(device), num_threads_(num_threads), should_stop_(should_stop) {}

  void lead(std::span<const Walk* const> walks) {
    const std::size_t num_rows = walks.front()->rows->size();
    const std::size_t most = std::min(device_.api().good_batch(nullptr, num_rows), walks.size());
    const Reserved reserved(device_, num_rows, most);
    std::size_t next = 0;
    bool is_over = false;
    while (true) {
      while (next < walks.size() && led_.size() < reserved.count && !is_over) {
        is_over = should_stop_ && should_stop_();
        if (!is_over) begin(*walks[next++]);
      }
      if (led_.empty()) break;
      if (is_failed_ || !step(num_rows)) finish_on_host();
    }
    free_.clear();
  }

  WalkCosts costs;

 private:
  struct Reserved {
    Reserved(DeviceConnection& connection, std::size_t rows, std::size_t wanted)
        : device(connection), num_rows(rows), count(connection.reserve(rows, wanted)) {}
    Reserved(const Reserved&) = delete;
    Reserved& operator=(const Reserved&) = delete;
    ~Reserved() { device.give_back(num_rows, count); }
    DeviceConnection& device;
    std::size_t num_rows;
    std::size_t count;
  };

  DeviceConnection::Rows rows_on_device(const TrainingRows& rows) {
    auto& found = rows_[&rows];
    if (found == nullptr) found = device_.make_rows(rows);
    return found;
  }

  void begin(const Walk& walk) {
    if (walk.stepper->is_done()) return;
    // What a walk of the same kernel has left is used again.
    const auto key = std::make_pair(walk.kernel, walk.rows);
    auto& spare = free_[key];
    if (!spare.empty()) {
      led_.push_back({&walk, std::move(spare.back())});
      spare.pop_back();
    } else {
      free_.erase(key);
      DeviceConnection::Place place =
          is_failed_ ? nullptr
                     : device_.make_place(rows_on_device(*walk.rows), *walk.kernel,
                                          walk.stepper->place().size() - 1);
      led_.push_back({&walk, DeviceEvaluation(std::move(place), walk.rows->size())});
    }
    Led& led = led_.back();
    if (!led.evaluation.is_possible()) {
      if (costs.remark.empty() && !device_.what().empty()) {
        costs.remark = "the CPU went on for the device: " + device_.what();
      }
      finish_on_host(led);
      led_.pop_back();
      return;
    }
    led.evaluation.move_to(walk.stepper->place(), walk.diagonal);
  }

  // False if the device failed.
  bool step(std::size_t num_rows) {
    DeviceConnection::Request request;
    bool was_stopped = false;
    const std::function<bool()> asking = [&] {
      if (!was_stopped && should_stop_) was_stopped = should_stop_();
      return was_stopped;
    };
    if (num_rows > many_rows) request.stop = &asking;
    for (Led& led : led_) {
      if (led.want == Want::nothing) {
        request.values.push_back(led.evaluation.value_task());
      } else {
        const bool with_information = led.want == Want::gradient_and_curvature;
        request.gradients.push_back(led.evaluation.gradient_task(with_information));
      }
    }
    device_.run(request);
    if (was_stopped) throw WorkStopped();
    if (request.status != device::Status::ok) return false;
    auto value = request.values.begin();
    for (Led& led : led_) {
      Stepper& stepper = *led.walk->stepper;
      if (led.want != Want::nothing) {
        const bool with_information = led.want == Want::gradient_and_curvature;
        stepper.tell_gradient(led.evaluation.gradient(),
                              with_information ? &led.evaluation.information() : nullptr);
        ++costs.gradients;
        led.want = Want::nothing;
      } else {
        if (!led.evaluation.take(*value++)) continue;
        ++costs.values;
        led.want = stepper.tell_value(led.evaluation.value());
        if (led.want != Want::nothing) continue;
      }
      if (!stepper.is_done()) led.evaluation.move_to(stepper.place(), led.walk->diagonal);
    }
    drop_done();
    return true;
  }

  void drop_done() {
    for (std::size_t i = 0; i < led_.size();) {
      if (led_[i].want != Want::nothing || !led_[i].walk->stepper->is_done()) {
        ++i;
        continue;
      }
      free_[{led_[i].walk->kernel, led_[i].walk->rows}].push_back(std::move(led_[i].evaluation));
      if (i + 1 < led_.size()) led_[i] = std::move(led_.back());
      led_.pop_back();
    }
  }

  // From where the device left them. What is to follow is tried on the device again: there may be
  // memory then.
  void finish_on_host() {
    free_.clear();
    if (costs.remark.empty()) costs.remark = "the CPU went on for the device: " + device_.what();
    for (Led& led : led_) finish_on_host(led);
    led_.clear();
    is_failed_ = ++num_failures_ >= most_failures;
  }

  void finish_on_host(Led& led) {
    const Walk& walk = *led.walk;
    Stepper& stepper = *walk.stepper;
    ExactLikelihood likelihood(*walk.kernel, *walk.rows,
                               {.threads = num_threads_, .should_stop = should_stop_});
    std::vector<double> gradient;
    while (led.want != Want::nothing || !stepper.is_done()) {
      const std::span<const double> place = stepper.place();
      const std::size_t size = place.size();
      const double value = likelihood.value(place, walk.diagonal);
      if (led.want == Want::nothing) {
        ++costs.values;
        led.want = stepper.tell_value(value);
      }
      if (led.want == Want::nothing) continue;
      ++costs.gradients;
      gradient.resize(size);
      if (led.want == Want::gradient) {
        likelihood.gradient(gradient);
        stepper.tell_gradient(gradient, nullptr);
      } else {
        Matrix information(size, size);
        likelihood.gradient_and_information(gradient, information);
        stepper.tell_gradient(gradient, &information);
      }
      led.want = Want::nothing;
    }
  }

  static constexpr int most_failures = 3;

  DeviceConnection& device_;
  const std::size_t num_threads_;
  const std::function<bool()>& should_stop_;
  std::vector<Led> led_;
  std::map<std::pair<const Expression*, const TrainingRows*>, std::vector<DeviceEvaluation>> free_;
  std::map<const TrainingRows*, DeviceConnection::Rows> rows_;
  int num_failures_ = 0;
  bool is_failed_ = false;
};

}  // namespace

DeviceInference::DeviceInference(std::shared_ptr<DeviceConnection> device)
    : device_(std::move(device)) {}

std::string DeviceInference::title() const {
  return fmt::format("{} ({})", device_->description().name, device_->description().library);
}

std::unique_ptr<Likelihood> DeviceInference::likelihood(const Expression& kernel,
                                                        const TrainingRows& rows,
                                                        const LongWork& work) const {
  return std::make_unique<DeviceLikelihood>(*device_, kernel, rows, work);
}

std::unique_ptr<const Posterior> DeviceInference::posterior(const Expression& kernel,
                                                            std::span<const double> parameters,
                                                            const TrainingRows& rows,
                                                            const LongWork& work) const {
  return host_for(rows.size()).posterior(kernel, parameters, rows, work);
}

std::size_t DeviceInference::num_support(std::size_t num_rows) const {
  return host_for(num_rows).num_support(num_rows);
}

// Matrices are the device's; of the host, some columns beside them.
double DeviceInference::walk_bytes(std::size_t num_rows) const {
  constexpr double columns = 256.0;
  return sizeof(double) * columns * static_cast<double>(num_rows);
}

double DeviceInference::posterior_bytes(std::size_t num_rows) const {
  return host_for(num_rows).posterior_bytes(num_rows);
}

double DeviceInference::kept_bytes(std::size_t num_rows) const {
  return host_for(num_rows).kept_bytes(num_rows);
}

double DeviceInference::posterior_seconds(std::size_t num_rows, std::size_t num_threads) const {
  return host_for(num_rows).posterior_seconds(num_rows, num_threads);
}

// Of large matrices the device takes one after another: while one thread decides on its next step,
// another's is computed.
std::size_t DeviceInference::useful_threads(std::size_t num_rows, std::size_t wanted) const {
  constexpr std::size_t few = 2;
  const bool is_batched = device_->api().good_batch(nullptr, num_rows) > 1;
  return is_batched ? wanted : std::min(wanted, few);
}

// One thread leads all: the device does the work, and what other threads ask for at the same time
// goes to it together with this.
WalkCosts DeviceInference::lead(std::span<const Walk> walks, std::size_t num_threads,
                                const std::function<bool()>& should_stop) const {
  // Walks of as many rows wait for each other; others do not.
  std::vector<std::pair<std::size_t, std::vector<const Walk*>>> groups;
  for (const Walk& walk : walks) {
    const std::size_t size = walk.rows->size();
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& other) { return other.first == size; });
    if (group == groups.end()) group = groups.insert(group, {size, {}});
    group->second.push_back(&walk);
  }
  WalkCosts costs;
  for (const auto& [size, members] : groups) {
    Lockstep lockstep(*device_, num_threads, should_stop);
    lockstep.lead(members);
    costs += lockstep.costs;
  }
  return costs;
}

}  // namespace covary
