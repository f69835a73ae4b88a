#include "inference/state_space/state_space_evidence.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/checkpoint.h"
#include "base/parallel.h"
#include "covariance/compiled_kernel.h"
#include "inference/state_space/moving_state.h"
#include "linalg/cholesky.h"
#include "linalg/lapack.h"

namespace covary {
namespace {

// Rows whose functions are there at a time, and the size of tiles of their products, each of which
// one thread adds up.
constexpr std::size_t batch_rows = 1024;
constexpr std::size_t tile_size = 512;

std::size_t state_size(const WaveTerm& term) {
  return term.num_functions() * MarkovProcess(term.factors).size();
}

// Along the input; of equal ones as they are.
std::vector<std::size_t> order_of(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  return order;
}

// With Φ the still functions at the rows, M the covariances of what moves and the noise, and
// M = C C':  the lower triangle of Z'Z, Z = C^-1 [Φ y], and log|M|.
class Whitened {
 public:
  Whitened(const StateSpaceModel& model, const TrainingRows& rows, const LongWork& work)
      : model_(model),
        rows_(rows),
        order_(order_of(rows.inputs[0])),
        num_threads_(work.num_threads()),
        width_(model.num_still() + 1),
        state_(model.moving, model.stretch.low, width_),
        batch_(width_, std::min(batch_rows, rows.size())),
        products_(width_, width_),
        checkpoint_(work, 2.0 * static_cast<double>(rows.size())) {
    std::fill_n(products_.data(), width_ * width_, 0.0);
    for (std::size_t j = 0; j < width_; j += tile_size) {
      for (std::size_t i = j; i < width_; i += tile_size) tiles_.emplace_back(i, j);
    }
    for (std::size_t first = 0; first < rows.size(); first += batch_rows) {
      const std::size_t count = std::min(batch_rows, rows.size() - first);
      fill(first, count);
      whiten(first, count);
      add_products(count);
    }
  }

  Matrix& products() { return products_; }
  double log_determinant() const { return log_determinant_; }

 private:
  void fill(std::size_t first, std::size_t count) {
    constexpr std::size_t stretch = 64;
    const std::size_t num_tasks = (count + stretch - 1) / stretch;
    parallel_for(num_threads_, num_tasks, [&](std::size_t task, std::size_t /*worker*/) {
      for (std::size_t i = task * stretch; i < std::min(count, (task + 1) * stretch); ++i) {
        const std::size_t row = order_[first + i];
        double* out = batch_.column(i);
        for (const WaveTerm& term : model_.still) {
          wave_functions(term.waves, rows_.inputs[0][row], model_.stretch.low, out);
        }
        out[width_ - 1] = rows_.target[row];
      }
    });
  }

  void whiten(std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = order_[first + i];
      const double variance =
          state_.take(rows_.inputs[0][row], model_.noise[row], {batch_.column(i), width_});
      log_determinant_ += std::log(variance);
      checkpoint_.pass(1.0);
    }
  }

  void add_products(std::size_t count) {
    const int stride = static_cast<int>(width_);
    const int inner = static_cast<int>(count);
    const double one = 1.0;
    parallel_for(num_threads_, tiles_.size(), [&](std::size_t task, std::size_t /*worker*/) {
      const auto [i, j] = tiles_[task];
      const int height = static_cast<int>(std::min(tile_size, width_ - i));
      const int width = static_cast<int>(std::min(tile_size, width_ - j));
      double* tile = products_.column(j) + i;
      if (i == j) {
        dsyrk("L", "N", &height, &inner, &one, batch_.data() + i, &stride, &one, tile, &stride);
      } else {
        dgemm("N", "T", &height, &width, &inner, &one, batch_.data() + i, &stride,
              batch_.data() + j, &stride, &one, tile, &stride);
      }
      checkpoint_.pass(static_cast<double>(count) / static_cast<double>(tiles_.size()));
    });
  }

  const StateSpaceModel& model_;
  const TrainingRows& rows_;
  std::vector<std::size_t> order_;
  std::size_t num_threads_;
  std::size_t width_;
  MovingState state_;
  Matrix batch_;  // a row of the data is a column
  Matrix products_;
  double log_determinant_ = 0.0;
  std::vector<std::pair<std::size_t, std::size_t>> tiles_;
  Checkpoint checkpoint_;
};

}  // namespace

