#include "linalg/matrix.h"

#include <algorithm>

namespace covary {

Matrix Matrix::copy_of(const Matrix& other) {
  Matrix copy(other.num_rows_, other.num_columns_);
  std::copy_n(other.data(), other.num_rows_ * other.num_columns_, copy.data());
  return copy;
}

}  // namespace covary
