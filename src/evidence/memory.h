#pragma once

#include <cstddef>

#include <covary/device.h>

#include "base/machine_memory.h"

namespace covary {

class Inference;

// What may be taken of this machine's memory.
double usable_bytes();

// Bytes at the peak of one evaluation, of so many models that are conditioned on the rows, and of
// explaining and reporting one of them; what is reckoned here is what bench/memory_benchmark
// measures, and a little more.
double evaluation_bytes(std::size_t num_rows);
double evaluation_bytes(const Inference& inference, std::size_t num_rows);
double models_bytes(std::size_t num_rows, std::size_t num_models = 1);
double report_bytes(std::size_t num_rows, std::size_t num_models = 1);

// Rows that have to be kept of a model of so many.
std::size_t num_kept_rows(std::size_t num_rows);

// Seconds that a model of so many rows will take to be conditioned on them, by all cores; measured
// at the first call, which takes a part of a second.
double model_seconds(std::size_t num_rows);

// Seconds of a value and a gradient of so many rows on so many threads, likewise.
double step_seconds(std::size_t num_rows, std::size_t num_threads);

// Seconds of one thread that fitting and judging a kernel of so many parameters takes, roughly: by
// the usual number of steps from informed starts, or from its own parameters on fewer rows.
double fit_seconds(std::size_t num_rows, std::size_t num_parameters, bool are_known);

// Of more rows, explanations show figures of so many, evenly among all, where they need a matrix
// of the rows beside that of the model.
inline constexpr std::size_t most_explained_rows = 4000;

// As many evaluations at a time as fit into memory, up to `wanted`; at least one.
// Throws Error if a device is demanded that is not there.
std::size_t affordable_threads(std::size_t num_rows, std::size_t wanted,
                               const DeviceChoice& device = DeviceChoice::cpu());

// Throws Error if so many evaluations at a time, or the models that come of them, do not fit into
// memory.
void check_memory(std::size_t num_rows, std::size_t threads, std::size_t num_models = 1);
void check_memory(const Inference& inference, std::size_t num_rows, std::size_t threads,
                  std::size_t num_models = 1);

// The same of models that need no fit: their parameters are known.
void check_models_memory(std::size_t num_rows, std::size_t num_models = 1);

}  // namespace covary
