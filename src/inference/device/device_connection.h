#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <covary/expression.h>

#include "device/api.h"
#include "inference/likelihood.h"

namespace covary {

// The nodes of an expression as devices know them; none if it has a kernel that is not in the
// registry.
std::vector<device::Node> device_nodes(const Expression& kernel);

// One open device. Threads may share it: what they ask for while it is at work goes to it together.
class DeviceConnection {
 public:
  // Null, and why not in one sentence.
  static std::shared_ptr<DeviceConnection> open(const device::Api& api, int index,
                                                std::string& why);
  ~DeviceConnection();
  DeviceConnection(const DeviceConnection&) = delete;
  DeviceConnection& operator=(const DeviceConnection&) = delete;

  const device::Api& api() const { return api_; }
  const device::Description& description() const { return description_; }
  int index() const { return index_; }

  using Rows = std::shared_ptr<device::Rows>;
  using Place = std::unique_ptr<device::Place, std::function<void(device::Place*)>>;
  // Null if there is no memory or no device any more; what() then says so.
  Rows make_rows(const TrainingRows& rows);
  Place make_place(const Rows& rows, const Expression& kernel, std::size_t num_parameters);

  // Whether one place of so many rows fits into what is free; the latter throws Error(memory) with
  // a sentence that says what would.
  bool has_room(std::size_t num_rows) const;
  void check_room(std::size_t num_rows) const;

  // As many places of so many rows as there is memory for, up to `wanted` and at least one. Waits
  // for those who have some. To be given back.
  std::size_t reserve(std::size_t num_rows, std::size_t wanted);
  void give_back(std::size_t num_rows, std::size_t count);

  // Both in one go. `stop` of many rows: then what is left undone is not known.
  struct Request {
    std::vector<device::ValueTask> values = {};
    std::vector<device::GradientTask> gradients = {};
    const std::function<bool()>* stop = nullptr;
    // Results beside those of the tasks.
    device::Status status = device::Status::ok;
    std::string what = {};
    bool is_done = false;
  };
  void run(Request& request);

  // A Cholesky factor alone; 0 where it cannot be measured.
  double factor_seconds(std::size_t num_rows);

  // The first thing that did not work, as one sentence; empty if all went well.
  std::string what() const;

 private:
  DeviceConnection(const device::Api& api, int index, device::Device* device,
                   const device::Description& description);

  void execute(std::span<Request* const> requests);
  void execute_alone(Request& request);
  void note(const std::string& what);

  const device::Api& api_;
  const int index_;
  device::Device* const device_;
  const device::Description description_;
  const double usable_bytes_;

  mutable std::mutex mutex_;  // of what stands below
  std::condition_variable changed_;
  std::vector<Request*> waiting_;
  bool is_at_work_ = false;
  double reserved_bytes_ = 0.0;
  std::string what_;

  std::mutex device_mutex_;  // held by whoever has the device compute
};

}  // namespace covary
