#include "inference/sparse/sparse_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checkpoint.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/lapack.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

// On the support's diagonal in any case, in units of its mean: close rows of a smooth kernel are
// nearly the same, and what L^-1 makes of their difference would be rounding. The approximation
// stays one: it is that of values which are known up to so much.
constexpr double least_jitter = 1e-9;

// Blocks of rows that are there at a time, and the size of tiles of A A', each of which one thread
// adds up.
constexpr std::size_t blocks_at_a_time = 16;
constexpr std::size_t tile_size = 512;

int as_int(std::size_t size) { return static_cast<int>(size); }

double cube(std::size_t size) {
  return static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
}

// A A' and what else is a sum over rows.
class RowSums {
 public:
  RowSums(const SparseRows& rows, SparseSystem& system, const LongWork& work)
      : rows_(rows),
        system_(system),
        num_threads_(work.num_threads()),
        blocks_(std::min(blocks_at_a_time, rows.num_blocks())),
        checkpoint_(work, 2.0 * static_cast<double>(rows.size())) {
    const std::size_t m = rows.support().size();
    system_.system = Matrix(m, m);
    std::fill_n(system_.system.data(), m * m, 0.0);
    system_.image.assign(m, 0.0);
    system_.rest.assign(rows.size(), 0.0);
    scaled_target_.assign(rows.target().begin(), rows.target().end());
    for (std::size_t i = 0; i < rows.size(); ++i) scaled_target_[i] /= std::sqrt(rows.noise()[i]);
    for (std::size_t j = 0; j < m; j += tile_size) {
      for (std::size_t i = j; i < m; i += tile_size) tiles_.emplace_back(i, j);
    }
  }

  void add_all() {
    for (std::size_t first = 0; first < rows_.num_blocks(); first += blocks_.size()) {
      const std::size_t count = std::min(blocks_.size(), rows_.num_blocks() - first);
      parallel_for(num_threads_, count, [&](std::size_t task, std::size_t /*worker*/) {
        blocks_[task] = whitened_block(rows_, system_.support_factor, first + task);
        note_rest(blocks_[task], first + task);
        checkpoint_.pass(static_cast<double>(blocks_[task].num_columns()));
      });
      const auto num_tiles = static_cast<double>(tiles_.size());
      double num_rows = 0.0;
      for (std::size_t k = 0; k < count; ++k) {
        num_rows += static_cast<double>(blocks_[k].num_columns());
      }
      parallel_for(num_threads_, tiles_.size(), [&](std::size_t task, std::size_t /*worker*/) {
        for (std::size_t k = 0; k < count; ++k) {
          add_to_tile(blocks_[k], tiles_[task].first, tiles_[task].second,
                      (first + k) * SparseRows::block_rows);
        }
        checkpoint_.pass(num_rows / num_tiles);
      });
    }
  }

 private:
  void note_rest(const Matrix& block, std::size_t number) {
    const std::size_t first = number * SparseRows::block_rows;
    for (std::size_t j = 0; j < block.num_columns(); ++j) {
      const std::span<const double> column(block.column(j), block.num_rows());
      const double explained = rows_.noise()[first + j] * dot(column, column);
      system_.rest[first + j] = std::max(rows_.variance()[first + j] - explained, 0.0);
    }
  }

  void add_to_tile(const Matrix& block, std::size_t i, std::size_t j, std::size_t first_row) {
    const std::size_t m = block.num_rows();
    const int stride = as_int(m);
    const int height = as_int(std::min(tile_size, m - i));
    const int width = as_int(std::min(tile_size, m - j));
    const int inner = as_int(block.num_columns());
    const double one = 1.0;
    double* tile = system_.system.column(j) + i;
    if (i != j) {
      dgemm_("N", "T", &height, &width, &inner, &one, block.data() + i, &stride, block.data() + j,
             &stride, &one, tile, &stride);
      return;
    }
    dsyrk_("L", "N", &height, &inner, &one, block.data() + i, &stride, &one, tile, &stride);
    const int step = 1;
    dgemv_("N", &height, &inner, &one, block.data() + i, &stride, scaled_target_.data() + first_row,
           &step, &one, system_.image.data() + i, &step);
  }

