#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "baselines/spectral_input.h"
#include "optim/maximize.h"

namespace covary {

// All that is not a spectrum; on scaled inputs and target.
struct FunctionalKernelParameters {
  std::vector<double> lengthscales;  // of the squared exponentials that the spectra vary around
  double latent_sd = 1.0;            // how far log spectra stray from theirs
  double latent_lengthscale = 4.0;   // and how fast, in cycles over an input's range
  double variance = 1.0;
  double noise_variance = 0.1;
  double mean = 0.0;
};

// The log posterior of functional kernel learning (docs/math/functional_kernel.md). As an Objective
// it is a function of the parameters, at given standard normal numbers from which the log spectra
// are made; spectra follow the parameters, so that steps can be long. And it is the likelihood of
// one input's numbers, all else given.
class FunctionalKernelPosterior final : public Objective {
 public:
  // Keeps views of the inputs and the target. All latent numbers are 0: the squared exponential.
  FunctionalKernelPosterior(std::span<const SpectralInput> inputs, std::span<const double> target);

  // In free numbers: the logarithms of the lengthscales, of latent_sd, latent_lengthscale, variance
  // and noise_variance, then the mean itself.
  std::size_t size() const override { return inputs_.size() + 5; }
  double value(std::span<const double> place) override;
  void gradient(std::span<double> out) override;
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override;
  static std::vector<double> place(const FunctionalKernelParameters& parameters);

  // All below are at the place of the last value(), which must have been finite, and stay so as
  // latent numbers change; gradient() is only for use right after value().
  const FunctionalKernelParameters& parameters() const { return parameters_; }
  const std::vector<double>& latent(std::size_t input) const { return latent_[input]; }
  const std::vector<double>& shares(std::size_t input) const { return shares_[input]; }

  // The log likelihood with other latent numbers for this input. REQUIRES: hold_others(input) came
  // before, and nothing else since. Minus infinity where there is none.
  void hold_others(std::size_t input);
  double log_likelihood(std::size_t input, std::span<const double> latent);
  void set_latent(std::size_t input, std::span<const double> latent);

  // The factor of all rows' covariance matrix, noise included. False if there is none.
  bool factorize(Matrix& out) const;

 private:
  std::size_t num_rows() const { return target_.size(); }
  bool set_parameters(std::span<const double> place);
  double log_prior() const;
  std::vector<double> log_spectrum(std::size_t input, std::span<const double> latent) const;
  void product_of_others(std::size_t input, Matrix& out) const;
  void fill_covariance(Matrix& out) const;
  double log_likelihood_of(const std::function<void(Matrix&)>& fill);
  void add_latent_slopes(std::size_t input, std::span<const double> slopes,
                         std::span<double> out) const;

  std::span<const SpectralInput> inputs_;
  std::span<const double> target_;
  FunctionalKernelParameters parameters_;
  std::vector<std::vector<double>> latent_;
  std::vector<std::vector<double>> shares_;
  std::vector<Matrix> correlations_;  // of each input, lower triangles
  Matrix others_;                     // covariance without one input's correlation
  Matrix trial_;                      // that input's correlation
  Matrix factor_;
  std::vector<double> alpha_;
};

}  // namespace covary
