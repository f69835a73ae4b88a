#include "inference/sparse/sparse_rows.h"

#include <algorithm>
#include <utility>

#include "base/checkpoint.h"
#include "base/parallel.h"
#include "linalg/lapack.h"

namespace covary {
namespace {

// y := A x + y, or with A transposed.
void add_product(const char* transposed, const Matrix& a, const double* x, double* y) {
  const int rows = static_cast<int>(a.num_rows());
  const int columns = static_cast<int>(a.num_columns());
  const int step = 1;
  const double one = 1.0;
  dgemv_(transposed, &rows, &columns, &one, a.data(), &rows, x, &step, &one, y, &step);
}

void add_to_all(Matrix& matrix, double number) {
  if (number == 0.0) return;
  std::for_each_n(matrix.data(), matrix.num_rows() * matrix.num_columns(),
                  [&](double& value) { value += number; });
}

double amount_of(std::size_t rows, std::size_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

}  // namespace

SparseRows::SparseRows(const Expression& kernel, std::span<const double> parameters,
                       const TrainingRows& rows, std::vector<std::size_t> support)
    : kernel_(kernel),
      parameters_(parameters.begin(), parameters.end()),
      constant_variance_(rows.constant_variance),
      target_(rows.target.begin(), rows.target.end()),
      support_(std::move(support)) {
  for (const auto& input : rows.inputs) {
    inputs_.emplace_back(input.begin(), input.end());
    std::vector<double>& values = support_inputs_.emplace_back();
    for (const std::size_t row : support_) values.push_back(input[row]);
  }
  noise_ = kernel_.noise(kernel_parameters(), rows.inputs);
  variance_.resize(size());
  kernel_.diagonal(kernel_parameters(), rows.inputs, variance_);
  for (std::size_t i = 0; i < size(); ++i) {
    variance_[i] += constant_variance_ - noise_[i];
    noise_[i] += parameters_.back();
  }
}

InputColumns SparseRows::columns(std::size_t first, std::size_t size) const {
  InputColumns columns;
  for (const auto& input : inputs_) columns.emplace_back(input.data() + first, size);
  return columns;
}

void SparseRows::fill_support(Matrix& out, const LongWork& work) const {
  const InputColumns inputs(support_inputs_.begin(), support_inputs_.end());
  kernel_.large_gram(kernel_parameters(), inputs, out, work);
  if (constant_variance_ > 0.0) add_to_lower_triangle(out, constant_variance_);
  for (std::size_t i = 0; i < support_.size(); ++i) out(i, i) = variance_[support_[i]];
}

Matrix SparseRows::with_support(std::size_t block) const {
  const std::size_t first = block * block_rows;
  const std::size_t width = std::min(block_rows, size() - first);
  Matrix out(support_.size(), width);
  const InputColumns inputs(support_inputs_.begin(), support_inputs_.end());
  kernel_.cross(kernel_parameters(), inputs, columns(first, width), out);
  add_to_all(out, constant_variance_);
  return out;
}

std::vector<double> SparseRows::support_product(std::span<const double> v,
                                                const LongWork& work) const {
  std::vector<std::vector<double>> parts(num_blocks());
  Checkpoint checkpoint(work, static_cast<double>(num_blocks()));
  parallel_for(work.num_threads(), num_blocks(), [&](std::size_t block, std::size_t /*worker*/) {
    parts[block].assign(support_.size(), 0.0);
    add_product("N", with_support(block), v.data() + block * block_rows, parts[block].data());
    checkpoint.pass(1.0);
  });
  std::vector<double> sum(support_.size(), 0.0);
  for (const auto& part : parts) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  return sum;
}

std::vector<double> SparseRows::transposed_product(std::span<const double> v,
                                                   const LongWork& work) const {
  std::vector<double> result(size(), 0.0);
  Checkpoint checkpoint(work, static_cast<double>(num_blocks()));
  parallel_for(work.num_threads(), num_blocks(), [&](std::size_t block, std::size_t /*worker*/) {
    add_product("T", with_support(block), v.data(), result.data() + block * block_rows);
    checkpoint.pass(1.0);
  });
  return result;
}

// What the rows from `first` on have of the product: by themselves, and by what the `size` first of
// them have with those behind, which counts for both.
std::vector<double> SparseRows::tile_products(std::size_t first, std::size_t size,
                                              std::span<const double> v,
                                              Checkpoint& checkpoint) const {
  constexpr std::size_t most_rows = 1024;
  std::vector<double> result(this->size() - first, 0.0);
  const InputColumns tile_columns = columns(first, size);
  for (std::size_t from = first; from < this->size();) {
    const std::size_t height =
        from == first ? size : std::min<std::size_t>(most_rows, this->size() - from);
    Matrix tile(height, size);
    kernel_.cross(kernel_parameters(), columns(from, height), tile_columns, tile);
    add_to_all(tile, constant_variance_);
    add_product("N", tile, v.data() + first, result.data() + (from - first));
    if (from > first) add_product("T", tile, v.data() + from, result.data());
    checkpoint.pass(amount_of(height, size));
    from += height;
  }
  return result;
}

std::vector<double> SparseRows::product(std::span<const double> v, const LongWork& work) const {
  // Each has a vector of its own until all are added up in their order.
  constexpr std::size_t tile_columns = 512;
  const std::size_t num_tiles = (size() + tile_columns - 1) / tile_columns;
  const auto width = [&](std::size_t tile) {
    return std::min(tile_columns, size() - tile * tile_columns);
  };
  double total = 0.0;
  for (std::size_t tile = 0; tile < num_tiles; ++tile) {
    total += amount_of(size() - tile * tile_columns, width(tile));
  }
  Checkpoint checkpoint(work, total);
  std::vector<double> sum(size(), 0.0);
  std::vector<std::vector<double>> parts(std::min<std::size_t>(num_tiles, 64));
  for (std::size_t begin = 0; begin < num_tiles; begin += parts.size()) {
    const std::size_t count = std::min(parts.size(), num_tiles - begin);
    parallel_for(work.num_threads(), count, [&](std::size_t task, std::size_t /*worker*/) {
      const std::size_t tile = begin + task;
      parts[task] = tile_products(tile * tile_columns, width(tile), v, checkpoint);
    });
    for (std::size_t task = 0; task < count; ++task) {
      const std::size_t first = (begin + task) * tile_columns;
      for (std::size_t i = first; i < size(); ++i) sum[i] += parts[task][i - first];
    }
  }
  return sum;
}

}  // namespace covary
