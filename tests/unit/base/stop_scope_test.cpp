#include <atomic>
#include <cstddef>

#include <gtest/gtest.h>

#include <covary/long_work.h>

#include "base/checkpoint.h"
#include "base/parallel.h"

namespace covary {
namespace {

TEST(StopScope, EndsWorkInsideOfItAndNoneOutside) {
  EXPECT_NO_THROW(StopPoint::pass());
  {
    const StopScope scope([] { return true; });
    EXPECT_THROW(StopPoint::pass(), WorkStopped);
  }
  EXPECT_NO_THROW(StopPoint::pass());
}

TEST(StopScope, AsksWhatStandsAroundIt) {
  bool is_over = false;
  const StopScope outer([&] { return is_over; });
  const StopScope inner([] { return false; });
  EXPECT_NO_THROW(StopPoint::pass());
  is_over = true;
  EXPECT_THROW(StopPoint::pass(), WorkStopped);
}

TEST(StopScope, IsThatOfTheThreadsThatItsThreadHasWorkForIt) {
  for (const std::size_t num_threads : {1U, 4U}) {
    std::atomic<std::size_t> num_begun = 0;
    const StopScope scope([&] { return num_begun >= 10; });
    const auto work = [&](std::size_t /*task*/, std::size_t /*worker*/) { ++num_begun; };
    EXPECT_THROW(parallel_for(num_threads, 10'000, work), WorkStopped);
    EXPECT_LT(num_begun, 10U + num_threads);
  }
}

TEST(StopScope, IsAskedByWorkThatHasACheckpoint) {
  const LongWork work;
  Checkpoint checkpoint(work, 1.0);
  EXPECT_NO_THROW(checkpoint.pass(0.5));
  const StopScope scope([] { return true; });
  EXPECT_TRUE(checkpoint.should_stop());
  EXPECT_THROW(checkpoint.pass(0.5), WorkStopped);
}

}  // namespace
}  // namespace covary
