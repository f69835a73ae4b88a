#pragma once

#include <vector>

namespace covary {

struct WeightedGaussian {
  double mean = 0.0;
  double sd = 1.0;
  double weight = 1.0;
};

// One number that is drawn from one of several Gaussians.
class GaussianMixture {
 public:
  // REQUIRES: not empty; weights are positive and add up to 1.
  explicit GaussianMixture(std::vector<WeightedGaussian> members);

  double mean() const;
  double sd() const;  // law of total variance

  // What the number is below, or above, with probability `tail`; 0 < tail <= 1/2. Tails and not
  // one probability, because doubles cannot tell probabilities near 1 apart.
  double lower_quantile(double tail) const;
  double upper_quantile(double tail) const;

 private:
  double excess_below(double x, double tail) const;

  std::vector<WeightedGaussian> members_;  // sorted: sums do not depend on the given order
};

}  // namespace covary
