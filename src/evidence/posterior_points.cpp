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

// A principal axis of the posterior: one standard deviation along it, in the free numbers, and
// how many of these the prior's own would be.
struct Axis {
  std::vector<double> step;
  double prior_sd = 1.0;
};

// No wider than the prior, which is all that is known where the data say nothing.
std::vector<Axis> principal_axes(const Matrix& negative_hessian,
                                 const std::vector<double>& precision) {
  const std::size_t d = precision.size();
  const Eigen eigen = symmetric_eigen(in_prior_units(negative_hessian, precision));
  std::vector<Axis> axes(d);
  for (std::size_t k = 0; k < d; ++k) {
    const double sd = 1.0 / std::sqrt(std::max(eigen.values[k], 1.0));
    axes[k].prior_sd = 1.0 / sd;
    for (std::size_t i = 0; i < d; ++i) {
      axes[k].step.push_back(sd * eigen.vectors(i, k) / std::sqrt(precision[i]));
    }
  }
  return axes;
}

void step(std::vector<double>& place, const Axis& axis, double length) {
  for (std::size_t i = 0; i < place.size(); ++i) place[i] += length * axis.step[i];
}

void look_at(std::vector<Look>& looks, FittedKernel& fit) {
  std::vector<Stepper*> walks;
  walks.reserve(looks.size());
  for (Look& look : looks) walks.push_back(&look);
  fit.lead(walks);
}

// How far the posterior reaches along an axis, to the one side and to the other, in units of the
// standard deviation that the curvature at the maximum says: a variance may well be larger than
// that, and hardly smaller. As far as one value on each side tells (the split normal of INLA).
struct Reach {
  double below = 1.0;
  double above = 1.0;
  double of(double sign) const { return sign > 0.0 ? above : below; }
  // What the side counts for, on average 1.
  double share(double sign) const { return 2.0 * of(sign) / (below + above); }
};

// A side where the density falls by `drop` within `distance` standard deviations. Never wider than
// `widest`, which is where the prior alone would be.
double reach_of(double drop, double distance, double widest) {
  constexpr double narrowest = 0.5;
  const double most = std::max(std::min(widest, 2.0), 1.0);
  if (!(drop > 0.0)) return most;
  return std::clamp(distance / std::sqrt(2.0 * drop), narrowest, most);
}

std::vector<Reach> reaches_along(const std::vector<Axis>& axes, double distance,
                                 FittedKernel& fit) {
  std::vector<Look> looks;
  looks.emplace_back(fit.place());
  for (const Axis& axis : axes) {
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> place = fit.place();
      step(place, axis, sign * distance);
      looks.emplace_back(std::move(place));
    }
  }
  look_at(looks, fit);
  std::vector<Reach> reaches;
  const double best = looks.front().value();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    reaches.push_back({reach_of(best - looks[2 * k + 1].value(), distance, axes[k].prior_sd),
                       reach_of(best - looks[2 * k + 2].value(), distance, axes[k].prior_sd)});
  }
  return reaches;
}