  const SparseRows& rows_;
  SparseSystem& system_;
  std::size_t num_threads_;
  std::vector<Matrix> blocks_;
  std::vector<double> scaled_target_;
  std::vector<std::pair<std::size_t, std::size_t>> tiles_;
  Checkpoint checkpoint_;
};

// A A' is kept above the diagonal and B factored below it.
bool factor_system(SparseSystem& result, const LongWork& work) {
  Matrix& system = result.system;
  const std::size_t m = system.num_rows();
  result.square.resize(m);
  for (std::size_t j = 0; j < m; ++j) {
    result.square[j] = system(j, j);
    for (std::size_t i = j + 1; i < m; ++i) system(j, i) = system(i, j);
  }
  const CholeskyOutcome outcome = large_cholesky(
      system,
      [&](Matrix& matrix) {
        for (std::size_t j = 0; j < m; ++j) {
          matrix(j, j) = 1.0 + result.square[j];
          for (std::size_t i = j + 1; i < m; ++i) matrix(i, j) = matrix(j, i);
        }
      },
      work);
  // More on this diagonal would be another noise.
  return outcome.succeeded && outcome.jitter == 0.0;
}

}  // namespace

double system_operations(std::size_t num_rows, std::size_t num_support) {
  const auto m = static_cast<double>(num_support);
  return 2.0 * static_cast<double>(num_rows) * m * m + 2.0 / 3.0 * cube(num_support);
}

Matrix whitened_block(const SparseRows& rows, const Matrix& support_factor, std::size_t block) {
  Matrix result = rows.with_support(block);
  for (std::size_t j = 0; j < result.num_columns(); ++j) {
    const double scale = 1.0 / std::sqrt(rows.noise()[block * SparseRows::block_rows + j]);
    std::for_each_n(result.column(j), result.num_rows(), [&](double& value) { value *= scale; });
  }
  solve_lower(support_factor, result);
  return result;
}

CholeskyOutcome factor_support(const SparseRows& rows, double jitter, Matrix& factor,
                               const LongWork& work) {
  const std::size_t m = rows.support().size();
  factor = Matrix(m, m);
  return large_cholesky(
      factor,
      [&](Matrix& matrix) {
        rows.fill_support(matrix, part_of(work, 0.0, 0.5));
        double sum = 0.0;
        for (std::size_t i = 0; i < m; ++i) sum += matrix(i, i);
        // A kernel of nothing but white noise leaves no function.
        const double added = jitter * (sum > 0.0 ? sum / static_cast<double>(m) : 1.0);
        for (std::size_t i = 0; i < m; ++i) matrix(i, i) += added;
      },
      part_of(work, 0.5, 1.0));
}

std::optional<SparseSystem> make_sparse_system(const SparseRows& rows, const LongWork& work) {
  SparseSystem result;
  const std::size_t m = rows.support().size();
  const double share = cube(m) / 3.0 / system_operations(rows.size(), m);  // of one factor
  const CholeskyOutcome outcome =
      factor_support(rows, least_jitter, result.support_factor, part_of(work, 0.0, share));
  if (!outcome.succeeded) return std::nullopt;
  result.jitter = least_jitter + outcome.jitter;
  RowSums(rows, result, part_of(work, share, 1.0 - share)).add_all();
  if (!factor_system(result, part_of(work, 1.0 - share, 1.0))) return std::nullopt;
  return result;
}

void solve_system(const SparseRows& rows, const SparseSystem& system, std::span<double> x,
                  const LongWork& work) {
  for (std::size_t i = 0; i < rows.size(); ++i) x[i] /= rows.noise()[i];
  std::vector<double> weights = rows.support_product(x, part_of(work, 0.0, 0.5));
  solve_lower(system.support_factor, weights);
  solve_lower(system.system, weights);
  solve_lower_transposed(system.system, weights);
  solve_lower_transposed(system.support_factor, weights);
  const std::vector<double> explained = rows.transposed_product(weights, part_of(work, 0.5, 1.0));
  for (std::size_t i = 0; i < rows.size(); ++i) x[i] -= explained[i] / rows.noise()[i];
}

}  // namespace covary
