#pragma once

#include <functional>
#include <optional>
#include <span>

#include <covary/evidence.h>

#include "evidence/log_posterior.h"
#include "inference/inference.h"

namespace covary {

// How the walks of one evaluation are led, and what they have cost so far.
class FitWork {
 public:
  // Nothing is owned.
  FitWork(const Inference& inference, std::size_t num_threads,
          const std::function<bool()>& should_stop)
      : inference_(inference), num_threads_(num_threads), should_stop_(should_stop) {}

  StepObserver stepping = {};  // of fits of few steps

  const Inference& inference() const { return inference_; }
  const std::function<bool()>& should_stop() const { return should_stop_; }
  // A step of its own, by all of its threads.
  LongWork step() const { return {.threads = num_threads_, .should_stop = should_stop_}; }
  bool is_over() const { return should_stop_ && should_stop_(); }
  const WalkCosts& costs() const { return costs_; }
  void count(const WalkCosts& costs) { costs_ += costs; }  // of work outside of lead()

  // Leads walks through the free numbers of a kernel to their ends, as one batch. `diagonal` as for
  // Likelihood::value().
  void lead(const Expression& kernel, const LogPrior& prior, const TrainingRows& rows,
            std::span<Stepper* const> walks, std::optional<double> diagonal = {});

 private:
  const Inference& inference_;
  std::size_t num_threads_;
  const std::function<bool()>& should_stop_;
  WalkCosts costs_;
};

}  // namespace covary