// What a corner counts: its share under the split normal, corrected by how much more or less
// density there is than that has, and no more than the maximum.
std::vector<double> weights_of(const std::vector<Look>& looks, const std::vector<Reach>& reaches,
                               double squared_distance) {
  const double share = (1.0 - weight_of_maximum) / static_cast<double>(looks.size() - 1);
  std::vector<double> weights = {weight_of_maximum};
  double sum = weight_of_maximum;
  for (std::size_t s = 1; s < looks.size(); ++s) {
    double weight =
        share * std::exp(looks[s].value() - looks.front().value() + 0.5 * squared_distance);
    for (std::size_t k = 0; k < reaches.size(); ++k) {
      weight *= reaches[k].share(sign_of(s - 1, k));
    }
    weights.push_back(std::min(weight, weight_of_maximum));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Nodes, by their preorder index, whose variances multiply the whole kernel when all of them are
// multiplied by one number: both sides of a sum, one of a product.
void add_amplitudes(const Expression& kernel, std::size_t index, std::vector<std::size_t>& nodes) {
  if (kernel.is_leaf()) {
    nodes.push_back(index);
    return;
  }
  add_amplitudes(kernel.left(), index + 1, nodes);
  if (kernel.op().op == &mult_operator()) return;
  add_amplitudes(kernel.right(), index + 1 + kernel.left().num_nodes(), nodes);
}

// How much the size of all that moves a series may change from the past to what comes, on the
// logarithmic scale: series of real life are calm for a while, and then they are not. Chosen by
// forecasts (docs/math/averaging.md); 0 where the input is no time.
double size_drift(const Dataset& data) {
  constexpr double of_series = 0.25;
  return data.is_curve() && data.input_scaling(0).year() > 0.0 ? of_series : 0.0;
}

// Of the design: one for each parameter, and one for the size of everything.
std::size_t num_columns(const Dataset& data, std::size_t num_parameters) {
  return num_parameters + (size_drift(data) > 0.0 ? 1 : 0);
}

}  // namespace

std::vector<double> resized(const Expression& kernel, std::vector<double> parameters,
                            double factor) {
  const ParameterSpace space(kernel);
  std::vector<std::size_t> nodes;
  add_amplitudes(kernel, 0, nodes);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_amplitude = is_variance(space[i].parameter.quantity) &&
                              std::find(nodes.begin(), nodes.end(), space[i].node) != nodes.end();
    if (is_amplitude || space[i].owner == "noise") parameters[i] *= factor * factor;
  }
  return parameters;
}

std::size_t num_posterior_points(const Dataset& data, std::size_t num_parameters) {
  return 1 + num_corners(num_columns(data, num_parameters));
}

std::vector<PosteriorPoint> posterior_points(const Dataset& data, const Expression& kernel,
                                             const std::vector<double>& parameters,
                                             const EvidenceOptions& options) {
  const FitData fit_data(data, options.mean, options.priors);
  const Expression bound = bound_to(data, kernel);
  const LogPrior prior(bound, options.laplace, fit_data.prior_scales());
  const std::function<bool()> never;
  FitWork work(inference_for(data.num_rows(), options.device), options.threads, never);
  FittedKernel fit(bound, prior, fit_data, options, work, prior.space().free(parameters));
  const std::optional<Matrix> hessian = negative_hessian(fit);
  if (!hessian) return {{parameters, 1.0}};
  const std::vector<Axis> axes = principal_axes(*hessian, prior_precision(prior.space()));
  const std::size_t d = fit.place().size();
  const double distance = 1.0 / std::sqrt(1.0 - weight_of_maximum);  // keeps the covariance
  const std::vector<Reach> reaches = reaches_along(axes, distance, fit);

  const double drift = size_drift(data);
  std::vector<Look> looks;
  looks.emplace_back(fit.place());
  for (std::size_t corner = 0; corner < num_corners(num_columns(data, d)); ++corner) {
    std::vector<double> place = fit.place();
    for (std::size_t k = 0; k < d; ++k) {
      const double sign = sign_of(corner, k);
      step(place, axes[k], sign * distance * reaches[k].of(sign));
    }
    looks.emplace_back(std::move(place));
  }
  look_at(looks, fit);

  const std::vector<double> weights =
      weights_of(looks, reaches, distance * distance * static_cast<double>(d));
  std::vector<PosteriorPoint> points = {{parameters, weights.front()}};
  for (std::size_t s = 1; s < looks.size(); ++s) {
    if (!(weights[s] > 0.0)) continue;
    const double factor = std::exp(sign_of(s - 1, d) * drift);
    points.push_back(
        {resized(kernel, prior.space().natural(looks[s].place()), factor), weights[s]});
  }
  return points;
}

}  // namespace covary
