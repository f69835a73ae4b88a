#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "base/parallel.h"
#include "linalg/lapack.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

// Operations a second of products on so many threads at once, of tiles as factor_by_tiles() has
// them, at the best of a few times: the first one waits for memory and clock.
double measured_speed(std::size_t num_threads) {
  constexpr std::size_t size = 512;
  constexpr std::size_t depth = 1024;
  constexpr int num_times = 3;
  std::vector<Matrix> factors;
  std::vector<Matrix> products;
  for (std::size_t t = 0; t < num_threads; ++t) {
    factors.emplace_back(size, depth);
    products.emplace_back(size, size);
    std::fill_n(factors.back().data(), size * depth, 0.5);
    std::fill_n(products.back().data(), size * size, 0.5);
  }
  double seconds = std::numeric_limits<double>::infinity();
  for (int time = 0; time < num_times; ++time) {
    const double start = wall_seconds();
    parallel_for(num_threads, num_threads, [&](std::size_t task, std::size_t /*worker*/) {
      const int rows = size;
      const int inner = depth;
      const double one = 1.0;
      const double zero = 0.0;
      const double* factor = factors[task].data();
      dgemm("N", "T", &rows, &rows, &inner, &one, factor, &rows, factor, &rows, &zero,
            products[task].data(), &rows);
    });
    seconds = std::min(seconds, wall_seconds() - start);
  }
  return 2.0 * size * size * depth * static_cast<double>(num_threads) / seconds;
}

double speed(std::size_t num_threads) {
  static std::mutex mutex;
  static std::map<std::size_t, double> speeds;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = speeds.emplace(num_threads, 0.0);
  if (is_new) place->second = measured_speed(num_threads);
  return place->second;
}

}  // namespace

double operation_seconds(double num_operations, std::size_t num_threads) {
  constexpr double share_of_speed = 0.9;  // that tiles reach: bench/factor_benchmark
  return num_operations / (share_of_speed * speed(std::max<std::size_t>(num_threads, 1)));
}

double factor_seconds(std::size_t num_rows, std::size_t num_threads) {
  const auto n = static_cast<double>(num_rows);
  return operation_seconds(n * n * n / 3.0, num_threads);
}

}  // namespace covary
