#pragma once

#include <optional>
#include <vector>

#include "covariance/compiled_kernel.h"
#include "expression/normal_form.h"

namespace covary {

// One product of the normal form made ready to be computed:
//   k(x, x') = w(x) w(x') × the product of its base kernels,   w: its sides of change points.
// Part of a product will do, even its sides alone; or any expression, which has no sides. Holds its
// parameters, no data; safe to share by threads.
class ProductKernel {
 public:
  explicit ProductKernel(const Product& product);
  ProductKernel(const Expression& expression, std::span<const double> parameters);

  // The whole symmetric Gram matrix.
  void gram(const InputColumns& x, Matrix& out) const;
  // out(i, j) = k(rows_i, columns_j) of rows that share no white noise.
  void cross(const InputColumns& rows, const InputColumns& columns, Matrix& out) const;
  // out[i] = k(x_i, x_i).
  void diagonal(const InputColumns& x, std::span<double> out) const;
  // The part of it that is white noise, which only a row itself has.
  std::vector<double> noise(const InputColumns& x) const;

  bool has_sides() const { return !sides_.empty(); }
  std::vector<double> weights(const InputColumns& x) const;  // w; 1 without sides

 private:
  std::vector<Factor> sides_;
  std::vector<double> parameters_;
  std::optional<CompiledKernel> compiled_;  // without the sides, if there is anything else
};

}  // namespace covary
