#include "baselines/elliptical_slice.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace covary {

double elliptical_slice_step(std::span<double> state, double log_likelihood,
                             const LogLikelihood& log_likelihood_of, Random& random) {
  std::vector<double> other(state.size());
  for (double& z : other) z = random.normal();
  const double threshold = log_likelihood + std::log(1.0 - random.uniform());
  double angle = 2.0 * std::numbers::pi * random.uniform();
  double lowest = angle - 2.0 * std::numbers::pi;
  double highest = angle;
  std::vector<double> proposal(state.size());
  // Narrower than this, the ellipse's arc is the state itself to the last digits.
  constexpr double narrowest = 1e-9;
  while (highest - lowest > narrowest) {
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    for (std::size_t i = 0; i < state.size(); ++i) {
      proposal[i] = cosine * state[i] + sine * other[i];
    }
    const double value = log_likelihood_of(proposal);
    if (value > threshold) {
      std::copy(proposal.begin(), proposal.end(), state.begin());
      return value;
    }
    (angle < 0.0 ? lowest : highest) = angle;
    angle = lowest + (highest - lowest) * random.uniform();
  }
  return log_likelihood;
}

}  // namespace covary
