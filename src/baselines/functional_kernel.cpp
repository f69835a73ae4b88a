#include "baselines/functional_kernel.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/random.h>

#include "baselines/elliptical_slice.h"
#include "evidence/gaussian_mixture.h"
#include "gp/dense_posterior.h"

namespace covary {
namespace {

constexpr std::size_t points_at_a_time = 512;

// In an order of their values alone, so that the order in a file does not matter.
Dataset in_order_of_values(const Dataset& data) {
  std::vector<std::size_t> rows(data.num_rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t c = 0; c < data.num_inputs(); ++c) {
      if (data.input(c)[a] != data.input(c)[b]) return data.input(c)[a] < data.input(c)[b];
    }
    return data.target()[a] < data.target()[b];
  });
  return data.rows(rows);
}

// Draws every input's spectrum, given the others' and the parameters.
void sweep(FunctionalKernelPosterior& posterior, std::size_t num_inputs, Random& random) {
  for (std::size_t i = 0; i < num_inputs; ++i) {
    posterior.hold_others(i);
    const LogLikelihood log_likelihood = [&](std::span<const double> latent) {
      return posterior.log_likelihood(i, latent);
    };
    std::vector<double> latent = posterior.latent(i);
    const double current = log_likelihood(latent);
    if (!std::isfinite(current)) continue;  // at the edge of what can be factored: keep the draw
    elliptical_slice_step(latent, current, log_likelihood, random);
    posterior.set_latent(i, latent);
  }
}

// The best of squared exponentials from fast to slow, or nothing.
std::optional<std::vector<double>> best_start(FunctionalKernelPosterior& posterior,
                                              std::size_t num_inputs,
                                              const MaximizeOptions& options) {
  std::optional<MaximizeSummary> best;
  for (const double lengthscale : {0.05, 0.2, 0.8}) {
    FunctionalKernelParameters parameters;
    parameters.lengthscales.assign(num_inputs, lengthscale);
    MaximizeSummary summary =
        maximize_lbfgs(posterior, FunctionalKernelPosterior::place(parameters), options);
    if (summary.reason == StopReason::invalid_start) continue;
    if (!best || summary.value > best->value) best = std::move(summary);
  }
  if (!best) return std::nullopt;
  return best->place;
}

// Of equal weights.
Prediction mixture_of(std::vector<Prediction> predictions) {
  const double weight = 1.0 / static_cast<double>(predictions.size());
  Prediction whole;
  std::vector<WeightedGaussian> target(predictions.size());
  std::vector<WeightedGaussian> latent(predictions.size());
  for (std::size_t j = 0; j < predictions.front().mean.size(); ++j) {
    for (std::size_t k = 0; k < predictions.size(); ++k) {
      target[k] = {predictions[k].mean[j], predictions[k].sd[j], weight};
      latent[k] = {predictions[k].mean[j], predictions[k].latent_sd[j], weight};
    }
    const GaussianMixture mixture(target);
    whole.mean.push_back(mixture.mean());
    whole.sd.push_back(mixture.sd());
    whole.latent_sd.push_back(GaussianMixture(latent).sd());
  }
  for (Prediction& prediction : predictions) {
    whole.parts.push_back({weight, std::move(prediction.mean), std::move(prediction.sd)});
  }
  return whole;
}

}  // namespace

struct FunctionalKernelModel::State {
  struct Sample {
    std::vector<std::vector<double>> shares;  // of each input's frequencies
    DensePosterior posterior;
  };

  Dataset data;
  std::vector<SpectralInput> inputs;
  FunctionalKernelParameters parameters;
  std::vector<Sample> samples;

  State(const Dataset& dataset, std::size_t max_frequencies) : data(in_order_of_values(dataset)) {
    for (std::size_t i = 0; i < data.num_inputs(); ++i) {
      inputs.emplace_back(data.input(i), max_frequencies);
    }
  }

  void keep(const FunctionalKernelPosterior& posterior);
  void predict(const std::vector<std::vector<double>>& points, std::size_t first, std::size_t size,
               std::vector<Prediction>& out) const;
};

void FunctionalKernelModel::State::keep(const FunctionalKernelPosterior& posterior) {
  Matrix factor(data.num_rows(), data.num_rows());
  if (!posterior.factorize(factor)) return;
  std::vector<double> rest(data.target().begin(), data.target().end());
  for (double& y : rest) y -= parameters.mean;
  std::vector<std::vector<double>> shares;
  for (std::size_t i = 0; i < inputs.size(); ++i) shares.push_back(posterior.shares(i));
  samples.push_back({std::move(shares), DensePosterior(std::move(factor), rest)});
}

