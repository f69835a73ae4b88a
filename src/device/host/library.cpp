// The functions of device/api.h in plain loops on the host, by the same formulas: what tests load
// where there is no device. Devices have faults that hosts have not; here they can be asked for:
//   COVARY_EMULATED_MEMORY=BYTES   of the whole device
//   COVARY_EMULATED_LIFE=N         the device is lost after so many calls for values or gradients
//   COVARY_EMULATED_DEVICES=N      how many there are, 1 if it is not said
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/api.h"
#include "device/formulas.h"
#include "device/steps.h"

namespace covary::device {

struct Device {
  std::mutex mutex;  // of the memory
  double free_bytes = 0.0;
  long calls_left = 0;
};

struct Rows {
  std::size_t num_rows = 0;
  std::vector<std::vector<double>> columns;
  std::vector<double> target;
  double constant_variance = 0.0;
};

struct Place {
  const Rows* rows = nullptr;
  Steps steps;
  std::vector<double> parameters;
  std::vector<double> constants;  // of all nodes
  std::vector<Lane> features;     // of all nodes, rows of one after another
  std::vector<double> matrix;     // by columns: the factor
  std::vector<double> solution;   // L^-1 y
  bool has_value = false;

  std::size_t size() const { return rows->num_rows; }
  double& at(std::size_t i, std::size_t j) { return matrix[i + j * size()]; }
};

namespace {

double number_of(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::atof(text) : otherwise;
}

void say(Message* message, const std::string& what) {
  std::snprintf(message->text, sizeof message->text, "%s", what.c_str());
}

// ---- one pair of points -----------------------------------------------------------------------

template <class Formula>
void leaf_forward(const double* constants, const Lane& a, const Lane& b, double& value) {
  value = formula_value<Formula>(stored<Formula>(constants), a, b);
}
template <class Formula>
void operator_forward(const Lane& a, const Lane& b, double left, double right, double& value) {
  value = Formula::value(a, b, left, right);
}

void add(const Slopes& slopes, std::int32_t count, double adjoint, double* sums) {
  const double all[] = {slopes.first, slopes.second, slopes.third};
  for (std::int32_t p = 0; p < count; ++p) sums[p] += adjoint * all[p];
}

// Values of all nodes, and from the root's adjoint the slopes by all parameters.
class Pair {
 public:
  Pair(const Place& place, std::size_t row, std::size_t column)
      : place_(place),
        nodes_(place.steps.nodes),
        row_(row),
        column_(column),
        values_(nodes_.size()),
        adjoints_(nodes_.size()) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto [a, b] = lanes(n);
      const double* constants = &place_.constants[n * max_constants];
      const double left = values_[static_cast<std::size_t>(nodes_[n].left)];
      const double right = values_[static_cast<std::size_t>(nodes_[n].right)];
      switch (nodes_[n].function) {
#define COVARY_CASE(name)                                                \
  case function_##name:                                                  \
    leaf_forward<registry::name##_formula>(constants, a, b, values_[n]); \
    break;
        COVARY_BASE_KERNELS(COVARY_CASE)
#undef COVARY_CASE
#define COVARY_CASE(name)                                                      \
  case function_##name:                                                        \
    operator_forward<registry::name##_formula>(a, b, left, right, values_[n]); \
    break;
        COVARY_OPERATORS(COVARY_CASE)
#undef COVARY_CASE
      }
    }
  }

  double value() const { return values_.back(); }

  void backward(double adjoint, double* sums) {
    adjoints_.back() = adjoint;
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      switch (nodes_[n].function) {
#define COVARY_CASE(name)                           \
  case function_##name:                             \
    leaf_slopes<registry::name##_formula>(n, sums); \
    break;
        COVARY_BASE_KERNELS(COVARY_CASE)
#undef COVARY_CASE
#define COVARY_CASE(name)                               \
  case function_##name:                                 \
    operator_slopes<registry::name##_formula>(n, sums); \
    break;
        COVARY_OPERATORS(COVARY_CASE)
#undef COVARY_CASE
      }
    }
  }

 private:
  std::pair<Lane, Lane> lanes(std::size_t n) const {
    const Lane* features = &place_.features[n * place_.size()];
    return {features[row_], features[column_]};
  }

  template <class Formula>
  void leaf_slopes(std::size_t n, double* sums) {
    const auto [a, b] = lanes(n);
    const auto& constants = stored<Formula>(&place_.constants[n * max_constants]);
    add(formula_slopes<Formula>(constants, a, b, values_[n]),
        static_cast<std::int32_t>(Formula::num_parameters), adjoints_[n],
        sums + nodes_[n].parameter);
  }

  template <class Formula>
  void operator_slopes(std::size_t n, double* sums) {
    const auto [a, b] = lanes(n);
    const auto left = static_cast<std::size_t>(nodes_[n].left);
    const auto right = static_cast<std::size_t>(nodes_[n].right);
    const OperatorSlopes slopes = Formula::slopes(a, b, values_[left], values_[right]);
    adjoints_[left] = adjoints_[n] * slopes.left;
    adjoints_[right] = adjoints_[n] * slopes.right;
    add(slopes.parameters, static_cast<std::int32_t>(Formula::num_parameters), adjoints_[n],
        sums + nodes_[n].parameter);
  }

  const Place& place_;
  const std::vector<NodeStep>& nodes_;
  std::size_t row_;
  std::size_t column_;
  std::vector<double> values_;
  std::vector<double> adjoints_;
};

