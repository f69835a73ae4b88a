#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <covary/dataset.h>
#include <covary/model.h>

#include "baselines/functional_kernel_posterior.h"

namespace covary {

struct FunctionalKernelOptions {
  std::size_t num_rounds = 50;       // of sweeps and steps in turn
  std::size_t sweeps_per_round = 5;  // draws of every input's spectrum
  std::size_t steps_per_round = 5;   // of L-BFGS on the parameters
  std::size_t num_samples = 20;      // of the spectra, that predictions average over
  std::size_t sweeps_per_sample = 5;
  std::size_t max_frequencies = 300;  // of one input
  std::uint64_t seed = 1;
};

// Functional kernel learning (Benton, Maddox, Salkey, Albinati, Wilson, NeurIPS 2019): the kernel
// is a product over inputs of stationary kernels whose log spectra are Gaussian processes. What is
// learnt is parameters, and samples of the spectra given them. Cheap to copy; safe to share.
class FunctionalKernelModel {
 public:
  // Nothing if interrupted, or if no start has a posterior density. Neither the order of rows nor
  // anything but data, options and seed matters.
  static std::optional<FunctionalKernelModel> fit(const Dataset& data,
                                                  const FunctionalKernelOptions& options,
                                                  const std::atomic<bool>* interrupted = nullptr);

  // New points as columns of raw values. A mixture with a part for every sample of the spectra.
  // Throws Error if the number of columns is not that of the inputs, or their lengths differ.
  Prediction predict(const std::vector<std::vector<double>>& inputs) const;

  const FunctionalKernelParameters& parameters() const;
  std::size_t num_samples() const;

  // An input's spectral density, of total 1 over frequencies from 0 up: the mean of the samples.
  struct Spectrum {
    std::vector<double> frequency;  // in cycles per unit of the scaled input
    std::vector<double> share;      // of the variance
  };
  Spectrum spectrum(std::size_t input) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace covary
