#pragma once

#include <optional>
#include <vector>

#include <covary/evidence.h>

#include "evidence/fit_data.h"
#include "evidence/fit_work.h"
#include "evidence/log_prior.h"

namespace covary {

// A kernel at the maximum of its log posterior: what criteria judge.
class FittedKernel {
 public:
  // Nothing but the place is owned.
  FittedKernel(const Expression& kernel, const LogPrior& prior, const FitData& data,
               const EvidenceOptions& options, FitWork& work, std::vector<double> place)
      : kernel_(kernel),
        prior_(prior),
        data_(data),
        options_(options),
        work_(work),
        place_(std::move(place)) {}

  const Expression& kernel() const { return kernel_; }
  const LogPrior& prior() const { return prior_; }
  const FitData& data() const { return data_; }
  const EvidenceOptions& options() const { return options_; }
  FitWork& work() const { return work_; }
  double num_rows() const { return static_cast<double>(data_.rows().size()); }
  double num_parameters() const { return static_cast<double>(place_.size()); }

  const std::vector<double>& place() const { return place_; }  // in free numbers
  void move_to(std::vector<double> place);                     // to a better maximum

  // What is there. Everything that is told of a kernel is of one place.
  struct Figures {
    std::vector<double> parameters;  // natural values
    double log_likelihood = 0.0;     // of the target without its transform
    double log_prior = 0.0;
    double diagonal = 0.0;  // as Likelihood has it
    double jitter = 0.0;

    double log_posterior() const { return log_likelihood + log_prior; }
  };
  const Figures& figures();

  // A stand-in for minus the Hessian of the log posterior there, by one factor; none where the
  // posterior has no value.
  std::optional<Matrix> information();

  // Leads walks through the free numbers on all rows: anywhere, or beside the place, where what was
  // added to the diagonal there is held.
  void lead(std::span<Stepper* const> walks);
  void lead_beside(std::span<Stepper* const> walks);

 private:
  void note(const LogPosterior& posterior);

  const Expression& kernel_;
  const LogPrior& prior_;
  const FitData& data_;
  const EvidenceOptions& options_;
  FitWork& work_;
  std::vector<double> place_;
  std::optional<Figures> figures_;  // of the place, once they were asked for
};

}  // namespace covary
