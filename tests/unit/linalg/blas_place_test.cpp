#include "linalg/blas_place.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <covary/error.h>

#include "linalg/cholesky.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

// L of a matrix with 4 on the diagonal and 1 beside it begins with 2.
void factor_one() {
  Matrix matrix(80, 80);
  const CholeskyOutcome outcome = cholesky(matrix, [](Matrix& filled) {
    for (std::size_t j = 0; j < filled.num_columns(); ++j) {
      for (std::size_t i = j; i < filled.num_rows(); ++i) filled(i, j) = i == j ? 4.0 : 1.0;
    }
  });
  if (!outcome.succeeded || matrix(0, 0) != 2.0 || matrix(1, 0) != 0.5) std::abort();
}

// All at a time; `prepare` runs when the threads are there.
void factor_by_threads(
    std::size_t num_threads, const std::function<void()>& prepare = [] {}) {
  std::latch start(1);
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < num_threads; ++t) {
    threads.emplace_back([&] {
      start.wait();
      for (int i = 0; i < 300; ++i) factor_one();
    });
  }
  prepare();
  start.count_down();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Allows the process so much more address space than it has.
void allow_more(double megabytes) {
  double pages = 0.0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit = {};
  limit.rlim_cur = limit.rlim_max = static_cast<rlim_t>(
      pages * static_cast<double>(sysconf(_SC_PAGESIZE)) + megabytes * 1048576.0);
  setrlimit(RLIMIT_AS, &limit);
}

// Starts the program anew for what is to die, and without threads of OpenBLAS's own, as covary does
// under a limit (apps/console/blas_threads.cpp): each of them takes a buffer whenever it first
// runs.
void start_anew_without_threads() {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

TEST(BlasPlaceDeathTest, WithoutMemoryForABufferTheFirstCallThrowsAndDoesNotHang) {
  start_anew_without_threads();
  const auto call = [] {
    allow_more(60.0);
    try {
      factor_one();
    } catch (const Error& error) {
      std::fprintf(stderr, "%s", error.what());
      _exit(error.kind() == ErrorKind::memory ? 71 : 1);
    }
    _exit(0);
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(71), "needs 0.16 GB of memory");
}

TEST(BlasPlaceDeathTest, WithMemoryForFewerBuffersThanThreadsCallsTakeTurns) {
  start_anew_without_threads();
  const auto call = [] {
    factor_one();  // has the first buffer
    factor_by_threads(6, [] { allow_more(100.0); });
    _exit(0);
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(0), "");
}
#endif

TEST(BlasPlace, MoreThreadsThanOpenBlasHasBuffersForAllGetTheirTurn) { factor_by_threads(70); }

TEST(BlasPlace, OneFactorOfManyRowsEndsInTheMiddle) {
  Matrix matrix(many_rows + 300, many_rows + 300);
  int num_asked = 0;
  const StopScope scope([&] { return ++num_asked > 5; });
  const auto fill = [](Matrix& filled) {
    for (std::size_t j = 0; j < filled.num_columns(); ++j) {
      for (std::size_t i = j; i < filled.num_rows(); ++i) filled(i, j) = i == j ? 2.0 : 0.0;
    }
  };
  EXPECT_THROW(static_cast<void>(cholesky(matrix, fill)), WorkStopped);
  EXPECT_LT(num_asked, 10);
}

}  // namespace
}  // namespace covary
