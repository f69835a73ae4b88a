#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "inference.h"

namespace covary::calibration {

// A mean over draws, and its standard error. Several numbers of one draw count as one.
struct Estimate {
  double mean = 0.0;
  double error = 0.0;

  // How many errors it is from what it should be.
  double errors_from(double value) const { return error > 0.0 ? (mean - value) / error : 0.0; }
};
Estimate estimate_of(std::span<const double> values);

// The largest distance of the distribution of `values` from the uniform one, and how often as many
// uniform values have as large a one (Kolmogorov's limit with Stephens' correction).
struct Uniformity {
  std::size_t count = 0;
  double distance = 0.0;
  double p_value = 1.0;
};
Uniformity uniformity_of(std::vector<double> values);

// All kinds of parameters that there are ranks of, the most frequent first.
std::vector<std::string> kinds_of(const std::vector<Inferred>& draws);
std::vector<double> ranks_of(const std::vector<Inferred>& draws, const std::string& kind,
                             Belief belief);

// Of the unseen rows, which share of the central intervals of probability `level` holds what came.
enum class Where { inside, ahead, anywhere };
Estimate coverage(const std::vector<Inferred>& draws, const Setting& setting, Way way, Where where,
                  double level);
// The mean log density of what came, less that of another way.
Estimate log_score(const std::vector<Inferred>& draws, Way way, Way other);
Estimate log_score(const std::vector<Inferred>& draws, Way way);

// What the probabilities of kernels rest on.
enum class Evidences { laplace, whole };

// Of all kernels that were said to have a probability between two, how many were the true one.
struct ReliabilityBin {
  double from = 0.0;
  double to = 1.0;
  std::size_t count = 0;  // kernels of draws
  double said = 0.0;      // mean of their probabilities
  Estimate excess = {};   // how much more often they were true; the error is over draws
  double share() const { return said + excess.mean; }
};
std::vector<ReliabilityBin> reliability(const std::vector<Inferred>& draws, Evidences by);

// The mean log probability of the true kernel; and how far that is from what the probabilities
// themselves expect, 0 if they are right.
struct KernelScore {
  Estimate log_probability;
  Estimate surprise;
};
KernelScore kernel_score(const std::vector<Inferred>& draws, Evidences by);

}  // namespace covary::calibration
