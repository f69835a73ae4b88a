#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <covary/model.h>

#include "covariance/product_kernel.h"
#include "expression/normal_form.h"
#include "gp/posterior.h"
#include "linalg/matrix.h"

namespace covary {

// The components of a model on the scaled data, by the model's own posterior. A component is one
// product of the kernel's normal form, or several of the same kernel whose parameters are so close
// that the data know their sum only; or what the normal form leaves unexpanded. It is
// f_c(x) − (the mean of f_c over the training inputs): the constants that LIN, PER and others carry
// are not identifiable one by one, and go to one offset. With k_c the component's kernel,
// v_c[i] = mean over rows j of k_c(x_j, x_i) and s_c = mean of v_c:
//   mean        Σ_i α_i (k_c(x, x_i) − v_c[i])
//   prior       k_c(x, x') − r(x) − r(x') + s_c,   r(x) = mean over rows j of k_c(x_j, x)
class ComponentAlgebra {
 public:
  explicit ComponentAlgebra(const FittedModel& model);

  const FittedModel& model() const { return model_; }
  const NormalForm& form() const { return form_; }
  const std::vector<Product>& products() const { return form_.products; }  // all of them
  // Whether every component is made of products. Else some are summands of the kernel that would
  // be too many products.
  bool is_expanded() const { return form_.unexpanded.empty(); }
  std::size_t size() const { return groups_.size(); }
  std::size_t num_products(std::size_t c) const { return groups_[c].size(); }
  const Product* product(std::size_t c) const;            // null if it is not expanded
  const Summand* unexpanded(std::size_t c) const;         // null if it is
  bool is_noise(std::size_t c) const;                     // nothing but white noise of some size
  bool is_constant(std::size_t c) const;                  // which is all in the offset
  std::vector<std::size_t> columns(std::size_t c) const;  // that it acts on, rising
  std::string kernel_text(std::size_t c) const;           // "2*LIN*SE", with the inputs' names
  std::size_t num_rows() const { return model_.data().num_rows(); }
  const InputColumns& inputs() const { return inputs_; }
  void gram(std::size_t c, Matrix& out) const;  // of the training rows, whole and symmetric
  const Posterior& posterior() const { return model_.posterior(); }

  // The variance of its white noise at the points, which is no part of what it is at the rows.
  std::vector<double> noise(std::size_t c, const InputColumns& points) const;

  // matrix := the model's covariance matrix of the training rows, noise included, less `matrix`:
  // the lower triangle.
  void subtract_from_covariance(Matrix& matrix) const;
  double constant_variance() const;  // of an unknown constant mean; 0 without

  const std::vector<double>& kernel_means(std::size_t c) const { return kernel_means_[c]; }  // v_c
  const std::vector<double>& means_at_rows(std::size_t c) const { return means_at_rows_[c]; }
  double constant(std::size_t c) const { return constants_[c]; }  // its share in the offset
  double offset() const { return offset_; }

  // Of its sides of change points at the points; 1 without.
  std::vector<double> weights(std::size_t c, const InputColumns& points) const {
    return kernels_[groups_[c].front()].weights(points);
  }

  struct Spread {
    std::vector<double> mean;
    std::vector<double> sd;
    std::vector<double> prior_sd;
  };
  Spread spread(std::size_t c, const InputColumns& points) const;

  // Spread before and after the data of what f_c(x) is beyond its mean m over the rows,
  //   f_c(x) − (r(x) / s_c) m,
  // which m says nothing of. Centred, a smooth function would seem surer forever, for its mean is
  // known; as it is, a periodic or linear one never, for its constant is not.
  struct Doubt {
    std::vector<double> prior_sd;
    std::vector<double> sd;
  };
  Doubt doubt(std::size_t c, const InputColumns& points) const;

  // Mean, prior and posterior covariance at the points, whole and symmetric.
  struct Joint {
    std::vector<double> mean;
    Matrix prior;
    Matrix posterior;
  };
  Joint joint(std::size_t c, const InputColumns& points) const;

  // The mean of all components together, without the offset.
  std::vector<double> total_mean(const InputColumns& points) const;

 private:
  struct Centred {
    Matrix cross;                   // k_c(x_i, x) − v_c[i]
    std::vector<double> row_means;  // r(x)
  };
  void cross(std::size_t c, const InputColumns& points, Matrix& out) const;
  std::vector<double> diagonal(std::size_t c, const InputColumns& points) const;
  void group_products();
  // What component c has on average over the rows, and is in the mean, at each of them.
  struct AtRows {
    std::vector<double> kernel_means;
    std::vector<double> means;
  };
  AtRows at_rows(std::size_t c) const;
  Centred centred_cross(std::size_t c, const InputColumns& points) const;

  FittedModel model_;
  NormalForm form_;
  std::vector<ProductKernel> kernels_;  // one for each product, then for each that is none
  std::vector<std::vector<std::size_t>> groups_;  // the products of each component
  InputColumns inputs_;
  CompiledKernel compiled_;
  std::vector<std::vector<double>> kernel_means_;
  std::vector<double> grand_means_;  // s_c
  std::vector<std::vector<double>> means_at_rows_;
  std::vector<double> constants_;
  double offset_ = 0.0;  // of the scaled target
};

// Part of some columns, not owned.
InputColumns slice(const InputColumns& columns, std::size_t first, std::size_t size);
InputColumns spans_of(const std::vector<std::vector<double>>& columns);

// The inputs of at most so many rows, evenly among all.
std::vector<std::vector<double>> some_rows(const ComponentAlgebra& algebra, std::size_t most);

double variance_of(std::span<const double> values);  // divisor n

}  // namespace covary