std::optional<FunctionalKernelModel> FunctionalKernelModel::fit(
    const Dataset& data, const FunctionalKernelOptions& options,
    const std::atomic<bool>* interrupted) {
  auto state = std::make_shared<State>(data, options.max_frequencies);
  const std::size_t d = state->inputs.size();
  FunctionalKernelPosterior posterior(state->inputs, state->data.target());
  MaximizeOptions steps;
  steps.tolerance = 1e-3;
  steps.should_stop = [&] { return interrupted != nullptr && interrupted->load(); };
  steps.max_iterations = 50;
  std::optional<std::vector<double>> place = best_start(posterior, d, steps);
  if (!place || steps.should_stop()) return std::nullopt;
  posterior.value(*place);

  Random random(options.seed);
  steps.max_iterations = options.steps_per_round;
  for (std::size_t round = 0; round < options.num_rounds; ++round) {
    for (std::size_t s = 0; s < options.sweeps_per_round; ++s) sweep(posterior, d, random);
    const MaximizeSummary summary = maximize_lbfgs(posterior, *place, steps);
    if (summary.reason != StopReason::invalid_start) place = summary.place;
    if (steps.should_stop()) return std::nullopt;
    posterior.value(*place);  // the last place that the search tried need not be the best
  }
  state->parameters = posterior.parameters();
  for (std::size_t k = 0; k < std::max<std::size_t>(options.num_samples, 1); ++k) {
    for (std::size_t s = 0; s < options.sweeps_per_sample; ++s) sweep(posterior, d, random);
    if (steps.should_stop()) return std::nullopt;
    state->keep(posterior);
  }
  if (state->samples.empty()) return std::nullopt;
  FunctionalKernelModel model;
  model.state_ = std::move(state);
  return model;
}

// Appends what each sample says about some of the points.
void FunctionalKernelModel::State::predict(const std::vector<std::vector<double>>& points,
                                           std::size_t first, std::size_t size,
                                           std::vector<Prediction>& out) const {
  std::vector<Matrix> features;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    features.push_back(inputs[i].features_of({points[i].data() + first, size}));
  }
  const Scaling& unit = data.target_scaling();
  const std::size_t num_elements = data.num_rows() * size;
  const std::vector<double> prior(size, parameters.variance);
  Matrix cross(data.num_rows(), size);
  Matrix correlation(data.num_rows(), size);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    std::fill_n(cross.data(), num_elements, parameters.variance);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].cross(samples[k].shares[i], features[i], correlation);
      for (std::size_t e = 0; e < num_elements; ++e) cross.data()[e] *= correlation.data()[e];
    }
    const std::vector<double> mean = samples[k].posterior.mean(cross);
    const std::vector<double> variance = samples[k].posterior.variance(cross, prior);
    for (std::size_t j = 0; j < size; ++j) {
      out[k].mean.push_back(unit.to_raw(parameters.mean + mean[j]));
      out[k].sd.push_back(std::sqrt(variance[j] + parameters.noise_variance) * unit.factor);
      out[k].latent_sd.push_back(std::sqrt(variance[j]) * unit.factor);
    }
  }
}

Prediction FunctionalKernelModel::predict(const std::vector<std::vector<double>>& inputs) const {
  const std::vector<std::vector<double>> points = scaled_inputs(state_->data, inputs);
  const std::size_t num_points = points[0].size();
  std::vector<Prediction> predictions(num_samples());
  for (std::size_t first = 0; first < num_points; first += points_at_a_time) {
    state_->predict(points, first, std::min(points_at_a_time, num_points - first), predictions);
  }
  return mixture_of(std::move(predictions));
}

const FunctionalKernelParameters& FunctionalKernelModel::parameters() const {
  return state_->parameters;
}

std::size_t FunctionalKernelModel::num_samples() const { return state_->samples.size(); }

FunctionalKernelModel::Spectrum FunctionalKernelModel::spectrum(std::size_t input) const {
  const SpectralInput& frequencies = state_->inputs[input];
  Spectrum spectrum;
  for (std::size_t f = 0; f < frequencies.num_frequencies(); ++f) {
    double sum = 0.0;
    for (const State::Sample& sample : state_->samples) sum += sample.shares[input][f];
    spectrum.frequency.push_back(frequencies.frequency(f));
    spectrum.share.push_back(sum / static_cast<double>(state_->samples.size()));
  }
  return spectrum;
}

}  // namespace covary
