#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <covary/device.h>
#include <covary/expression.h>
#include <covary/long_work.h>

#include "gp/posterior.h"
#include "inference/likelihood.h"
#include "optim/stepper.h"

namespace covary {

// One walk through the natural parameters of a kernel: its values are log likelihoods, its
// curvatures average-information matrices. What it points to must outlive it.
struct Walk {
  const Expression* kernel = nullptr;
  const TrainingRows* rows = nullptr;
  Stepper* stepper = nullptr;
  std::optional<double> diagonal = {};  // as for Likelihood::value()
};

struct WalkCosts {
  std::size_t values = 0;
  std::size_t gradients = 0;
  std::string remark = {};  // what did not go as it should, in part of a sentence

  WalkCosts& operator+=(const WalkCosts& other);
};

// How a kernel, its parameters and rows become a log likelihood, its gradient and a posterior. The
// one thing that knows: priors, coordinates, optimisers and criteria work with any. Siblings live
// in folders of their own; exact/ is the dense one, sparse/ the approximate one. Safe to share by
// threads.
class Inference {
 public:
  virtual ~Inference() = default;

  // Of many rows, a value or gradient is long work, which throws WorkStopped and then leaves the
  // likelihood without a place. Nobody is told how far it is.
  virtual std::unique_ptr<Likelihood> likelihood(const Expression& kernel, const TrainingRows& rows,
                                                 const LongWork& work = {}) const = 0;

  // The posterior of the rows' targets; null where the covariance matrix cannot be factored.
  // Conditioned on the rows alone, whose target it copies. Of many rows it is long work, which
  // throws WorkStopped.
  virtual std::unique_ptr<const Posterior> posterior(const Expression& kernel,
                                                     std::span<const double> parameters,
                                                     const TrainingRows& rows,
                                                     const LongWork& work = {}) const = 0;

  // Rows that a posterior of so many predicts from, at the most.
  virtual std::size_t num_support(std::size_t num_rows) const { return num_rows; }

  // Memory at the peak of one walk, of a posterior of which everything is asked, and what such a
  // one keeps.
  virtual double walk_bytes(std::size_t num_rows) const = 0;
  virtual double posterior_bytes(std::size_t num_rows) const = 0;
  virtual double kept_bytes(std::size_t num_rows) const = 0;

  // What posterior() will take of so many rows, by the speed of this machine, which is measured at
  // the first call: a tenth of a second.
  virtual double posterior_seconds(std::size_t num_rows, std::size_t num_threads) const = 0;

  // Of so many threads that each judge a kernel of their own, as many as are of use.
  virtual std::size_t useful_threads(std::size_t /*num_rows*/, std::size_t wanted) const {
    return wanted;
  }

  // Leads all walks to their ends: the starts of a fit, the columns of a Hessian, kernels under
  // way. A walk's results do not depend on those beside it nor on the number of threads. Walks that
  // have not begun when `should_stop` becomes true are left where they are; of many rows,
  // WorkStopped is thrown. Here each thread leads one walk after another, so that none waits for
  // another, and threads that are left over share the steps of many rows; a device would lead the
  // walks in step.
  virtual WalkCosts lead(std::span<const Walk> walks, std::size_t num_threads,
                         const std::function<bool()>& should_stop) const;
};

// Dense Cholesky factors on this machine's cores.
const Inference& exact_inference();

// The posterior by some of the rows, with an interval for the evidence; likelihoods are exact.
const Inference& sparse_inference();

// Above that a factor of all rows takes too long, and soon no machine has room for it.
inline constexpr std::size_t most_exact_rows = 30'000;

// The way for so many rows. Whoever fits, predicts or reckons with memory asks here, so that a new
// way changes nothing above.
const Inference& inference_for(std::size_t num_rows);

// The way for likelihoods of so many rows where users choose the device. Throws Error if they
// demand one that is not there, or that has no room for so many rows.
const Inference& inference_for(std::size_t num_rows, const DeviceChoice& device);

}  // namespace covary
