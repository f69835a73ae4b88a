#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <covary/dataset.h>
#include <covary/device.h>
#include <covary/expression.h>
#include <covary/settings.h>

namespace covary {

// The inputs of data as kernel expressions speak of them: names and traits.
InputNames inputs_of(const Dataset& data);

// What a kernel is judged by; larger is better for all of them.
enum class Criterion {
  evidence,      // Laplace approximation of log p(y | kernel) (paper, A.3)
  evidence_aic,  // the same, each parameter costing at least 1 (Besginow et al. 2024)
  evidence_bic,  // the same, each parameter costing at least ½ log n
  bic,           // log likelihood − (d/2) log n
  aic,           // log likelihood − d
  loo,           // sum of leave-one-out log predictive densities
  cv,            // sum of log predictive densities over folds, refitted for each
};

// In which coordinates the Laplace approximation is made; docs/math/laplace.md has the formulas.
enum class Laplace {
  consistent,  // the density of the free parameters themselves
  reference,   // as the reference implementation: maximum without Jacobian, Hessian in free ones
};

// The mean of the process on the scaled target: zero, as in the paper, or an unknown constant with
// a normal prior, which is integrated out exactly.
enum class MeanFunction { zero, constant };
inline constexpr double constant_mean_variance = 1.0;

// Of the parameters, before data are seen.
enum class Priors {
  informed,  // what the sampling of an input can show bounds periods; docs/math/priors.md
  paper,     // the paper's, on inputs in [0, 1]
};

enum class StartValues {
  informed,   // many from priors and data, screened, the best raced against each other
  known,      // the same, but a kernel whose own parameters are given starts there alone
  priors,     // drawn from the priors, each followed to the end
  reference,  // around 1, as the reference implementation, each followed to the end
};

struct EvidenceOptions {
  Criterion criterion = Criterion::evidence;
  Laplace laplace = Laplace::consistent;
  Priors priors = Priors::informed;
  StartValues starts = StartValues::informed;
  MeanFunction mean = MeanFunction::zero;
  // Of the target, as part of the model; empty for the best of those that its range suggests.
  std::optional<TargetTransform> transform = TargetTransform::none;
  std::size_t restarts = 28;          // starts that are optimised, at the most
  std::size_t max_iterations = 1000;  // of one start
  double time_limit = 0.0;            // in seconds; 0: none
  std::size_t folds = 10;             // of the criterion cv
  // Kernels are judged on so many rows, which stand for all of them; 0: on all. Priors and start
  // values are what all rows say of the inputs either way. Set by searches of many rows.
  std::size_t judged_rows = 0;
  // Where a step takes a minute: a kernel whose own parameters are given takes Newton steps from
  // there, as long as they promise a gain that matters and, with a time limit, can be expected to
  // be done in time; the Hessian is the average information. Set by searches of many rows.
  bool few_steps = false;
  std::uint64_t seed = 1;
  std::size_t threads = 1;  // the result does not depend on it
  // Where likelihoods are computed; but for rounding, the result does not depend on it.
  DeviceChoice device = {};

  // `--preset paper`: to the letter of the paper and its reference implementation.
  static EvidenceOptions paper();
};

const std::vector<Setting<EvidenceOptions>>& evidence_settings();

enum class FitOutcome {
  converged,
  stuck,  // no step gains anything more, though the slope is not zero: the limit of arithmetic
  iteration_limit,
  time_limit,
  interrupted,
  not_positive_definite,  // no start gave a covariance matrix that can be factored
  failed,                 // said who evaluated it elsewhere
  out_of_memory,          // the message says how much it needs
};

std::string_view to_string(FitOutcome outcome);
std::optional<FitOutcome> fit_outcome_from(std::string_view word);  // none for another word
std::vector<Criterion> all_criteria();
std::string_view to_string(Criterion criterion);
std::string_view title_of(Criterion criterion);  // what people call its value: "log evidence"
std::optional<Criterion> criterion_from(std::string_view word);  // none for another word
// Whether differences of the criterion between kernels are logarithms of odds.
bool is_log_evidence(Criterion criterion);

// The kernel with the periods that the calendars of the data give it. Throws Error if it needs
// inputs, or a calendar, that the data do not have.
Expression bound_to(const Dataset& data, const Expression& kernel);

// What one look at one kernel gave, and what it cost.
struct Evidence {
  std::optional<double> value;  // of the criterion; empty if the fit is not usable
  FitOutcome outcome = FitOutcome::not_positive_definite;
  std::string message;  // one sentence, for people

  std::vector<double> parameters;  // natural values, the noise variance last
  // Of the standardised target, whatever its transform: the Jacobian is in all log densities.
  double log_marginal_likelihood = 0.0;
  double log_prior = 0.0;      // with the Jacobian in the consistent convention
  double log_posterior = 0.0;  // their sum: what was maximised
  // Of the kernel itself, in a search whose priors are informed: part of the value.
  double log_structure_prior = 0.0;
  bool hessian_repaired = false;  // some directions had no curvature, and count as the prior's
  double jitter = 0.0;            // relative to the mean diagonal of the covariance matrix
  TargetTransform transform = TargetTransform::none;  // of the target that the model explains

  std::size_t rows = 0;                 // that it was judged on; 0: not known
  std::size_t num_starts = 0;           // that were optimised
  std::size_t num_distinct_optima = 0;  // among those that converged on all rows
  std::size_t value_evaluations = 0;
  std::size_t gradient_evaluations = 0;
  double seconds = 0.0;  // of CPU time

  // What the value is of: all rows of the data, where it does not say.
  double num_rows(std::size_t all_rows) const {
    return static_cast<double>(rows > 0 ? rows : all_rows);
  }
};

// A fitted kernel whose parameters are a place to start from for a similar one.
struct WarmStart {
  Expression kernel;
  std::vector<double> parameters;
};

// Judges kernels. The search takes this interface; tests pass one that scores by a formula.
class Oracle {
 public:
  virtual ~Oracle() = default;

  // Expected failures are values in the result. May be called by several threads at once.
  virtual Evidence evaluate(const Expression& kernel,
                            const std::vector<WarmStart>& warm_starts = {}) const = 0;
};

// Is told of an evaluation's steps, before each, where few_steps is set: how many are done, of how
// many at the most. By the thread that evaluates.
using StepObserver = std::function<void(std::size_t num_done, std::size_t num_at_most)>;

// `interrupted`, if given, stops an evaluation soon after it becomes true.
// Data whose target is transformed already stay as they are.
// Throws Error before any work if an option is impossible, the target is out of the transform's
// domain or the matrices would not fit into memory.
std::unique_ptr<Oracle> make_oracle(const Dataset& data, const EvidenceOptions& options,
                                    const std::atomic<bool>* interrupted = nullptr,
                                    StepObserver stepping = {});

}  // namespace covary
