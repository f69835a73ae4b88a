#include "evidence/memory.h"

#include <cmath>

#include <gtest/gtest.h>

#include <covary/error.h>

namespace covary {
namespace {

double in_matrices(double bytes, double num_rows) { return bytes / (8.0 * num_rows * num_rows); }

// What bench/memory_benchmark measures at 4,000 rows: 1.8 in a fit, 2.2 with leave-one-out.
TEST(Memory, IsReckonedWithAsItIsUsed) {
  EXPECT_GE(in_matrices(evaluation_bytes(4000), 4000), 2.2);
  EXPECT_LE(in_matrices(evaluation_bytes(4000), 4000), 2.5);
  EXPECT_LE(2.0 * in_matrices(evaluation_bytes(4000), 4000), 5.0);
  EXPECT_GE(in_matrices(evaluation_bytes(2000), 2000), 3.0);
  EXPECT_GE(in_matrices(report_bytes(4000), 4000), 2.4);
  EXPECT_LE(in_matrices(report_bytes(4000), 4000), 3.0);
  EXPECT_GE(in_matrices(report_bytes(4000, 3), 4000), 4.4);
}

TEST(Memory, IsForAsManyThreadsAsFit) {
  // Rows of which three and a half evaluations fit.
  const auto rows = static_cast<std::size_t>(std::sqrt(0.9 * machine_bytes() / 3.5 / 2.2 / 8.0));
  EXPECT_EQ(affordable_threads(rows, 2), 2U);
  EXPECT_EQ(affordable_threads(rows, 64), 3U);
  EXPECT_EQ(affordable_threads(100 * rows, 64), 1U);
  EXPECT_NO_THROW(check_memory(rows, 3));
  EXPECT_THROW(check_memory(rows, 4), Error);
  EXPECT_THROW(check_memory(rows, 1, 10), Error);
}

}  // namespace
}  // namespace covary
