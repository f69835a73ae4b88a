#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace covary {

// A dense column-major matrix of doubles, not initialised. Copies are deliberate: copy_of().
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t num_rows, std::size_t num_columns)
      : num_rows_(num_rows),
        num_columns_(num_columns),
        data_(new (alignment) double[num_rows * num_columns]) {}
  Matrix(Matrix&&) noexcept = default;
  Matrix& operator=(Matrix&&) noexcept = default;
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() = default;

  static Matrix copy_of(const Matrix& other);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_columns() const { return num_columns_; }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double* column(std::size_t j) { return data_.get() + j * num_rows_; }
  const double* column(std::size_t j) const { return data_.get() + j * num_rows_; }
  double& operator()(std::size_t i, std::size_t j) { return data_.get()[j * num_rows_ + i]; }
  double operator()(std::size_t i, std::size_t j) const { return data_.get()[j * num_rows_ + i]; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* data) const { ::operator delete[](data, alignment); }
  };

  std::size_t num_rows_ = 0;
  std::size_t num_columns_ = 0;
  std::unique_ptr<double[], Free> data_;
};

void add_to_lower_triangle(Matrix& matrix, double number);

}  // namespace covary
