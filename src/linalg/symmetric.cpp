#include "linalg/symmetric.h"

#include "linalg/cholesky.h"
#include "linalg/lapack.h"

namespace covary {

Eigen symmetric_eigen(const Matrix& matrix) {
  Eigen eigen{std::vector<double>(matrix.num_rows()), Matrix::copy_of(matrix)};
  const int n = static_cast<int>(matrix.num_rows());
  const int work_size = 34 * n + 34;
  std::vector<double> work(static_cast<std::size_t>(work_size));
  int info = 0;
  dsyev("V", "L", &n, eigen.vectors.data(), &n, eigen.values.data(), work.data(), &work_size,
        &info);
  return eigen;
}

bool solve_positive_definite(const Matrix& matrix, std::span<double> x) {
  Matrix factor = Matrix::copy_of(matrix);
  const int n = static_cast<int>(matrix.num_rows());
  int info = 0;
  dpotrf("L", &n, factor.data(), &n, &info);
  if (info != 0) return false;
  solve_lower(factor, x);
  solve_lower_transposed(factor, x);
  return true;
}

}  // namespace covary
