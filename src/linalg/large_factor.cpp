#include "linalg/large_factor.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "linalg/lapack.h"

namespace covary {
namespace {

// Columns of the factor that one product takes at the most, so that somebody looks up after it.
constexpr std::size_t depth = 2048;

// Products of large tiles are faster, but there must be enough of them for every thread.
std::size_t best_tile(std::size_t num_rows) {
  constexpr std::size_t rows_for_large_tiles = 4000;
  return num_rows < rows_for_large_tiles ? 256 : 512;
}

int as_int(std::size_t size) { return static_cast<int>(size); }

// Each tile is finished by one task: what the columns to its left take off it, in their order, and
// then the solution with, or the factor of, the tile on the diagonal. Tasks are taken by columns,
// so that all that a task waits for is finished or under way.
class Tiles {
 public:
  Tiles(Matrix& matrix, const LongWork& work, std::size_t tile_size)
      : matrix_(matrix),
        size_(tile_size),
        num_tiles_((matrix.num_rows() + tile_size - 1) / tile_size),
        num_finished_(num_tiles_, 0),
        checkpoint_(work, amount_of_all()) {
    for (std::size_t j = 0; j < num_tiles_; ++j) {
      for (std::size_t i = j; i < num_tiles_; ++i) tasks_.emplace_back(i, j);
    }
  }

  std::size_t factor(std::size_t num_threads) {
    parallel_for(num_threads, tasks_.size(), [&](std::size_t task, std::size_t /*worker*/) {
      try {
        finish(tasks_[task].first, tasks_[task].second);
      } catch (...) {
        abandon(0);
        throw;
      }
    });
    return failed_order_;
  }

 private:
  std::size_t begin(std::size_t tile) const { return tile * size_; }
  std::size_t end(std::size_t tile) const {
    return std::min(matrix_.num_rows(), (tile + 1) * size_);
  }
  double* at(std::size_t row, std::size_t column) { return matrix_.column(column) + row; }

  double amount_of_all() const {
    double sum = 0.0;
    for (std::size_t j = 0; j < num_tiles_; ++j) {
      for (std::size_t i = j; i < num_tiles_; ++i) sum += amount_of(i, j, end(j));
    }
    return sum;
  }
  double amount_of(std::size_t i, std::size_t j, std::size_t inner) const {
    return static_cast<double>(end(i) - begin(i)) * static_cast<double>(end(j) - begin(j)) *
           static_cast<double>(inner);
  }

  // Waits for the first `count` tiles of a row; false if the work was given up.
  bool wait_for(std::size_t row, std::size_t count) {
    std::unique_lock lock(mutex_);
    has_changed_.wait(lock, [&] { return is_abandoned_ || num_finished_[row] >= count; });
    return !is_abandoned_;
  }

  void abandon(std::size_t failed_order) {
    {
      const std::lock_guard lock(mutex_);
      is_abandoned_ = true;
      if (failed_order > 0) failed_order_ = failed_order;
    }
    has_changed_.notify_all();
  }

  // Tile (i, j), of row i and column j.
  void finish(std::size_t i, std::size_t j) {
    const std::size_t tiles_at_a_time = std::max<std::size_t>(depth / size_, 1);
    for (std::size_t first = 0; first < j; first += tiles_at_a_time) {
      const std::size_t last = std::min(first + tiles_at_a_time, j);
      if (!wait_for(j, last) || !wait_for(i, last)) return;
      subtract(i, j, begin(first), begin(last));
      checkpoint_.pass(amount_of(i, j, begin(last) - begin(first)));
    }
    const int stride = as_int(matrix_.num_rows());
    const int columns = as_int(end(j) - begin(j));
    double* tile = at(begin(i), begin(j));
    if (i == j) {
      if (!wait_for(j, j)) return;
      int info = 0;
      dpotrf("L", &columns, tile, &stride, &info);
      if (info != 0) return abandon(begin(j) + static_cast<std::size_t>(info));
    } else {
      if (!wait_for(j, j + 1)) return;
      const int rows = as_int(end(i) - begin(i));
      const double one = 1.0;
      dtrsm("R", "L", "T", "N", &rows, &columns, &one, at(begin(j), begin(j)), &stride, tile,
            &stride);
    }
    {
      const std::lock_guard lock(mutex_);
      num_finished_[i] = j + 1;
    }
    has_changed_.notify_all();
    checkpoint_.pass(amount_of(i, j, end(j) - begin(j)));
  }

  void subtract(std::size_t i, std::size_t j, std::size_t first, std::size_t last) {
    const int stride = as_int(matrix_.num_rows());
    const int rows = as_int(end(i) - begin(i));
    const int columns = as_int(end(j) - begin(j));
    const int inner = as_int(last - first);
    const double minus_one = -1.0;
    const double one = 1.0;
    double* tile = at(begin(i), begin(j));
    if (i == j) {
      dsyrk("L", "N", &rows, &inner, &minus_one, at(begin(i), first), &stride, &one, tile, &stride);
    } else {
      dgemm("N", "T", &rows, &columns, &inner, &minus_one, at(begin(i), first), &stride,
            at(begin(j), first), &stride, &one, tile, &stride);
    }
  }

  Matrix& matrix_;
  std::size_t size_;
  std::size_t num_tiles_;
  std::vector<std::pair<std::size_t, std::size_t>> tasks_;
  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::vector<std::size_t> num_finished_;  // tiles of each row, from the left
  bool is_abandoned_ = false;
  std::size_t failed_order_ = 0;
  Checkpoint checkpoint_;
};

}  // namespace

std::size_t factor_by_tiles(Matrix& matrix, const LongWork& work, std::size_t tile_size) {
  if (tile_size == 0) tile_size = best_tile(matrix.num_rows());
  return Tiles(matrix, work, tile_size).factor(work.num_threads());
}

}  // namespace covary
