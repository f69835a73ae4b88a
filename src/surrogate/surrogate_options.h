#pragma once

#include <vector>

#include "surrogate/value_scale.h"

namespace covary {

struct SurrogateOptions {
  // k = s² exp(-factor Σ w_i d_i / l²): 1 for transport distances, ½ for Hellinger's.
  double distance_factor = 1.0;
  // How values are brought to mean 0 and variance 1 for the fit.
  ScaleOptions scale;
  // Weak priors on the parameters of scaled values, so that few or equal values do no harm; without
  // them the marginal likelihood alone counts.
  bool has_priors = true;
  // Also start from the parameters of the last fit.
  bool has_warm_start = true;
  // Multiply the start's unconstrained values by U(0.8, 1.2).
  bool has_perturbed_start = false;

  // As the paper and its program do: values as they are, one perturbed start, no priors.
  static SurrogateOptions paper();
};

// The parameters of the meta-GP (paper, A.5).
struct MetaGpParameters {
  double mean = 0.0;
  double variance = 1.0;             // s²
  double squared_lengthscale = 1.0;  // l²
  double noise_variance = 1e-4;
  std::vector<double> weights;  // w_i of the distance's parts; their sum is 1
};

}  // namespace covary
