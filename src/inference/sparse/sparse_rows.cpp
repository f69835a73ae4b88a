#include "inference/sparse/sparse_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checkpoint.h"
#include "base/parallel.h"
#include "linalg/lapack.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

// y := A x + y, or with A transposed.
void add_product(const char* transposed, const Matrix& a, const double* x, double* y) {
  const int rows = static_cast<int>(a.num_rows());
  const int columns = static_cast<int>(a.num_columns());
  const int step = 1;
  const double one = 1.0;
  dgemv(transposed, &rows, &columns, &one, a.data(), &rows, x, &step, &one, y, &step);
}

void add_to_all(Matrix& matrix, double number) {
  if (number == 0.0) return;
  std::for_each_n(matrix.data(), matrix.num_rows() * matrix.num_columns(),
                  [&](double& value) { value += number; });
}

// Along the only input, or as they are.
std::vector<std::size_t> order_of(const InputColumns& inputs, std::size_t num_rows) {
  std::vector<std::size_t> order(num_rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (inputs.size() == 1) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return inputs[0][a] < inputs[0][b]; });
  }
  return order;
}

std::vector<double> ordered(std::span<const double> values, const std::vector<std::size_t>& order) {
  std::vector<double> result;
  result.reserve(order.size());
  for (const std::size_t row : order) result.push_back(values[row]);
  return result;
}

double amount_of(std::size_t rows, std::size_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

}  // namespace

SparseRows::SparseRows(const Expression& kernel, std::span<const double> parameters,
                       const TrainingRows& rows, std::vector<std::size_t> support, OwnPart own_part)
    : kernel_(kernel),
      parameters_(parameters.begin(), parameters.end()),
      constant_variance_(rows.constant_variance),
      own_part_(own_part),
      order_(order_of(rows.inputs, rows.size())),
      target_(ordered(rows.target, order_)),
      given_target_(rows.target.begin(), rows.target.end()),
      support_(std::move(support)) {
  for (const auto& input : rows.inputs) {
    inputs_.push_back(ordered(input, order_));
    support_inputs_.push_back(ordered(input, support_));
  }
  const std::vector<double> white = kernel_.noise(kernel_parameters(), rows.inputs);
  std::vector<double> variance(size());
  kernel_.diagonal(kernel_parameters(), rows.inputs, variance);
  for (std::size_t i = 0; i < size(); ++i) variance[i] += constant_variance_ - white[i];
  support_variance_ = ordered(variance, support_);
  variance_ = ordered(variance, order_);
  noise_ = ordered(white, order_);
  for (double& noise : noise_) noise += parameters_.back();
}

std::size_t SparseRows::size_of(std::size_t block) const {
  return std::min(block_rows, size() - first_of(block));
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
  for (std::size_t i = 0; i < support_.size(); ++i) out(i, i) = support_variance_[i];
}

Matrix SparseRows::with_support(std::size_t block) const {
  const std::size_t width = size_of(block);
  Matrix out(support_.size(), width);
  const InputColumns inputs(support_inputs_.begin(), support_inputs_.end());
  kernel_.cross(kernel_parameters(), inputs, columns(first_of(block), width), out);
  add_to_all(out, constant_variance_);
  return out;
}

Matrix SparseRows::own_covariances(std::size_t block, const Matrix& known,
                                   std::span<double> rest) const {
  const std::size_t first = first_of(block);
  const std::size_t width = size_of(block);
  Matrix own(width, width);
  if (own_part_ == OwnPart::stretches) {
    kernel_.cross(kernel_parameters(), columns(first, width), columns(first, width), own);
    add_to_all(own, constant_variance_);
    const int inner = static_cast<int>(known.num_rows());
    const int size = static_cast<int>(width);
    const double one = 1.0;
    const double minus_one = -1.0;
    dsyrk("L", "T", &size, &inner, &minus_one, known.data(), &inner, &one, own.data(), &size);
  } else {
    std::fill_n(own.data(), width * width, 0.0);
  }
  for (std::size_t j = 0; j < width; ++j) {
    const std::span<const double> column(known.column(j), known.num_rows());
    rest[j] = std::max(variance_[first + j] - dot(column, column), 0.0);
    own(j, j) = noise_[first + j] + (own_part_ == OwnPart::none ? 0.0 : rest[j]);
  }
  return own;
}

std::vector<double> SparseRows::support_product(std::span<const double> v,
                                                const LongWork& work) const {
  std::vector<std::vector<double>> parts(num_blocks());
  Checkpoint checkpoint(work, static_cast<double>(num_blocks()));
  parallel_for(work.num_threads(), num_blocks(), [&](std::size_t block, std::size_t /*worker*/) {
    parts[block].assign(support_.size(), 0.0);
    add_product("N", with_support(block), v.data() + first_of(block), parts[block].data());
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
    add_product("T", with_support(block), v.data(), result.data() + first_of(block));
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