// ---- one matrix -------------------------------------------------------------------------------

void prepare(Place& place) {
  const std::size_t n = place.size();
  place.constants.assign(place.steps.nodes.size() * max_constants, 0.0);
  place.features.assign(place.steps.nodes.size() * n, Lane{});
  for (std::size_t i = 0; i < place.steps.nodes.size(); ++i) {
    const NodeStep& node = place.steps.nodes[i];
    const double* parameters = place.parameters.data() + node.parameter;
    const Shape shape = shape_of(node.function);
    make_constants(node.function, parameters, &place.constants[i * max_constants]);
    for (std::size_t row = 0; row < n; ++row) {
      double x = static_cast<double>(row);
      if (!shape.looks_at_rows && shape.num_features > 0) {
        x = place.rows->columns[static_cast<std::size_t>(node.column)][row];
        if (!shape.is_operator) x /= node.period;
      }
      place.features[i * n + row] = features_of(node.function, parameters, x);
    }
  }
}

bool factor(Place& place) {
  const std::size_t n = place.size();
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = place.at(j, j);
    for (std::size_t k = 0; k < j; ++k) pivot -= place.at(j, k) * place.at(j, k);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    place.at(j, j) = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = place.at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= place.at(i, k) * place.at(j, k);
      place.at(i, j) = sum / place.at(j, j);
    }
  }
  return true;
}

void solve_lower(Place& place, double* x) {
  const std::size_t n = place.size();
  for (std::size_t j = 0; j < n; ++j) {
    x[j] /= place.at(j, j);
    for (std::size_t i = j + 1; i < n; ++i) x[i] -= place.at(i, j) * x[j];
  }
}

void solve_upper(Place& place, double* x) {
  const std::size_t n = place.size();
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t i = j + 1; i < n; ++i) x[j] -= place.at(i, j) * x[i];
    x[j] /= place.at(j, j);
  }
}

void find_value(ValueTask& task) {
  Place& place = *task.place;
  const std::size_t n = place.size();
  const auto num_parameters = static_cast<std::size_t>(place.steps.num_parameters);
  place.parameters.assign(task.parameters, task.parameters + num_parameters + 1);
  prepare(place);
  place.matrix.assign(n * n, 0.0);
  const double noise = place.parameters.back() + task.diagonal;
  double mean = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      place.at(i, j) = Pair(place, i, j).value() + place.rows->constant_variance;
    }
    place.at(j, j) += noise;
    mean += place.at(j, j) / static_cast<double>(n);
  }
  task.mean_diagonal = mean;
  for (std::size_t j = 0; j < n; ++j) place.at(j, j) += task.jitter * mean;
  task.is_factored = factor(place) ? 1 : 0;
  place.has_value = task.is_factored != 0;
  if (!place.has_value) return;
  place.solution = place.rows->target;
  solve_lower(place, place.solution.data());
  task.square = 0.0;
  task.log_determinant = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    task.square += place.solution[i] * place.solution[i];
    task.log_determinant += 2.0 * std::log(place.at(i, i));
  }
}

void find_gradient(GradientTask& task) {
  Place& place = *task.place;
  const std::size_t n = place.size();
  const auto d = static_cast<std::size_t>(place.steps.num_parameters) + 1;
  std::vector<double> alpha = place.solution;
  solve_upper(place, alpha.data());
  std::vector<std::vector<double>> products(d, std::vector<double>(n, 0.0));
  std::vector<double> gradient(d, 0.0);
  std::vector<double> slopes(d);
  std::vector<double> inverse(n);  // a column of K^-1
  for (std::size_t j = 0; j < n; ++j) {
    inverse.assign(n, 0.0);
    inverse[j] = 1.0;
    solve_lower(place, inverse.data());
    solve_upper(place, inverse.data());
    for (std::size_t i = j; i < n; ++i) {
      slopes.assign(d, 0.0);
      Pair(place, i, j).backward(1.0, slopes.data());
      const double share = i == j ? 0.5 : 1.0;
      const double weight = share * (alpha[i] * alpha[j] - inverse[i]);
      for (std::size_t p = 0; p + 1 < d; ++p) {
        gradient[p] += weight * slopes[p];
        products[p][i] += slopes[p] * alpha[j];
        if (i != j) products[p][j] += slopes[p] * alpha[i];
      }
      if (i == j) gradient[d - 1] += weight;
    }
  }
  products[d - 1] = alpha;
  for (std::size_t p = 0; p < d; ++p) task.gradient[p] = gradient[p];
  place.has_value = false;
  if (task.information == nullptr) return;
  for (std::vector<double>& column : products) solve_lower(place, column.data());
  for (std::size_t p = 0; p < d; ++p) {
    for (std::size_t q = 0; q < d; ++q) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += products[p][i] * products[q][i];
      task.information[p + q * d] = 0.5 * sum;
    }
  }
}

