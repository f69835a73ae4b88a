#include "evidence/memory.h"

#include <algorithm>
#include <functional>
#include <string>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/long_work.h>
#include <covary/option_text.h>

#include "inference/inference.h"
#include "linalg/blas_place.h"

namespace covary {
namespace {

// Of what is there: other programs and our own small things have to live as well.
constexpr double usable = 0.9;
// On top of the matrices: what BLAS keeps for itself, columns of derivatives.
constexpr double small_things = 1.1;

// The most rows whose bytes there is room for.
std::size_t most_rows(const std::function<double(std::size_t)>& bytes, std::size_t too_many) {
  const double available = usable_bytes();
  std::size_t fitting = 1;
  while (too_many - fitting > 1) {
    const std::size_t middle = fitting + (too_many - fitting) / 2;
    (bytes(middle) <= available ? fitting : too_many) = middle;
  }
  constexpr std::size_t round = 100;
  return fitting > round ? fitting / round * round : fitting;
}

void check(const std::function<double(std::size_t)>& bytes, std::size_t num_rows,
           const std::string& what, const std::string& otherwise) {
  const BlasPlace needed_by_all;  // whose message is the better one where it is not there
  const double needed = bytes(num_rows);
  if (needed <= usable_bytes()) return;
  throw Error(
      ErrorKind::memory,
      fmt::format("{} {} of memory, and this machine can give it {}; "
                  "at most {} rows fit: {}{}",
                  what, gigabytes(needed), gigabytes(usable_bytes()), most_rows(bytes, num_rows),
                  option_text("rows", std::to_string(most_rows(bytes, num_rows))), otherwise));
}

}  // namespace

double usable_bytes() { return usable * machine_bytes(); }

double evaluation_bytes(std::size_t num_rows) {
  return evaluation_bytes(inference_for(num_rows), num_rows);
}

double evaluation_bytes(const Inference& inference, std::size_t num_rows) {
  // Leave-one-out asks a model's posterior.
  return small_things *
         std::max(inference.walk_bytes(num_rows), inference.posterior_bytes(num_rows));
}

double models_bytes(std::size_t num_rows, std::size_t num_models) {
  const Inference& inference = inference_for(num_rows);
  return small_things * (static_cast<double>(num_models - 1) * inference.kept_bytes(num_rows) +
                         inference.posterior_bytes(num_rows));
}

std::size_t num_kept_rows(std::size_t num_rows) {
  return inference_for(num_rows).num_support(num_rows);
}

double model_seconds(std::size_t num_rows) {
  return inference_for(num_rows).posterior_seconds(num_rows, LongWork{}.num_threads());
}

double step_seconds(std::size_t num_rows, std::size_t num_threads) {
  constexpr double factors = 3.0;  // the factor, and an inverse of twice its operations
  return factors * inference_for(num_rows).posterior_seconds(num_rows, num_threads);
}

double fit_seconds(std::size_t num_rows, std::size_t num_parameters, bool are_known) {
  const double steps = are_known ? 10.0 : 30.0;
  const double more_for_each = 2.0;
  return (steps + more_for_each * static_cast<double>(num_parameters)) * step_seconds(num_rows, 1);
}

double report_bytes(std::size_t num_rows, std::size_t num_models) {
  // The posteriors of the models, of which one has more asked of it than predictions, a matrix for
  // each part in turn, of some rows only where there are many, and blocks of new points.
  constexpr double columns_of_blocks = 3.0 * 512.0;
  const std::size_t explained = std::min(num_rows, most_explained_rows);
  const double blocks = sizeof(double) * columns_of_blocks * static_cast<double>(num_rows);
  const Inference& inference = inference_for(num_rows);
  return small_things * (static_cast<double>(num_models) * inference.kept_bytes(num_rows) +
                         inference.kept_bytes(explained) + blocks);
}

std::size_t affordable_threads(std::size_t num_rows, std::size_t wanted,
                               const DeviceChoice& device) {
  const Inference& inference = inference_for(num_rows, device);
  wanted = inference.useful_threads(num_rows, wanted);
  const double fitting = usable_bytes() / evaluation_bytes(inference, num_rows);
  if (fitting >= static_cast<double>(wanted)) return wanted;
  return std::max<std::size_t>(static_cast<std::size_t>(fitting), 1);
}

void check_memory(std::size_t num_rows, std::size_t threads, std::size_t num_models) {
  check_memory(inference_for(num_rows), num_rows, threads, num_models);
}

void check_memory(const Inference& inference, std::size_t num_rows, std::size_t threads,
                  std::size_t num_models) {
  const auto bytes = [&](std::size_t rows) {
    return std::max(evaluation_bytes(inference, rows) * static_cast<double>(threads),
                    report_bytes(rows, num_models));
  };
  check(bytes, num_rows,
        fmt::format("the exact model of {} rows with {} thread(s) needs", num_rows, threads),
        threads > 1 ? ", or use fewer " + option_text("threads") : "");
}

void check_models_memory(std::size_t num_rows, std::size_t num_models) {
  const auto bytes = [&](std::size_t rows) { return models_bytes(rows, num_models); };
  check(bytes, num_rows,
        num_models == 1 ? fmt::format("a model of {} rows needs", num_rows)
                        : fmt::format("{} models of {} rows need", num_models, num_rows),
        "");
}

}  // namespace covary
