#include "baselines/rbf_posterior.h"

#include "evidence/start_values.h"

namespace covary {
namespace {

// A variance of any leaf but the first: one variance serves the whole product.
bool is_fixed(const ParameterSpace& space, std::size_t parameter) {
  const ParameterSpace::Entry& entry = space[parameter];
  return entry.owner == "SE" && entry.parameter.name == "variance" && entry.column != 0;
}

}  // namespace

Expression rbf_kernel(std::size_t num_inputs) {
  const BaseKernel* const kernel = find_base_kernel("SE");
  Expression product = BoundKernel{kernel, 0};
  for (std::size_t i = 1; i < num_inputs; ++i) product = product * BoundKernel{kernel, i};
  return product;
}

RbfPosterior::RbfPosterior(const TrainingRows& rows, Laplace convention)
    : whole_(rbf_kernel(rows.inputs.size()), rows, convention), free_(whole_.size()) {
  const ParameterSpace& space = whole_.space();
  for (std::size_t p = 0; p < space.size(); ++p) {
    if (!is_fixed(space, p)) {
      position_.push_back(p);
      continue;
    }
    free_[p] = space.free(p, 1.0);
    constant_ += log_density(space[p].parameter.prior, 1.0).value;
    if (convention == Laplace::consistent) constant_ += space.log_slope(p, free_[p]).value;
  }
}

double RbfPosterior::value(std::span<const double> place) {
  for (std::size_t k = 0; k < size(); ++k) free_[position_[k]] = place[k];
  return whole_.value(free_) - constant_;
}

void RbfPosterior::gradient(std::span<double> out) {
  std::vector<double> gradient(whole_.size());
  whole_.gradient(gradient);
  for (std::size_t k = 0; k < size(); ++k) out[k] = gradient[position_[k]];
}

void RbfPosterior::gradient_and_curvature(std::span<double> out, Matrix& curvature) {
  std::vector<double> gradient(whole_.size());
  Matrix whole(whole_.size(), whole_.size());
  whole_.gradient_and_curvature(gradient, whole);
  for (std::size_t k = 0; k < size(); ++k) {
    out[k] = gradient[position_[k]];
    for (std::size_t m = 0; m < size(); ++m) curvature(m, k) = whole(position_[m], position_[k]);
  }
}

std::vector<double> RbfPosterior::parameters(std::span<const double> place) const {
  // Exactly 1, not what is left of it after the way through the free numbers.
  std::vector<double> parameters(whole_.size(), 1.0);
  for (std::size_t k = 0; k < size(); ++k) {
    parameters[position_[k]] = whole_.space().natural(position_[k], place[k]);
  }
  return parameters;
}

std::vector<double> RbfPosterior::place(std::span<const double> parameters) const {
  std::vector<double> place(size());
  for (std::size_t k = 0; k < size(); ++k) {
    place[k] = whole_.space().free(position_[k], parameters[position_[k]]);
  }
  return place;
}

std::vector<double> RbfPosterior::start(Random& random) const {
  return place(whole_.space().natural(start_from_priors(whole_.space(), random)));
}

}  // namespace covary