// ---- the interface ----------------------------------------------------------------------------

std::int32_t num_devices(Message* why_none) {
  const auto count = static_cast<std::int32_t>(number_of("COVARY_EMULATED_DEVICES", 1.0));
  if (count == 0) say(why_none, "there is no driver of a GPU");
  return count;
}

Status describe(std::int32_t index, Description* out, Message* message) {
  if (index < 0 || index >= num_devices(message)) {
    say(message, "there is no GPU with the number " + std::to_string(index));
    return Status::unavailable;
  }
  std::snprintf(out->name, sizeof out->name, "emulated device");
  std::snprintf(out->library, sizeof out->library, "loops on the host");
  out->total_bytes = out->free_bytes = number_of("COVARY_EMULATED_MEMORY", 1e9);
  return Status::ok;
}

Device* open(std::int32_t /*index*/, Message* /*message*/) {
  auto device = std::make_unique<Device>();
  device->free_bytes = number_of("COVARY_EMULATED_MEMORY", 1e9);
  device->calls_left = static_cast<long>(number_of("COVARY_EMULATED_LIFE", 1e15));
  return device.release();
}

void close(Device* device) { delete device; }

Rows* make_rows(Device* /*device*/, const RowsData* data, Message* /*message*/) {
  auto rows = std::make_unique<Rows>();
  rows->num_rows = data->num_rows;
  for (std::size_t c = 0; c < data->num_columns; ++c) {
    rows->columns.emplace_back(data->columns[c], data->columns[c] + data->num_rows);
  }
  rows->target.assign(data->target, data->target + data->num_rows);
  rows->constant_variance = data->constant_variance;
  return rows.release();
}

void free_rows(Device* /*device*/, Rows* rows) { delete rows; }

double place_bytes(std::size_t num_rows) {
  const auto n = static_cast<double>(num_rows);
  return sizeof(double) * n * n;
}

Place* make_place(Device* device, Rows* rows, const Program* program, Message* message) {
  const double bytes = place_bytes(rows->num_rows);
  const std::lock_guard lock(device->mutex);
  if (bytes > device->free_bytes) {
    say(message, "the device has no more memory");
    return nullptr;
  }
  device->free_bytes -= bytes;
  auto place = std::make_unique<Place>();
  place->rows = rows;
  place->steps = steps_of(*program);
  return place.release();
}

void free_place(Device* device, Place* place) {
  const std::lock_guard lock(device->mutex);
  if (place != nullptr) device->free_bytes += place_bytes(place->rows->num_rows);
  delete place;
}

std::size_t good_batch(Device* /*device*/, std::size_t num_rows) {
  constexpr std::size_t many = 2000;
  constexpr std::size_t most = 256;
  return num_rows <= many ? most : 1;
}

Status factor_seconds(Device* /*device*/, std::size_t /*num_rows*/, double* seconds,
                      Message* /*message*/) {
  *seconds = 0.0;
  return Status::ok;
}

Status state_of(Device* device, Message* message) {
  if (device->calls_left-- > 0) return Status::ok;
  say(message, "the device was lost");
  return Status::lost;
}

bool is_stopped(const Stop* stop) {
  return stop != nullptr && stop->should_stop != nullptr && stop->should_stop(stop->context) != 0;
}

Status values(Device* device, ValueTask* tasks, std::size_t num_tasks, const Stop* stop,
              Message* message) {
  const Status status = state_of(device, message);
  if (status != Status::ok) return status;
  for (std::size_t i = 0; i < num_tasks && !is_stopped(stop); ++i) find_value(tasks[i]);
  return Status::ok;
}

Status gradients(Device* device, GradientTask* tasks, std::size_t num_tasks, const Stop* stop,
                 Message* message) {
  const Status status = state_of(device, message);
  if (status != Status::ok) return status;
  for (std::size_t i = 0; i < num_tasks; ++i) {
    if (!tasks[i].place->has_value) {
      say(message, "a step of the device was cut short");
      return Status::no_memory;
    }
  }
  for (std::size_t i = 0; i < num_tasks && !is_stopped(stop); ++i) find_gradient(tasks[i]);
  return Status::ok;
}

constexpr Api api = {api_version, formula_names, num_devices,    describe,   open,
                     close,       make_rows,     free_rows,      make_place, free_place,
                     place_bytes, good_batch,    factor_seconds, values,     gradients};

}  // namespace
}  // namespace covary::device

const covary::device::Api* covary_device_api() { return &covary::device::api; }