std::size_t StateSpaceModel::num_still() const {
  std::size_t sum = 0;
  for (const WaveTerm& term : still) sum += term.num_functions();
  return sum;
}

std::size_t StateSpaceModel::num_moving() const {
  std::size_t sum = 0;
  for (const WaveTerm& term : moving) sum += state_size(term);
  return sum;
}

std::optional<StateSpaceModel> state_space_model(const Expression& kernel,
                                                 std::span<const double> parameters,
                                                 const TrainingRows& rows,
                                                 const StateSpaceLimits& limits) {
  constexpr std::size_t most_waves = 20'000;
  if (rows.inputs.size() != 1 || rows.size() == 0) return std::nullopt;
  const std::span<const double> x = rows.inputs[0];
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  StateSpaceModel model{{}, {}, {*low, *high}, {}, 0.0};
  std::optional<std::vector<WaveTerm>> terms =
      wave_terms(kernel, parameters, rows.constant_variance, model.stretch, most_waves);
  if (!terms) return std::nullopt;
  const CompiledKernel compiled(kernel);
  model.noise = compiled.noise(parameters.first(compiled.num_parameters()), rows.inputs);
  for (double& noise : model.noise) noise += parameters.back();
  const double least_noise = *std::min_element(model.noise.begin(), model.noise.end());
  if (!(least_noise > 0.0)) return std::nullopt;
  model.dropped = drop_small_waves(
      *terms, model.stretch, limits.open_per_row * least_noise / static_cast<double>(rows.size()));
  for (WaveTerm& term : *terms) {
    (term.factors.empty() ? model.still : model.moving).push_back(std::move(term));
  }
  if (state_space_operations(model, rows.size()) > limits.operations) return std::nullopt;
  return model;
}

// Of each row: its functions and their products; and the covariance of the state and its means for
// them, which move and learn by vectors. That takes so many times as long for each operation
// (bench/state_space_study).
double state_space_operations(const StateSpaceModel& model, std::size_t num_rows) {
  constexpr double operations_of_function = 600.0;
  constexpr double slower = 16.0;
  const auto still = static_cast<double>(model.num_still());
  const auto moving = static_cast<double>(model.num_moving());
  double move = 0.0;
  for (const WaveTerm& term : model.moving) {
    const auto m = static_cast<double>(MarkovProcess(term.factors).size());
    move += static_cast<double>(state_size(term)) * (m + 1.0);
  }
  const double each =
      still * (still + operations_of_function) + slower * move * (2.0 * moving + still + 1.0);
  return static_cast<double>(num_rows) * each + still * still * still / 3.0;
}

// log|M + ΦΦ'| = log|M| + log|I + Z'Z| and y'(M + ΦΦ')^-1 y = z'z − z'Z (I + Z'Z)^-1 Z'z: the
// square of the last pivot of the matrix with z beside Z.
std::optional<Posterior::Interval> state_space_evidence(const StateSpaceModel& model,
                                                        const TrainingRows& rows,
                                                        const LongWork& work) {
  const auto n = static_cast<double>(rows.size());
  constexpr double summed = 0.95;
  Whitened whitened(model, rows, part_of(work, 0.0, summed));
  Matrix& factor = whitened.products();
  const std::size_t last = factor.num_columns() - 1;
  bool is_filled = false;
  const CholeskyOutcome outcome = large_cholesky(
      factor,
      [&](Matrix& matrix) {
        // After a failure there is no more to be said.
        if (is_filled) std::fill_n(matrix.data(), (last + 1) * (last + 1), 0.0);
        for (std::size_t j = 0; j < last + (is_filled ? 1 : 0); ++j) matrix(j, j) += 1.0;
        is_filled = true;
      },
      part_of(work, summed, 1.0));
  if (!outcome.succeeded || outcome.jitter > 0.0) return std::nullopt;
  const double quadratic = factor(last, last) * factor(last, last);
  const double log_determinant =
      whitened.log_determinant() + covary::log_determinant(factor) - std::log(quadratic);
  const double value = -0.5 * (quadratic + log_determinant + n * std::log(2.0 * std::numbers::pi));
  if (!std::isfinite(value)) return std::nullopt;
  const double open =
      0.5 * n * model.dropped / *std::min_element(model.noise.begin(), model.noise.end());
  return Posterior::Interval{value - open, value + open * quadratic};
}

}  // namespace covary
