#pragma once

#include <optional>
#include <span>
#include <vector>

#include <covary/random.h>

#include "gp/dense_posterior.h"
#include "linalg/matrix.h"
#include "optim/maximize.h"
#include "surrogate/surrogate_options.h"
#include "surrogate/value_scale.h"

namespace covary {

struct SurrogatePrediction {
  std::vector<double> mean;
  std::vector<double> sd;  // of the function; no noise
};

// A Gaussian process over things of which only distances are known (paper, section 3.1): constant
// mean, and a kernel of weighted distances. Distances come as one matrix a part: square and
// symmetric among the things with values; with a row for each of those and a column for each new
// thing when predicting. REQUIRES: finite values, at least one.
class MetaGp {
 public:
  explicit MetaGp(SurrogateOptions options) : options_(options) {}

  // Parameters by maximal marginal likelihood (paper, A.5), then the posterior. `doubts` are the
  // variances of what values may be off by besides, one for each, or none at all.
  MaximizeSummary fit(std::span<const Matrix> distances, std::span<const double> values,
                      Random& random, std::span<const double> doubts = {});

  // The posterior with the parameters of the last fit, or those that a fit starts from.
  void condition(std::span<const Matrix> distances, std::span<const double> values,
                 std::span<const double> doubts = {});

  // One more thing, as if its value were its own predicted mean ("kriging believer"): the mean
  // stays as it is everywhere, the spread shrinks around it. It becomes a row of later `cross`.
  void believe(std::span<const Matrix> cross);

  // REQUIRES: fit() or condition() before.
  SurrogatePrediction predict(std::span<const Matrix> cross) const;
  // The posterior mean at the things with values; beliefs are not among them.
  const std::vector<double>& fitted_mean() const { return fitted_mean_; }

  // In units of the values.
  MetaGpParameters parameters() const;

 private:
  std::vector<std::vector<double>> starts(std::size_t num_parts, Random& random) const;
  void condition_at(std::span<const double> place, std::span<const Matrix> distances,
                    std::span<const double> scaled, std::span<const double> scaled_doubts);
  std::vector<double> scaled_doubts(std::span<const double> doubts) const;

  SurrogateOptions options_;
  ValueScale scale_;
  std::vector<double> place_;  // free numbers of the last fit; empty before it
  MetaGpParameters scaled_parameters_;
  std::optional<DensePosterior> posterior_;  // of scaled values, less their mean
  std::vector<double> fitted_mean_;
};

}  // namespace covary
