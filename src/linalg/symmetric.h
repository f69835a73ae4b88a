#pragma once

#include <span>
#include <vector>

#include "linalg/matrix.h"

namespace covary {

// Eigenvalues of a small symmetric matrix in rising order, and its eigenvectors as columns.
struct Eigen {
  std::vector<double> values;
  Matrix vectors;
};

// REQUIRES: finite entries. Reads the lower triangle.
Eigen symmetric_eigen(const Matrix& matrix);

// Solves matrix * x = x for a small symmetric positive definite matrix; false if it is not
// definite.
bool solve_positive_definite(const Matrix& matrix, std::span<double> x);

}  // namespace covary
