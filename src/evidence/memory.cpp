#include "evidence/memory.h"

#include <algorithm>

#include <fmt/format.h>

#include <covary/error.h>

#include "inference/inference.h"

namespace covary {
namespace {

// Of what is there: other programs and our own small things have to live as well.
constexpr double usable = 0.9;
// On top of the matrices: what BLAS keeps for itself, columns of derivatives.
constexpr double small_things = 1.1;

}  // namespace

double evaluation_bytes(std::size_t num_rows) {
  // Leave-one-out asks a model's posterior.
  const Inference& inference = inference_for(num_rows);
  return small_things *
         std::max(inference.walk_bytes(num_rows), inference.posterior_bytes(num_rows));
}

double report_bytes(std::size_t num_rows, std::size_t num_models) {
  // The posteriors of the models, of which one has more asked of it than predictions, a matrix for
  // each part in turn, and blocks of new points.
  constexpr double columns_of_blocks = 3.0 * 512.0;
  const double rest = sizeof(double) * columns_of_blocks * static_cast<double>(num_rows);
  return small_things * (0.5 * static_cast<double>(num_models + 1) *
                             inference_for(num_rows).posterior_bytes(num_rows) +
                         rest);
}

std::size_t affordable_threads(std::size_t num_rows, std::size_t wanted) {
  const double fitting = usable * machine_bytes() / evaluation_bytes(num_rows);
  if (fitting >= static_cast<double>(wanted)) return wanted;
  return std::max<std::size_t>(static_cast<std::size_t>(fitting), 1);
}

void check_memory(std::size_t num_rows, std::size_t threads, std::size_t num_models) {
  const double needed = std::max(evaluation_bytes(num_rows) * static_cast<double>(threads),
                                 report_bytes(num_rows, num_models));
  const double available = machine_bytes();
  if (needed <= usable * available) return;
  constexpr double gigabyte = 1e9;
  throw Error(ErrorKind::bad_data,
              fmt::format("the exact model of {} rows needs {:.1f} GB of memory with {} thread(s), "
                          "this machine has {:.1f} GB; train on fewer rows with --rows{}",
                          num_rows, needed / gigabyte, threads, available / gigabyte,
                          threads > 1 ? ", or use fewer --threads" : ""));
}

}  // namespace covary
