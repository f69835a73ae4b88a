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

// X := X op(L)^-1
void solve_from_right(const char* transposed, const Matrix& factor, Matrix& x) {
  const int rows = as_int(x.num_rows());
  const int columns = as_int(x.num_columns());
  const double one = 1.0;
  dtrsm("R", "L", transposed, "N", &rows, &columns, &one, factor.data(), &columns, x.data(), &rows);
}

// A A' and A Λ^-1/2 y of one Λ, as sums over the blocks of rows that are there.
class RowSum {
 public:
  RowSum(RowSystem& system, std::size_t num_support, std::size_t num_blocks)
      : system_(system), blocks_(num_blocks), targets_(num_blocks) {
    system_.factor = Matrix(num_support, num_support);
    std::fill_n(system_.factor.data(), num_support * num_support, 0.0);
    system_.image.assign(num_support, 0.0);
  }

  // L^-1 S Λ^-1/2 and Λ^-1/2 y of a block.
  void take(std::size_t place, Matrix block, std::vector<double> target) {
    blocks_[place] = std::move(block);
    targets_[place] = std::move(target);
  }

  void add_to_tile(std::size_t place, std::size_t i, std::size_t j) {
    const Matrix& block = blocks_[place];
    const std::size_t m = block.num_rows();
    const int stride = as_int(m);
    const int height = as_int(std::min(tile_size, m - i));
    const int width = as_int(std::min(tile_size, m - j));
    const int inner = as_int(block.num_columns());
    const double one = 1.0;
    double* tile = system_.factor.column(j) + i;
    if (i != j) {
      dgemm("N", "T", &height, &width, &inner, &one, block.data() + i, &stride, block.data() + j,
            &stride, &one, tile, &stride);
      return;
    }
    dsyrk("L", "N", &height, &inner, &one, block.data() + i, &stride, &one, tile, &stride);
    const int step = 1;
    dgemv("N", &height, &inner, &one, block.data() + i, &stride, targets_[place].data(), &step,
          &one, system_.image.data() + i, &step);
  }

 private:
  RowSystem& system_;
  std::vector<Matrix> blocks_;
  std::vector<std::vector<double>> targets_;
};

// All that is a sum over rows.
class RowSums {
 public:
  RowSums(const SparseRows& rows, std::size_t num_systems, SparseSystem& system,
          const LongWork& work)
      : rows_(rows),
        system_(system),
        num_threads_(work.num_threads()),
        num_places_(std::min(blocks_at_a_time, rows.num_blocks())),
        log_determinants_(num_places_),
        checkpoint_(work, static_cast<double>((1 + num_systems) * rows.size())) {
    system_.rest.assign(rows.size(), 0.0);
    const std::size_t m = rows.support().size();
    sums_.emplace_back(system.posterior, m, num_places_);
    if (num_systems > 1) {
      sums_.emplace_back(system.noise_alone.emplace(), m, num_places_);
    }
    for (std::size_t j = 0; j < m; j += tile_size) {
      for (std::size_t i = j; i < m; i += tile_size) tiles_.emplace_back(i, j);
    }
  }

  void add_all() {
    for (std::size_t first = 0; first < rows_.num_blocks(); first += num_places_) {
      const std::size_t count = std::min(num_places_, rows_.num_blocks() - first);
      parallel_for(num_threads_, count, [&](std::size_t place, std::size_t /*worker*/) {
        take(place, first + place);
        checkpoint_.pass(static_cast<double>(rows_.size_of(first + place)));
      });
      double num_rows = 0.0;
      for (std::size_t place = 0; place < count; ++place) {
        num_rows += static_cast<double>(rows_.size_of(first + place));
        system_.own_log_determinant += log_determinants_[place];
      }
      const std::size_t num_tasks = sums_.size() * tiles_.size();
      parallel_for(num_threads_, num_tasks, [&](std::size_t task, std::size_t /*worker*/) {
        const auto [i, j] = tiles_[task / sums_.size()];
        RowSum& sum = sums_[task % sums_.size()];
        for (std::size_t place = 0; place < count; ++place) sum.add_to_tile(place, i, j);
        checkpoint_.pass(num_rows / static_cast<double>(tiles_.size()));
      });
    }
  }

