#include "linalg/matrix.h"

#include <algorithm>

namespace covary {

Matrix Matrix::copy_of(const Matrix& other) {
  Matrix copy(other.num_rows_, other.num_columns_);
  std::copy_n(other.data(), other.num_rows_ * other.num_columns_, copy.data());
  return copy;
}

void add_to_lower_triangle(Matrix& matrix, double number) {
  for (std::size_t j = 0; j < matrix.num_columns(); ++j) {
    for (std::size_t i = j; i < matrix.num_rows(); ++i) matrix(i, j) += number;
  }
}

}  // namespace covary
