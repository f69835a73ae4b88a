#include <algorithm>
#include <functional>

#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/lapack.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

// Rows or columns that one product sums over at the most, so that somebody looks up after it.
constexpr std::size_t depth = 2048;
constexpr std::size_t usual_tile = 512;

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

int as_int(std::size_t size) { return static_cast<int>(size); }

// Parts of so many at the most.
std::vector<Range> parts_of(Range range, std::size_t size) {
  std::vector<Range> parts;
  for (std::size_t begin = range.begin; begin < range.end; begin += size) {
    parts.push_back({begin, std::min(begin + size, range.end)});
  }
  return parts;
}

// A triangle by halves: L11, L21 and L22. What happens to L21 is a product with a triangle, strip
// by strip on several threads; strips are the same for any number of them. Only triangles of one
// tile are left to a single thread, which are a few thousandths of the work of ten thousand rows.
class HalvedTriangle {
 public:
  HalvedTriangle(Matrix& matrix, const LongWork& work, std::size_t tile)
      : matrix_(matrix),
        stride_(as_int(matrix.num_rows())),
        tile_(tile),
        strip_(std::max<std::size_t>(tile / 2, 1)),
        num_threads_(work.num_threads()),
        checkpoint_(work, 1.0) {}

  // L^-1:   L11^-1,   −L22^-1 L21 L11^-1,   L22^-1.
  void invert(Range all) {
    if (all.size() <= tile_) {
      invert_triangle(at(all.begin, all.begin), all.size(), matrix_.num_rows());
      return checkpoint_.pass(0.0);
    }
    const auto [first, second] = halves_of(all);
    invert(first);
    invert(second);
    by_strips(second, [this, first = first](Range rows) { times_lower(rows, first); });
    by_strips(first, [this, second = second](Range columns) { lower_times(second, columns); });
  }

  // L'L:   L11'L11 + L21'L21,   L22'L21,   L22'L22.
  void square(Range all) {
    if (all.size() <= tile_) {
      const int order = as_int(all.size());
      int info = 0;
      dlauum("L", &order, at(all.begin, all.begin), &stride_, &info);
      return checkpoint_.pass(0.0);
    }
    const auto [first, second] = halves_of(all);
    square(first);
    add_square(first, second);
    by_strips(first, [this, second = second](Range columns) { transposed_times(second, columns); });
    square(second);
  }

 private:
  double* at(std::size_t row, std::size_t column) { return matrix_.column(column) + row; }

  std::pair<Range, Range> halves_of(Range all) const {
    const std::size_t num_tiles = (all.size() + tile_ - 1) / tile_;
    const std::size_t middle = all.begin + (num_tiles + 1) / 2 * tile_;
    return {{all.begin, middle}, {middle, all.end}};
  }

  void by_strips(Range range, const std::function<void(Range)>& work) {
    const std::vector<Range> strips = parts_of(range, strip_);
    parallel_for(num_threads_, strips.size(),
                 [&](std::size_t strip, std::size_t /*worker*/) { work(strips[strip]); });
  }

  // The block of these rows and columns += factor op(A) B, summed over `inner`.
  void add_product(Range rows, Range columns, Range inner, double factor, bool is_transposed) {
    const int num_rows = as_int(rows.size());
    const int num_columns = as_int(columns.size());
    const double one = 1.0;
    for (const Range part : parts_of(inner, depth)) {
      const int size = as_int(part.size());
      const double* left = is_transposed ? at(part.begin, rows.begin) : at(rows.begin, part.begin);
      dgemm(is_transposed ? "T" : "N", "N", &num_rows, &num_columns, &size, &factor, left, &stride_,
            at(part.begin, columns.begin), &stride_, &one, at(rows.begin, columns.begin), &stride_);
      checkpoint_.pass(0.0);
    }
  }

  // The block of these rows and columns := factor × the product with the triangle of one tile.
  void multiply(Range rows, Range columns, const char* side, const char* transposed, Range triangle,
                double factor) {
    const int num_rows = as_int(rows.size());
    const int num_columns = as_int(columns.size());
    dtrmm(side, "L", transposed, "N", &num_rows, &num_columns, &factor,
          at(triangle.begin, triangle.begin), &stride_, at(rows.begin, columns.begin), &stride_);
  }

  // B := L B, B having the triangle's rows and these columns.
  void lower_times(Range triangle, Range columns) {
    const std::vector<Range> tiles = parts_of(triangle, tile_);
    for (std::size_t i = tiles.size(); i-- > 0;) {
      multiply(tiles[i], columns, "L", "N", tiles[i], 1.0);
      add_product(tiles[i], columns, {triangle.begin, tiles[i].begin}, 1.0, false);
    }
  }

  // B := L'B
  void transposed_times(Range triangle, Range columns) {
    for (const Range tile : parts_of(triangle, tile_)) {
      multiply(tile, columns, "L", "T", tile, 1.0);
      add_product(tile, columns, {tile.end, triangle.end}, 1.0, true);
    }
  }

  // B := −B L, B having these rows and the triangle's columns.
  void times_lower(Range rows, Range triangle) {
    for (const Range tile : parts_of(triangle, tile_)) {
      multiply(rows, tile, "R", "N", tile, -1.0);
      add_product(rows, tile, {tile.end, triangle.end}, -1.0, false);
    }
  }

  // A := A + B'B in the lower triangle, A having these rows and columns, B the rows below.
  void add_square(Range here, Range below) {
    const std::vector<Range> tiles = parts_of(here, tile_);
    std::vector<std::pair<Range, Range>> blocks;
    for (std::size_t j = 0; j < tiles.size(); ++j) {
      for (std::size_t i = j; i < tiles.size(); ++i) blocks.emplace_back(tiles[i], tiles[j]);
    }
    parallel_for(num_threads_, blocks.size(), [&](std::size_t block, std::size_t /*worker*/) {
      const auto [rows, columns] = blocks[block];
      if (rows.begin != columns.begin) return add_product(rows, columns, below, 1.0, true);
      const int order = as_int(rows.size());
      const double one = 1.0;
      for (const Range part : parts_of(below, depth)) {
        const int size = as_int(part.size());
        dsyrk("L", "T", &order, &size, &one, at(part.begin, rows.begin), &stride_, &one,
              at(rows.begin, rows.begin), &stride_);
        checkpoint_.pass(0.0);
      }
    });
  }

  Matrix& matrix_;
  int stride_;
  std::size_t tile_;
  std::size_t strip_;
  std::size_t num_threads_;
  Checkpoint checkpoint_;
};

}  // namespace

void invert_by_tiles(Matrix& factor, const LongWork& work, std::size_t tile_size) {
  HalvedTriangle triangle(factor, work, tile_size == 0 ? usual_tile : tile_size);
  const Range all = {0, factor.num_rows()};
  triangle.invert(all);
  triangle.square(all);
}

}  // namespace covary
