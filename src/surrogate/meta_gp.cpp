#include "surrogate/meta_gp.h"

#include <cmath>
#include <utility>

#include <covary/error.h>

#include "surrogate/meta_gp_likelihood.h"

namespace covary {
namespace {

// Where fits start: a hundredth of the scaled values' variance; the reference's.
constexpr double default_noise_variance = 1e-2;
constexpr double reference_noise_variance = 1e-4;

// The free numbers of l = s² = 1, equal weights and the given noise variance.
std::vector<double> plain_start(std::size_t num_parts, double noise_variance) {
  std::vector<double> place = {0.0, 0.0, std::log(noise_variance - MetaGpLikelihood::noise_floor)};
  if (num_parts > 1) place.resize(3 + num_parts, 0.0);
  return place;
}

// The same with each unconstrained value u, where softplus(u) is s², l or σ², multiplied by a
// factor of its own. Those of the weights are zero and stay so.
std::vector<double> perturbed_start(std::size_t num_parts, double noise_variance, Random& random) {
  const auto perturbed = [&random](double value) {
    const double u = std::log(std::expm1(value));
    return std::log1p(std::exp(u * (0.8 + 0.4 * random.uniform())));
  };
  std::vector<double> place = plain_start(num_parts, noise_variance);
  place[0] = std::log(perturbed(1.0));
  place[1] = 2.0 * std::log(perturbed(1.0));
  place[2] = std::log(perturbed(noise_variance - MetaGpLikelihood::noise_floor));
  return place;
}

std::vector<double> scaled_values(const ValueScale& scale, std::span<const double> values) {
  std::vector<double> scaled;
  scaled.reserve(values.size());
  for (const double value : values) scaled.push_back(scale.to_scale(value));
  return scaled;
}

}  // namespace

SurrogateOptions SurrogateOptions::paper() {
  SurrogateOptions options;
  options.scale.is_standardised = false;
  options.scale.pulls_in_low_values = false;
  options.has_priors = false;
  options.has_warm_start = false;
  options.has_perturbed_start = true;
  return options;
}

std::vector<std::vector<double>> MetaGp::starts(std::size_t num_parts, Random& random) const {
  std::vector<std::vector<double>> places;
  if (options_.has_warm_start && !place_.empty()) places.push_back(place_);
  places.push_back(options_.has_perturbed_start
                       ? perturbed_start(num_parts, reference_noise_variance, random)
                       : plain_start(num_parts, default_noise_variance));
  return places;
}

std::vector<double> MetaGp::scaled_doubts(std::span<const double> doubts) const {
  std::vector<double> scaled(doubts.begin(), doubts.end());
  for (double& doubt : scaled) doubt /= scale_.unit() * scale_.unit();
  return scaled;
}

MaximizeSummary MetaGp::fit(std::span<const Matrix> distances, std::span<const double> values,
                            Random& random, std::span<const double> doubts) {
  scale_ = ValueScale(values, options_.scale);
  const std::vector<double> scaled = scaled_values(scale_, values);
  const std::vector<double> doubted = scaled_doubts(doubts);
  MetaGpLikelihood likelihood(distances, scaled, options_, doubted);
  MaximizeOptions search;
  search.tolerance = 1e-6;  // log units; what is gained by more does not show in predictions
  MaximizeSummary best;
  for (const std::vector<double>& start : starts(distances.size(), random)) {
    MaximizeSummary summary = maximize_to_the_end(likelihood, start, search);
    const bool is_better = best.reason == StopReason::invalid_start || summary.value > best.value;
    if (summary.reason != StopReason::invalid_start && is_better) best = std::move(summary);
  }
  if (best.reason != StopReason::invalid_start) place_ = best.place;
  condition_at(place_.empty() ? plain_start(distances.size(), default_noise_variance) : place_,
               distances, scaled, doubted);
  return best;
}

void MetaGp::condition(std::span<const Matrix> distances, std::span<const double> values,
                       std::span<const double> doubts) {
  // The scale belongs to the parameters, so it stays that of the last fit.
  if (place_.empty()) scale_ = ValueScale(values, options_.scale);
  condition_at(place_.empty() ? plain_start(distances.size(), default_noise_variance) : place_,
               distances, scaled_values(scale_, values), scaled_doubts(doubts));
}

void MetaGp::condition_at(std::span<const double> place, std::span<const Matrix> distances,
                          std::span<const double> scaled, std::span<const double> scaled_doubts) {
  MetaGpLikelihood likelihood(distances, scaled, options_, scaled_doubts);
  // Parameters of fewer values may be too extreme for a matrix of more.
  if (!std::isfinite(likelihood.value(place)) &&
      !std::isfinite(likelihood.value(plain_start(distances.size(), default_noise_variance)))) {
    throw Error(ErrorKind::bad_data,
                "the covariance matrix of the kernels evaluated so far cannot be factored");
  }
  scaled_parameters_ = likelihood.parameters();
  std::vector<double> target(scaled.begin(), scaled.end());
  for (double& value : target) value -= scaled_parameters_.mean;
  posterior_.emplace(Matrix::copy_of(likelihood.factor()), target);
  fitted_mean_ = posterior_->mean(likelihood.covariance());
  for (double& mean : fitted_mean_) mean = scale_.from_scale(mean + scaled_parameters_.mean);
}

void MetaGp::believe(std::span<const Matrix> cross) {
  Matrix covariances(cross[0].num_rows(), 1);
  kernel_kernel(cross, scaled_parameters_, options_.distance_factor, covariances);
  const double mean = posterior_->mean(covariances)[0];
  posterior_->append({covariances.data(), covariances.num_rows()},
                     scaled_parameters_.variance + scaled_parameters_.noise_variance, mean);
}

SurrogatePrediction MetaGp::predict(std::span<const Matrix> cross) const {
  Matrix covariances(cross[0].num_rows(), cross[0].num_columns());
  kernel_kernel(cross, scaled_parameters_, options_.distance_factor, covariances);
  SurrogatePrediction prediction;
  prediction.mean = posterior_->mean(covariances);
  const std::vector<double> prior(cross[0].num_columns(), scaled_parameters_.variance);
  prediction.sd = posterior_->variance(covariances, prior);
  for (double& mean : prediction.mean) mean = scale_.from_scale(mean + scaled_parameters_.mean);
  for (double& sd : prediction.sd) sd = scale_.unit() * std::sqrt(sd);
  return prediction;
}

MetaGpParameters MetaGp::parameters() const {
  MetaGpParameters parameters = scaled_parameters_;
  parameters.mean = scale_.from_scale(parameters.mean);
  parameters.variance *= scale_.unit() * scale_.unit();
  parameters.noise_variance *= scale_.unit() * scale_.unit();
  return parameters;
}

}  // namespace covary
