#include "evidence/posterior_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "evidence/curvature.h"
#include "evidence/fitted_kernel.h"
#include "linalg/symmetric.h"
#include "optim/look.h"

namespace covary {
namespace {

constexpr double weight_of_maximum = 0.2;

// The corners of a cube around the maximum that are tried: the runs of a two-level design with a
// column for each parameter. Every column is balanced and no two are correlated, so that mean and
// covariance of the points are those of the posterior. A power of two, more than the parameters.
std::size_t num_corners(std::size_t num_parameters) { return std::bit_ceil(num_parameters + 1); }

double sign_of(std::size_t corner, std::size_t coordinate) {
  return std::popcount(corner & (coordinate + 1)) % 2 == 0 ? 1.0 : -1.0;
}

// One standard deviation of the posterior along each of its principal axes, in units of the
// prior's: no wider than that, which is all that is known where the data say nothing.
Matrix principal_axes(const Matrix& negative_hessian, const std::vector<double>& precision) {
  const std::size_t d = precision.size();
  const Eigen eigen = symmetric_eigen(in_prior_units(negative_hessian, precision));
  Matrix axes(d, d);
  for (std::size_t k = 0; k < d; ++k) {
    const double sd = 1.0 / std::sqrt(std::max(eigen.values[k], 1.0));
    for (std::size_t i = 0; i < d; ++i) {
      axes(i, k) = sd * eigen.vectors(i, k) / std::sqrt(precision[i]);
    }
  }
  return axes;
}

// What a corner counts: its share under the Gaussian of Laplace's approximation, corrected by how
// much more or less density there is than that has, and no more than the maximum.
std::vector<double> weights_of(const std::vector<Look>& looks, double squared_distance) {
  const double share = (1.0 - weight_of_maximum) / static_cast<double>(looks.size() - 1);
  std::vector<double> weights = {weight_of_maximum};
  double sum = weight_of_maximum;
  for (std::size_t s = 1; s < looks.size(); ++s) {
    const double more = looks[s].value() - looks.front().value() + 0.5 * squared_distance;
    weights.push_back(std::min(share * std::exp(more), weight_of_maximum));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::size_t num_posterior_points(std::size_t num_parameters) {
  return 1 + num_corners(num_parameters);
}

std::vector<PosteriorPoint> posterior_points(const Dataset& data, const Expression& kernel,
                                             const std::vector<double>& parameters,
                                             const EvidenceOptions& options) {
  const FitData fit_data(data, options.mean, options.priors);
  const Expression bound = bound_to(data, kernel);
  const LogPrior prior(bound, options.laplace, fit_data.prior_scales());
  const std::function<bool()> never;
  FitWork work(inference_for(data.num_rows()), options.threads, never);
  FittedKernel fit(bound, prior, fit_data, options, work, prior.space().free(parameters));
  const std::optional<Matrix> hessian = negative_hessian(fit);
  if (!hessian) return {{parameters, 1.0}};
  const Matrix axes = principal_axes(*hessian, prior_precision(prior.space()));
  const std::size_t d = fit.place().size();
  const double reach = 1.0 / std::sqrt(1.0 - weight_of_maximum);  // keeps the covariance

  std::vector<Look> looks;
  looks.emplace_back(fit.place());
  for (std::size_t corner = 0; corner < num_corners(d); ++corner) {
    std::vector<double> place = fit.place();
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t i = 0; i < d; ++i) place[i] += sign_of(corner, k) * reach * axes(i, k);
    }
    looks.emplace_back(std::move(place));
  }
  std::vector<Stepper*> walks;
  walks.reserve(looks.size());
  for (Look& look : looks) walks.push_back(&look);
  fit.lead(walks);

  const std::vector<double> weights = weights_of(looks, reach * reach * static_cast<double>(d));
  std::vector<PosteriorPoint> points = {{parameters, weights.front()}};
  for (std::size_t s = 1; s < looks.size(); ++s) {
    if (!(weights[s] > 0.0)) continue;
    points.push_back({prior.space().natural(looks[s].place()), weights[s]});
  }
  return points;
}

}  // namespace covary
