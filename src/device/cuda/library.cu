#include <algorithm>
#include <cstdio>
#include <cstring>

#include "device/cuda/device.h"

// The functions of device/api.h.

namespace covary::device {
namespace {

constexpr int least_capability = 8;  // matrix units that take doubles

void say(Message* message, const std::string& what) {
  if (message != nullptr) std::snprintf(message->text, sizeof message->text, "%s", what.c_str());
}

// Runs `work` on the device; what it throws becomes a status.
template <class Work>
Status guarded(Device& device, Message* message, const Work& work) {
  if (device.is_lost) {
    say(message, "the device was lost before");
    return Status::lost;
  }
  try {
    check(cudaSetDevice(device.index), "the device");
    work();
    return Status::ok;
  } catch (const Failure& failure) {
    if (failure.status == Status::lost) device.is_lost = true;
    say(message, failure.what);
    // What is under way reads what was sent, and writes to memory that others will be given.
    static_cast<void>(cudaDeviceSynchronize());
    return failure.status;
  } catch (const std::exception& error) {
    say(message, error.what());
    static_cast<void>(cudaDeviceSynchronize());
    return Status::no_memory;
  }
}

std::int32_t num_devices(Message* why_none) {
  int runtime = 0;
  int driver = 0;
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    say(why_none, "there is no driver of a GPU");
    return 0;
  }
  if (driver < runtime) {
    say(why_none, "the GPU's driver is for CUDA " + std::to_string(driver / 1000) + "." +
                      std::to_string(driver % 1000 / 10) + ", and " +
                      std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10) +
                      " is needed");
    return 0;
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    say(why_none, error == cudaSuccess ? "there is no GPU" : cudaGetErrorString(error));
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return count;
}

Status describe(std::int32_t index, Description* out, Message* message) {
  cudaDeviceProp properties{};
  if (index < 0 || cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    say(message, "there is no GPU with the number " + std::to_string(index));
    return Status::unavailable;
  }
  int runtime = 0;
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  std::snprintf(out->name, sizeof out->name, "%s", properties.name);
  std::snprintf(out->library, sizeof out->library, "CUDA %d.%d", runtime / 1000,
                runtime % 1000 / 10);
  out->total_bytes = static_cast<double>(properties.totalGlobalMem);
  if (properties.major < least_capability) {
    say(message, std::string("the GPU ") + properties.name + " is too old: it has capability " +
                     std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                     ", and 8.0 is needed");
    return Status::unavailable;
  }
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (cudaSetDevice(index) != cudaSuccess ||
      cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess) {
    say(message, std::string("the GPU ") + properties.name +
                     " does not answer: " + cudaGetErrorString(cudaGetLastError()));
    return Status::unavailable;
  }
  out->free_bytes = static_cast<double>(free_bytes);
  return Status::ok;
}

Device* open(std::int32_t index, Message* message) {
  try {
    return new Device(index);
  } catch (const Failure& failure) {
    static_cast<void>(cudaGetLastError());
    say(message, failure.what);
    return nullptr;
  }
}

void close(Device* device) { delete device; }

Rows* make_rows(Device* device, const RowsData* data, Message* message) {
  std::unique_ptr<Rows> rows;
  guarded(*device, message, [&] {
    auto made = std::make_unique<Rows>();
    const std::size_t n = data->num_rows;
    made->num_rows = n;
    made->num_columns = data->num_columns;
    made->constant_variance = data->constant_variance;
    made->memory = Buffer(device->pool, (data->num_columns + 1) * n * sizeof(double));
    auto* to = made->memory.as<double>();
    // In the order of the stream: a plain copy may still be on its way when it returns, and the
    // stream's kernels would not wait for it, nor it for who had the memory before.
    const auto send = [&](const double* from) {
      check(cudaMemcpyAsync(to, from, n * sizeof(double), cudaMemcpyHostToDevice, device->stream),
            "the rows");
      to += n;
    };
    for (std::size_t c = 0; c < data->num_columns; ++c) send(data->columns[c]);
    send(data->target);
    check(cudaStreamSynchronize(device->stream), "the rows");
    rows = std::move(made);
  });
  return rows.release();
}

void free_rows(Device* /*device*/, Rows* rows) { delete rows; }

Place* make_place_on(Device* device, Rows* rows, const Program* program, Message* message) {
  std::unique_ptr<Place> place;
  guarded(*device, message, [&] { place = make_place(*device, *rows, *program); });
  return place.release();
}

void free_place(Device* /*device*/, Place* place) { delete place; }

double place_bytes(std::size_t num_rows) {
  const double n = static_cast<double>(num_rows);
  if (is_tiled(num_rows)) {
    const double tiles = static_cast<double>(num_rows / tile + 1);
    return sizeof(double) * (tile * tile * (tiles * tiles + 2.0 * tiles) + 64.0 * n);
  }
  constexpr double panels = 2e8;  // parts of the inverse, and what the factor needs beside it
  return sizeof(double) * n * (n + 2000.0) + panels;
}

std::size_t good_batch(Device* /*device*/, std::size_t num_rows) {
  constexpr std::size_t most = 256;
  return is_tiled(num_rows) ? most : 1;
}

// Tiled tasks together and the others one by one, in an order that does not matter.
template <class Task, class Tiled, class Large>
Status all_of(Device& device, Task* tasks, std::size_t num_tasks, const Stop* stop,
              Message* message, const Tiled& tiled, const Large& large) {
  return guarded(device, message, [&] {
    constexpr std::size_t most_together = 1024;
    std::vector<Task> together;
    std::vector<std::size_t> place_of;
    const auto flush = [&] {
      if (!together.empty()) tiled(std::span<Task>(together));
      for (std::size_t i = 0; i < together.size(); ++i) tasks[place_of[i]] = together[i];
      together.clear();
      place_of.clear();
    };
    for (std::size_t i = 0; i < num_tasks; ++i) {
      if (!is_tiled(tasks[i].place->rows->num_rows)) continue;
      together.push_back(tasks[i]);
      place_of.push_back(i);
      if (together.size() == most_together) flush();
    }
    flush();
    for (std::size_t i = 0; i < num_tasks; ++i) {
      if (is_tiled(tasks[i].place->rows->num_rows)) continue;
      if (large(tasks[i], stop)) continue;
      // Who stopped it knows. What is under way still reads what was sent.
      check(cudaStreamSynchronize(device.stream), "the end");
      return;
    }
  });
}

Status values(Device* device, ValueTask* tasks, std::size_t num_tasks, const Stop* stop,
              Message* message) {
  for (std::size_t i = 0; i < num_tasks; ++i) {
    Place& place = *tasks[i].place;
    place.has_value = false;
    place.parameters.assign(tasks[i].parameters,
                            tasks[i].parameters + place.steps.num_parameters + 1);
  }
  return all_of(
      *device, tasks, num_tasks, stop, message,
      [&](std::span<ValueTask> some) { tiled_values(*device, some); },
      [&](ValueTask& task, const Stop* s) { return large_value(*device, task, s); });
}

Status gradients(Device* device, GradientTask* tasks, std::size_t num_tasks, const Stop* stop,
                 Message* message) {
  return all_of(
      *device, tasks, num_tasks, stop, message,
      [&](std::span<GradientTask> some) { tiled_gradients(*device, some); },
      [&](GradientTask& task, const Stop* s) { return large_gradient(*device, task, s); });
}

Status factor_seconds(Device* device, std::size_t num_rows, double* seconds, Message* message) {
  return guarded(*device, message, [&] { *seconds = large_factor_seconds(*device, num_rows); });
}

constexpr Api api = {api_version, formula_names, num_devices,    describe,      open,
                     close,       make_rows,     free_rows,      make_place_on, free_place,
                     place_bytes, good_batch,    factor_seconds, values,        gradients};

}  // namespace
}  // namespace covary::device

const covary::device::Api* covary_device_api() { return &covary::device::api; }
