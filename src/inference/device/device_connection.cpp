#include "inference/device/device_connection.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/option_text.h>

namespace covary {
namespace {

// Of the memory that is free when a device is opened: what is at work beside the places needs some.
constexpr double usable = 0.85;

// Whether `kernel` stands at this place of the registry. Kernels with the same numbers are the same
// to a device, by whatever name.
template <class Item>
std::size_t place_of(std::span<const Item* const> items, const Item& wanted) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item* item) {
    return item->numerics == wanted.numerics;
  });
  return static_cast<std::size_t>(found - items.begin());
}

bool add_nodes(const Expression& expression, std::size_t& num_parameters,
               std::vector<device::Node>& nodes) {
  device::Node node;
  node.first_parameter = static_cast<std::int32_t>(num_parameters);
  const std::size_t num_kernels = all_base_kernels().size();
  if (expression.is_leaf()) {
    const BoundKernel& leaf = expression.base_kernel();
    const std::size_t place = place_of(all_base_kernels(), *leaf.kernel);
    if (place == num_kernels) return false;
    node.function = static_cast<std::int32_t>(place);
    node.column = static_cast<std::int32_t>(leaf.column);
    node.period = leaf.period;
    num_parameters += leaf.kernel->parameters.size();
  } else {
    const BoundOperator& op = expression.op();
    const std::size_t place = place_of(all_operators(), *op.op);
    if (place == all_operators().size()) return false;
    node.function = static_cast<std::int32_t>(num_kernels + place);
    node.column = static_cast<std::int32_t>(op.column);
    num_parameters += op.op->parameters.size();
    if (!add_nodes(expression.left(), num_parameters, nodes)) return false;
    node.left = static_cast<std::int32_t>(nodes.size()) - 1;
    if (!add_nodes(expression.right(), num_parameters, nodes)) return false;
    node.right = static_cast<std::int32_t>(nodes.size()) - 1;
  }
  nodes.push_back(node);
  return true;
}

std::int32_t ask(void* context) {
  const auto& should_stop = *static_cast<const std::function<bool()>*>(context);
  return should_stop && should_stop() ? 1 : 0;
}

}  // namespace

std::vector<device::Node> device_nodes(const Expression& kernel) {
  std::vector<device::Node> nodes;
  std::size_t num_parameters = 0;
  if (!add_nodes(kernel, num_parameters, nodes)) nodes.clear();
  return nodes;
}

std::shared_ptr<DeviceConnection> DeviceConnection::open(const device::Api& api, int index,
                                                         std::string& why) {
  device::Message message;
  device::Description description;
  if (api.num_devices(&message) <= index && *message.text != '\0') {
    why = message.text;
    return nullptr;
  }
  if (api.describe(index, &description, &message) != device::Status::ok) {
    why = message.text;
    return nullptr;
  }
  device::Device* device = api.open(index, &message);
  if (device == nullptr) {
    why = message.text;
    return nullptr;
  }
  return std::shared_ptr<DeviceConnection>(new DeviceConnection(api, index, device, description));
}

DeviceConnection::DeviceConnection(const device::Api& api, int index, device::Device* device,
                                   const device::Description& description)
    : api_(api),
      index_(index),
      device_(device),
      description_(description),
      usable_bytes_(usable * description.free_bytes) {}

DeviceConnection::~DeviceConnection() { api_.close(device_); }

std::string DeviceConnection::what() const {
  const std::lock_guard lock(mutex_);
  return what_;
}

void DeviceConnection::note(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (what_.empty()) what_ = what;
}

double DeviceConnection::factor_seconds(std::size_t num_rows) {
  const std::lock_guard lock(device_mutex_);
  double seconds = 0.0;
  device::Message message;
  static_cast<void>(api_.factor_seconds(device_, num_rows, &seconds, &message));
  return seconds;
}

DeviceConnection::Rows DeviceConnection::make_rows(const TrainingRows& rows) {
  std::vector<const double*> columns;
  for (const std::span<const double>& column : rows.inputs) columns.push_back(column.data());
  const device::RowsData data = {columns.data(), columns.size(), rows.size(), rows.target.data(),
                                 rows.constant_variance};
  device::Message message;
  device::Rows* made = api_.make_rows(device_, &data, &message);
  if (made == nullptr) {
    note(message.text);
    return nullptr;
  }
  return {made, [this](device::Rows* old) { api_.free_rows(device_, old); }};
}

DeviceConnection::Place DeviceConnection::make_place(const Rows& rows, const Expression& kernel,
                                                     std::size_t num_parameters) {
  const std::vector<device::Node> nodes = device_nodes(kernel);
  if (rows == nullptr || nodes.empty()) return nullptr;
  const device::Program program = {nodes.data(), nodes.size(), num_parameters};
  device::Message message;
  device::Place* made = api_.make_place(device_, rows.get(), &program, &message);
  if (made == nullptr) note(message.text);
  return {made, [this, rows](device::Place* old) { api_.free_place(device_, old); }};
}