 private:
  void take(std::size_t place, std::size_t block) {
    const std::size_t first = rows_.first_of(block);
    const std::size_t size = rows_.size_of(block);
    const std::span<double> rest(system_.rest.data() + first, size);
    RowBlock rows = row_block(rows_, system_.support_factor, block, rest);
    const std::span<const double> target = rows_.target().subspan(first, size);
    if (sums_.size() > 1) {
      Matrix scaled = Matrix::copy_of(rows.known);
      std::vector<double> scaled_target(target.begin(), target.end());
      for (std::size_t j = 0; j < size; ++j) {
        const double scale = 1.0 / std::sqrt(rows_.noise()[first + j]);
        scaled_target[j] *= scale;
        std::for_each_n(scaled.column(j), scaled.num_rows(),
                        [&](double& value) { value *= scale; });
      }
      sums_[1].take(place, std::move(scaled), std::move(scaled_target));
    }
    log_determinants_[place] = log_determinant(rows.own_factor);
    solve_lower_transposed_from_right(rows.own_factor, rows.known);
    std::vector<double> own_target(target.begin(), target.end());
    solve_lower(rows.own_factor, own_target);
    sums_[0].take(place, std::move(rows.known), std::move(own_target));
  }

  const SparseRows& rows_;
  SparseSystem& system_;
  std::size_t num_threads_;
  std::size_t num_places_;    // blocks that are there at a time
  std::vector<RowSum> sums_;  // of the posterior, and with noise alone where that is another one
  std::vector<double> log_determinants_;
  std::vector<std::pair<std::size_t, std::size_t>> tiles_;
  Checkpoint checkpoint_;
};

// A A' is kept above the diagonal and B factored below it.
bool factor_system(RowSystem& result, const LongWork& work) {
  Matrix& system = result.factor;
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

double system_operations(std::size_t num_rows, std::size_t num_support, std::size_t num_systems) {
  const auto m = static_cast<double>(num_support);
  return static_cast<double>(1 + num_systems) *
         (static_cast<double>(num_rows) * m * m + cube(num_support) / 3.0);
}

RowBlock row_block(const SparseRows& rows, const Matrix& support_factor, std::size_t block,
                   std::span<double> rest) {
  RowBlock result{rows.with_support(block), {}};
  solve_lower(support_factor, result.known);
  result.own_factor = rows.own_covariances(block, result.known, rest);
  const std::size_t size = rows.size_of(block);
  const int order = as_int(size);
  int outcome = 0;
  dpotrf("L", &order, result.own_factor.data(), &order, &outcome);
  if (outcome == 0) return result;
  // What rounding leaves of covariances that the support knows nearly all of: variances will do.
  std::fill_n(result.own_factor.data(), size * size, 0.0);
  for (std::size_t j = 0; j < size; ++j) {
    result.own_factor(j, j) = std::sqrt(rows.noise()[rows.first_of(block) + j] + rest[j]);
  }
  return result;
}

void solve_lower_transposed_from_right(const Matrix& factor, Matrix& x) {
  solve_from_right("T", factor, x);
}

void solve_lower_from_right(const Matrix& factor, Matrix& x) { solve_from_right("N", factor, x); }

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

std::size_t num_systems(OwnPart own_part, bool has_bound) {
  return has_bound && own_part != OwnPart::none ? 2 : 1;
}

std::optional<SparseSystem> make_sparse_system(const SparseRows& rows, bool has_bound,
                                               const LongWork& work) {
  SparseSystem result;
  const std::size_t m = rows.support().size();
  const std::size_t count = num_systems(rows.own_part(), has_bound);
  const double share = cube(m) / 3.0 / system_operations(rows.size(), m, count);  // of one factor
  const CholeskyOutcome outcome =
      factor_support(rows, least_jitter, result.support_factor, part_of(work, 0.0, share));
  if (!outcome.succeeded) return std::nullopt;
  result.jitter = least_jitter + outcome.jitter;
  const double summed = 1.0 - static_cast<double>(count) * share;
  RowSums(rows, count, result, part_of(work, share, summed)).add_all();
  if (!factor_system(result.posterior, part_of(work, summed, summed + share))) return std::nullopt;
  if (result.noise_alone &&
      !factor_system(*result.noise_alone, part_of(work, summed + share, 1.0))) {
    return std::nullopt;
  }
  return result;
}

void solve_system(const SparseRows& rows, const SparseSystem& system, std::span<double> x,
                  const LongWork& work) {
  for (std::size_t i = 0; i < rows.size(); ++i) x[i] /= rows.noise()[i];
  std::vector<double> weights = rows.support_product(x, part_of(work, 0.0, 0.5));
  solve_lower(system.support_factor, weights);
  solve_lower(system.bound().factor, weights);
  solve_lower_transposed(system.bound().factor, weights);
  solve_lower_transposed(system.support_factor, weights);
  const std::vector<double> explained = rows.transposed_product(weights, part_of(work, 0.5, 1.0));
  for (std::size_t i = 0; i < rows.size(); ++i) x[i] -= explained[i] / rows.noise()[i];
}

}  // namespace covary
