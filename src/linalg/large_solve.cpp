#include <algorithm>

#include "base/parallel.h"
#include "linalg/lapack.h"
#include "linalg/large_factor.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

// Rows that are solved for at a time, columns of the inverse likewise, and solved rows that one
// product takes at the most, so that somebody looks up after it.
constexpr std::size_t block_rows = 512;
constexpr std::size_t inverse_columns = 256;
constexpr std::size_t depth = 4096;

int as_int(std::size_t size) { return static_cast<int>(size); }

double amount_of(std::size_t rows, std::size_t inner, std::size_t columns) {
  return static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
}

enum class Side { lower, transposed };

// The solution with the part L of a factor, of as many rows as X.
class BlockSolve {
 public:
  BlockSolve(Side side, const Matrix& factor, std::size_t first, Matrix& x, Checkpoint& checkpoint)
      : side_(side), factor_(factor), first_(first), x_(x), checkpoint_(checkpoint) {}

  // X[from, to) := less what the solved rows [begin, end) take off it.
  void subtract(std::size_t from, std::size_t to, std::size_t begin, std::size_t end) {
    const bool is_lower = side_ == Side::lower;
    const int stride = as_int(factor_.num_rows());
    const int x_stride = as_int(x_.num_rows());
    const int columns = as_int(x_.num_columns());
    const int rows = as_int(to - from);
    for (std::size_t part = begin; part < end; part += depth) {
      const std::size_t size = std::min(depth, end - part);
      const int inner = as_int(size);
      const double minus_one = -1.0;
      const double one = 1.0;
      dgemm(is_lower ? "N" : "T", "N", &rows, &columns, &inner, &minus_one,
            is_lower ? at(from, part) : at(part, from), &stride, x_.data() + part, &x_stride, &one,
            x_.data() + from, &x_stride);
      checkpoint_.pass(amount_of(to - from, size, x_.num_columns()));
    }
  }

  void solve(std::size_t from, std::size_t to) {
    const int stride = as_int(factor_.num_rows());
    const int x_stride = as_int(x_.num_rows());
    const int columns = as_int(x_.num_columns());
    const int rows = as_int(to - from);
    const double one = 1.0;
    dtrsm("L", "L", side_ == Side::lower ? "N" : "T", "N", &rows, &columns, &one, at(from, from),
          &stride, x_.data() + from, &x_stride);
    checkpoint_.pass(amount_of(to - from, to - from, x_.num_columns()));
  }

 private:
  const double* at(std::size_t row, std::size_t column) const {
    return factor_.column(first_ + column) + first_ + row;
  }

  Side side_;
  const Matrix& factor_;
  std::size_t first_;
  Matrix& x_;
  Checkpoint& checkpoint_;
};

}  // namespace

void solve_lower(const Matrix& factor, std::size_t first, Matrix& x, Checkpoint& checkpoint) {
  BlockSolve block(Side::lower, factor, first, x, checkpoint);
  const std::size_t n = x.num_rows();
  for (std::size_t from = 0; from < n; from += block_rows) {
    const std::size_t to = std::min(from + block_rows, n);
    block.subtract(from, to, 0, from);
    block.solve(from, to);
  }
}

void solve_lower_transposed(const Matrix& factor, std::size_t first, Matrix& x,
                            Checkpoint& checkpoint) {
  BlockSolve block(Side::transposed, factor, first, x, checkpoint);
  const std::size_t n = x.num_rows();
  // In blocks as those of solve_lower(), the last one first.
  for (std::size_t to = n; to > 0;) {
    const std::size_t from = (to - 1) / block_rows * block_rows;
    block.subtract(from, to, to, n);
    block.solve(from, to);
    to = from;
  }
}

double solve_amount(std::size_t num_rows, std::size_t num_columns) {
  double sum = 0.0;
  for (std::size_t from = 0; from < num_rows; from += block_rows) {
    const std::size_t to = std::min(from + block_rows, num_rows);
    sum += amount_of(to - from, to, num_columns);
  }
  return sum;
}

std::vector<double> inverse_diagonal(const Matrix& factor, const LongWork& work) {
  const std::size_t n = factor.num_rows();
  const std::size_t num_blocks = (n + inverse_columns - 1) / inverse_columns;
  const auto width = [&](std::size_t block) {
    return std::min(inverse_columns, n - block * inverse_columns);
  };
  double total = 0.0;
  for (std::size_t block = 0; block < num_blocks; ++block) {
    total += solve_amount(n - block * inverse_columns, width(block));
  }
  Checkpoint checkpoint(work, total);
  std::vector<double> diagonal(n);
  parallel_for(work.num_threads(), num_blocks, [&](std::size_t block, std::size_t /*worker*/) {
    // Columns of L^-1, which has nothing above them.
    const std::size_t first = block * inverse_columns;
    Matrix columns(n - first, width(block));
    std::fill_n(columns.data(), columns.num_rows() * columns.num_columns(), 0.0);
    for (std::size_t j = 0; j < columns.num_columns(); ++j) columns(j, j) = 1.0;
    solve_lower(factor, first, columns, checkpoint);
    for (std::size_t j = 0; j < columns.num_columns(); ++j) {
      const std::span<const double> column(columns.column(j), columns.num_rows());
      diagonal[first + j] = dot(column, column);
    }
  });
  return diagonal;
}

}  // namespace covary
