#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace covary {

// A dense column-major matrix of doubles, not initialised. Copies are deliberate: copy_of().
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t num_rows, std::size_t num_columns)
      : num_rows_(num_rows),
        num_columns_(num_columns),
        storage_(new double[num_rows * num_columns + alignment]),
        data_(aligned(storage_.get())) {}
  Matrix(Matrix&&) noexcept = default;
  Matrix& operator=(Matrix&&) noexcept = default;
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() = default;

  static Matrix copy_of(const Matrix& other);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_columns() const { return num_columns_; }
  double* data() { return data_; }
  const double* data() const { return data_; }
  double* column(std::size_t j) { return data_ + j * num_rows_; }
  const double* column(std::size_t j) const { return data_ + j * num_rows_; }
  double& operator()(std::size_t i, std::size_t j) { return data_[j * num_rows_ + i]; }
  double operator()(std::size_t i, std::size_t j) const { return data_[j * num_rows_ + i]; }

 private:
  // In doubles: 64 bytes. By hand: glibc finds no room for an aligned array where one of the same
  // size was before, so that a heap would grow with each.
  static constexpr std::size_t alignment = 8;
  static double* aligned(double* storage) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(storage) / sizeof(double) % alignment;
    return storage + (alignment - past) % alignment;
  }

  std::size_t num_rows_ = 0;
  std::size_t num_columns_ = 0;
  std::unique_ptr<double[]> storage_;
  double* data_ = nullptr;
};

void add_to_lower_triangle(Matrix& matrix, double number);

}  // namespace covary