bool DeviceConnection::has_room(std::size_t num_rows) const {
  return api_.place_bytes(num_rows) <= usable_bytes_;
}

void DeviceConnection::check_room(std::size_t num_rows) const {
  if (has_room(num_rows)) return;
  std::size_t fitting = 1;
  std::size_t too_many = num_rows;
  while (too_many - fitting > 1) {
    const std::size_t middle = fitting + (too_many - fitting) / 2;
    (has_room(middle) ? fitting : too_many) = middle;
  }
  constexpr std::size_t round = 100;
  if (fitting > round) fitting = fitting / round * round;
  constexpr double gigabyte = 1e9;
  throw Error(
      ErrorKind::memory,
      fmt::format("the exact likelihood of {} rows needs {:.1f} GB of the device's memory, "
                  "and {} can give it {:.1f} GB; at most {} rows fit: {}, or "
                  "{}",
                  num_rows, api_.place_bytes(num_rows) / gigabyte, description_.name,
                  usable_bytes_ / gigabyte, fitting, option_text("rows", std::to_string(fitting)),
                  option_text("device", "cpu")));
}

std::size_t DeviceConnection::reserve(std::size_t num_rows, std::size_t wanted) {
  const double bytes = api_.place_bytes(num_rows);
  std::unique_lock lock(mutex_);
  const auto num_free = [&] {
    const double fitting = (usable_bytes_ - reserved_bytes_) / bytes;
    return fitting < 1.0 ? std::size_t{0} : static_cast<std::size_t>(fitting);
  };
  changed_.wait(lock, [&] { return num_free() > 0 || reserved_bytes_ == 0.0; });
  const std::size_t count = std::clamp<std::size_t>(num_free(), 1, wanted);
  reserved_bytes_ += bytes * static_cast<double>(count);
  return count;
}

void DeviceConnection::give_back(std::size_t num_rows, std::size_t count) {
  const std::lock_guard lock(mutex_);
  reserved_bytes_ -= api_.place_bytes(num_rows) * static_cast<double>(count);
  if (reserved_bytes_ < 1.0) reserved_bytes_ = 0.0;
  changed_.notify_all();
}

void DeviceConnection::run(Request& request) {
  std::unique_lock lock(mutex_);
  waiting_.push_back(&request);
  changed_.wait(lock, [&] { return request.is_done || !is_at_work_; });
  if (request.is_done) return;
  is_at_work_ = true;
  const std::vector<Request*> requests = std::exchange(waiting_, {});
  lock.unlock();
  execute(requests);
  lock.lock();
  is_at_work_ = false;
  for (Request* done : requests) {
    done->is_done = true;
    if (done->status != device::Status::ok && what_.empty()) what_ = done->what;
  }
  changed_.notify_all();
}

// Small matrices of all together, then those that somebody may stop. What failed for lack of memory
// is done again by itself.
void DeviceConnection::execute(std::span<Request* const> requests) {
  const std::lock_guard lock(device_mutex_);
  std::vector<Request*> together;
  for (Request* request : requests) {
    if (request->stop == nullptr) together.push_back(request);
  }
  if (together.size() > 1) {
    Request all;
    for (const Request* request : together) {
      all.values.insert(all.values.end(), request->values.begin(), request->values.end());
      all.gradients.insert(all.gradients.end(), request->gradients.begin(),
                           request->gradients.end());
    }
    execute_alone(all);
    auto next = all.values.begin();
    for (Request* request : together) {
      request->status = all.status;
      request->what = all.what;
      const auto size = static_cast<std::ptrdiff_t>(request->values.size());
      std::copy_n(next, size, request->values.begin());
      next += size;
    }
  }
  for (Request* request : requests) {
    const bool is_left = request->stop != nullptr || together.size() == 1 ||
                         request->status == device::Status::no_memory;
    if (is_left) execute_alone(*request);
  }
}

void DeviceConnection::execute_alone(Request& request) {
  device::Message message;
  device::Stop stop;
  if (request.stop != nullptr) {
    stop = {ask, const_cast<std::function<bool()>*>(request.stop)};
  }
  request.status = device::Status::ok;
  if (!request.gradients.empty()) {
    request.status = api_.gradients(device_, request.gradients.data(), request.gradients.size(),
                                    &stop, &message);
  }
  if (request.status == device::Status::ok && !request.values.empty()) {
    request.status =
        api_.values(device_, request.values.data(), request.values.size(), &stop, &message);
  }
  request.what = message.text;
}

}  // namespace covary
