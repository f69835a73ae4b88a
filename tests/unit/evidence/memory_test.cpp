#include "evidence/memory.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <covary/error.h>

namespace covary {
namespace {

double in_matrices(double bytes, double num_rows) { return bytes / (8.0 * num_rows * num_rows); }

// A fit of many rows has one matrix; of few, triangles of base kernels beside it.
TEST(Memory, IsReckonedWithAsItIsUsed) {
  EXPECT_GE(in_matrices(evaluation_bytes(4000), 4000), 1.2);
  EXPECT_LE(in_matrices(evaluation_bytes(4000), 4000), 1.5);
  EXPECT_LE(in_matrices(evaluation_bytes(20'000), 20'000), 1.2);
  EXPECT_GE(in_matrices(evaluation_bytes(2000), 2000), 3.0);
  EXPECT_GE(in_matrices(report_bytes(4000), 4000), 2.4);
  EXPECT_LE(in_matrices(report_bytes(4000), 4000), 3.0);
  EXPECT_GE(in_matrices(report_bytes(4000, 3), 4000), 4.4);
}

TEST(Memory, IsOneMatrixForEachModelOfManyRows) {
  EXPECT_LE(in_matrices(models_bytes(20'000), 20'000), 1.11);
  EXPECT_LE(in_matrices(models_bytes(20'000, 3), 20'000), 3.31);
  EXPECT_LE(in_matrices(report_bytes(20'000), 20'000), 1.3);
  // 30,000 rows have their place in 24 GB.
  EXPECT_LT(report_bytes(30'000), 0.9 * 24e9 / 2.0);
}

// What a factor has no room for, an approximation has.
TEST(Memory, OfVeryManyRowsIsThatOfSomeOfThem) {
  EXPECT_LT(models_bytes(100'000), 1e9);
  EXPECT_LT(models_bytes(1'000'000), 2e9);
  EXPECT_EQ(num_kept_rows(30'000), 30'000U);
  EXPECT_EQ(num_kept_rows(100'000), 4'000U);
  EXPECT_LT(num_kept_rows(1'000'000), 4'000U);
}

TEST(Memory, ARefusalNamesRowsThatFit) {
  const auto rows = static_cast<std::size_t>(std::sqrt(machine_bytes()));
  try {
    check_memory(rows, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    const std::string text = error.what();
    const std::size_t fitting = std::stoul(text.substr(text.rfind(' ')));
    EXPECT_NO_THROW(check_memory(fitting, 1)) << text;
    EXPECT_THROW(check_memory(fitting + 101, 1), Error) << text;
  }
}

TEST(Memory, IsForAsManyThreadsAsFit) {
  // Rows of which three and a half evaluations fit.
  const auto rows = static_cast<std::size_t>(std::sqrt(0.9 * machine_bytes() / 3.5 / 1.1 / 8.0));
  EXPECT_EQ(affordable_threads(rows, 2), 2U);
  EXPECT_EQ(affordable_threads(rows, 64), 3U);
  EXPECT_EQ(affordable_threads(100 * rows, 64), 1U);
  EXPECT_NO_THROW(check_memory(rows, 3));
  EXPECT_THROW(check_memory(rows, 4), Error);
  EXPECT_THROW(check_memory(rows, 1, 10), Error);
}

}  // namespace
}  // namespace covary
