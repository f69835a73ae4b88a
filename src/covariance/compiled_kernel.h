#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/long_work.h>

#include "kernels/numerics.h"
#include "linalg/matrix.h"

namespace covary {

// Input columns of equal length, not owned.
using InputColumns = std::vector<std::span<const double>>;

// An expression made ready to be computed: its nodes in an order in which operands come first.
// Parameters are those of the expression in preorder, an operator's before its operands', each by
// its natural value (a lengthscale, not its logarithm). Holds no data; safe to share by threads.
class CompiledKernel {
 public:
  explicit CompiledKernel(const Expression& expression);

  std::size_t num_parameters() const { return num_parameters_; }

  // What gram() leaves for weighted_gradient() at the same parameters, so that it is not computed
  // twice: the values of base kernels, and what their derivatives share with them. Use it again and
  // again to save allocations.
  struct Kept {
    std::size_t num_arrays = 0;  // each a lower triangle, its columns padded
    std::size_t array_size = 0;
    std::vector<std::size_t> column_offset;
    std::vector<double> values;
  };
  static std::size_t max_kept(
      std::size_t num_rows);  // arrays, at the most: half a Gram matrix each

  // The lower triangle of the Gram matrix; the upper one is not touched.
  void gram(std::span<const double> parameters, const InputColumns& x, Matrix& out,
            Kept* kept = nullptr) const;

  // gradient[p] = sum over i >= j of weights(i, j) * d k(x_i, x_j) / d parameter[p], in one sweep.
  void weighted_gradient(std::span<const double> parameters, const InputColumns& x,
                         const Matrix& weights, std::span<double> gradient,
                         Kept* kept = nullptr) const;

  // Column p is (dK / d parameter[p]) * vector, K being the whole symmetric Gram matrix.
  void derivative_products(std::span<const double> parameters, const InputColumns& x,
                           std::span<const double> vector, Matrix& out, Kept* kept = nullptr) const;

  // The same three of many rows: on several threads, which changes no bit, with nothing kept. They
  // throw WorkStopped.
  void large_gram(std::span<const double> parameters, const InputColumns& x, Matrix& out,
                  const LongWork& work) const;
  void large_weighted_gradient(std::span<const double> parameters, const InputColumns& x,
                               const Matrix& weights, std::span<double> gradient,
                               const LongWork& work) const;
  void large_derivative_products(std::span<const double> parameters, const InputColumns& x,
                                 std::span<const double> vector, Matrix& out,
                                 const LongWork& work) const;

  // out(i, j) = k(rows_i, columns_j), none of these being the same row: equal inputs or not, they
  // share no white noise.
  void cross(std::span<const double> parameters, const InputColumns& rows,
             const InputColumns& columns, Matrix& out) const;

  // out[i] = k(x_i, x_i).
  void diagonal(std::span<const double> parameters, const InputColumns& x,
                std::span<double> out) const;

  // The white noise in it: what a row shares with itself, but not with another of the same inputs.
  std::vector<double> noise(std::span<const double> parameters, const InputColumns& x) const;

 private:
  struct Node {
    const KernelNumerics* kernel = nullptr;  // of a leaf
    const OperatorNumerics* op = nullptr;    // of an inner node
    std::size_t column = 0;
    double period = 1.0;  // the unit in which a leaf sees its column
    std::size_t num_parameters = 0;
    std::size_t first_parameter = 0;
    std::size_t left = 0;  // operands, by position
    std::size_t right = 0;
  };
  // Every node's features of every row.
  struct Features {
    std::vector<std::array<const double*, max_features>> of_node;
    std::vector<double> storage;
  };
  class Sweep;

  std::size_t add(const Expression& expression);
  std::vector<Sweep> sweeps(std::size_t count, std::span<const double> parameters,
                            const Features& features) const;
  void make_room(Kept& kept, std::size_t num_rows) const;
  // Rows are told apart by their numbers, counted from `first_row`.
  Features prepare(std::span<const double> parameters, const InputColumns& x,
                   std::size_t first_row = 0) const;

  std::vector<Node> nodes_;
  std::size_t num_parameters_ = 0;
};

}  // namespace covary
