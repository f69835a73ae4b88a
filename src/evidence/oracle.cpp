#include "evidence/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <covary/long_work.h>
#include <covary/message_text.h>

#include "base/machine_memory.h"
#include "base/parallel.h"
#include "evidence/criteria/criterion_rule.h"
#include "evidence/judged_rows.h"
#include "evidence/map_fit.h"
#include "evidence/memory.h"

namespace covary {
namespace {

// Fits a kernel and has it judged by a criterion.
class FittingOracle final : public Oracle {
 public:
  // Judges on `rows` of `whole`.
  FittingOracle(const Dataset& rows, const Dataset& whole, const EvidenceOptions& options,
                const Inference& inference, const std::atomic<bool>* interrupted,
                StepObserver stepping)
      : data_(rows, whole, options.mean, options.priors),
        options_(options),
        inference_(inference),
        rule_(rule_of(options.criterion)),
        interrupted_(interrupted),
        stepping_(std::move(stepping)) {}

  Evidence evaluate(const Expression& named,
                    const std::vector<WarmStart>& warm_starts) const override {
    const double start = thread_cpu_seconds();
    const double deadline = options_.time_limit > 0.0 ? wall_seconds() + options_.time_limit
                                                      : std::numeric_limits<double>::infinity();
    const std::function<bool()> should_stop = [&] {
      return is_interrupted() || wall_seconds() > deadline;
    };
    Evidence evidence;
    evidence.transform = data_.data().target_scaling().transform;
    evidence.rows = data_.data().num_rows();
    std::optional<Expression> bound;
    try {
      bound = bound_to(data_.data(), named);
    } catch (const Error& error) {
      evidence.message = error.what();
      return evidence;
    }
    const Expression& kernel = *bound;
    FitWork work(inference_, options_.threads, should_stop);
    work.stepping = stepping_;
    std::string trouble;
    try {
      const StopScope scope([this] { return is_interrupted(); });
      const LogPrior prior(kernel, options_.laplace, data_.prior_scales());
      const MapFit fit = fit_map(kernel, prior, data_, options_, warm_starts, work);
      evidence.num_starts = fit.num_starts;
      evidence.num_distinct_optima = fit.num_distinct_optima;
      evidence.outcome = outcome_of(fit.reason);
      if (!fit.place.empty() && !should_stop()) judge(kernel, prior, fit, work, evidence);
    } catch (const WorkStopped&) {  // in the middle of a step, of many rows
      evidence.value.reset();
      evidence.outcome = outcome_of(StopReason::stopped);
    } catch (const std::bad_alloc&) {
      trouble =
          fmt::format("on {} rows it needs about {} of memory, and {}", evidence.rows,
                      gigabytes(evaluation_bytes(inference_, evidence.rows)), memory_left_text());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::memory) throw;
      trouble = error.what();
    }
    evidence.value_evaluations = work.costs().values;
    evidence.gradient_evaluations = work.costs().gradients;
    evidence.seconds = thread_cpu_seconds() - start;
    // A value from a step that was cut short is another one than it would have been.
    if (is_interrupted()) evidence.value.reset();
    if (!evidence.value && should_stop()) evidence.outcome = outcome_of(StopReason::stopped);
    if (!trouble.empty()) {  // others may find room
      evidence.value.reset();
      evidence.outcome = FitOutcome::out_of_memory;
      evidence.message = trouble;
      return evidence;
    }
    evidence.message = message_of(evidence);
    if (!work.costs().remark.empty()) evidence.message += "; " + work.costs().remark;
    return evidence;
  }

 private:
  bool is_interrupted() const { return interrupted_ != nullptr && interrupted_->load(); }

  FitOutcome outcome_of(StopReason reason) const {
    switch (reason) {
      case StopReason::converged:
        return FitOutcome::converged;
      case StopReason::stuck:
        return FitOutcome::stuck;
      case StopReason::iteration_limit:
        return FitOutcome::iteration_limit;
      case StopReason::stopped:
        return is_interrupted() ? FitOutcome::interrupted : FitOutcome::time_limit;
      case StopReason::invalid_start:
        break;
    }
    return FitOutcome::not_positive_definite;
  }

  // From the maximum to the criterion's value and what is to be told of it.
  void judge(const Expression& kernel, const LogPrior& prior, const MapFit& fit, FitWork& work,
             Evidence& evidence) const {
    FittedKernel fitted(kernel, prior, data_, options_, work, fit.place);
    const std::optional<double> value = rule_.value(fitted, evidence);
    if (value && std::isfinite(*value)) evidence.value = value;
    const FittedKernel::Figures& figures = fitted.figures();
    evidence.parameters = figures.parameters;
    evidence.log_marginal_likelihood = figures.log_likelihood;
    evidence.log_prior = figures.log_prior;
    evidence.log_posterior = figures.log_posterior();
    evidence.jitter = figures.jitter;
  }

  std::string message_of(const Evidence& evidence) const {
    if (evidence.outcome == FitOutcome::not_positive_definite) {
      return "no start gave a covariance matrix that can be factored";
    }
    if (evidence.outcome == FitOutcome::interrupted) return "interrupted";
    if (!evidence.value && evidence.outcome != FitOutcome::time_limit) {
      return rule_.is_log_evidence ? "the log posterior has no usable curvature at its maximum"
                                   : "the criterion has no value at the maximum";
    }
    if (!evidence.value) {
      return fmt::format("the time limit of {} s was reached before the fit was done",
                         options_.time_limit);
    }
    std::string text =
        fmt::format("{} distinct {} in a race of {} starts", evidence.num_distinct_optima,
                    evidence.num_distinct_optima == 1 ? "optimum" : "optima", evidence.num_starts);
    if (evidence.outcome == FitOutcome::stuck) text += "; the last steps could gain nothing more";
    if (evidence.outcome == FitOutcome::iteration_limit)
      text += "; the iteration limit was reached";
    if (evidence.outcome == FitOutcome::time_limit) text += "; the time limit was reached";
    if (evidence.hessian_repaired) text += "; the Hessian was repaired";
    if (evidence.jitter > 0.0) text += fmt::format("; jitter {:g}", evidence.jitter);
    return text;
  }

  FitData data_;
  EvidenceOptions options_;
  const Inference& inference_;
  const CriterionRule& rule_;
  const std::atomic<bool>* interrupted_;
  StepObserver stepping_;
};

// Judges a kernel by the transform of the target that suits it best.
class BestTransformOracle final : public Oracle {
 public:
  explicit BestTransformOracle(std::vector<FittingOracle> oracles) : oracles_(std::move(oracles)) {}

  Evidence evaluate(const Expression& kernel,
                    const std::vector<WarmStart>& warm_starts) const override {
    Evidence best;
    Evidence costs;
    for (std::size_t i = 0; i < oracles_.size(); ++i) {
      const Evidence evidence = oracles_[i].evaluate(kernel, warm_starts);
      costs.value_evaluations += evidence.value_evaluations;
      costs.gradient_evaluations += evidence.gradient_evaluations;
      costs.seconds += evidence.seconds;
      const bool is_better = evidence.value && (!best.value || *evidence.value > *best.value);
      if (i == 0 || is_better) best = evidence;
      if (evidence.outcome == FitOutcome::interrupted) {  // half a choice is none
        best = evidence;
        break;
      }
    }
    best.value_evaluations = costs.value_evaluations;
    best.gradient_evaluations = costs.gradient_evaluations;
    best.seconds = costs.seconds;
    return best;
  }

 private:
  std::vector<FittingOracle> oracles_;
};

std::vector<TargetTransform> transforms_of(const Dataset& data,
                                           const std::optional<TargetTransform>& wanted) {
  const TargetTransform now = data.target_scaling().transform;
  const bool is_any_wanted = !wanted || *wanted == TargetTransform::none;
  if (now != TargetTransform::none && is_any_wanted) return {now};
  if (wanted) return {*wanted};
  return suitable_transforms(raw_target(data));
}

std::size_t num_judged_rows(const Dataset& data, const EvidenceOptions& options) {
  return options.judged_rows == 0 ? data.num_rows()
                                  : std::min(options.judged_rows, data.num_rows());
}

}  // namespace

std::unique_ptr<Oracle> make_oracle(const Dataset& data, const EvidenceOptions& options,
                                    const Inference& inference,
                                    const std::atomic<bool>* interrupted, StepObserver stepping) {
  check_settings(options, evidence_settings());
  // No more starts than threads are ever under way.
  check_memory(inference, num_judged_rows(data, options),
               options.few_steps ? 1 : std::min(options.threads, options.restarts));
  std::vector<FittingOracle> oracles;
  for (const TargetTransform transform : transforms_of(data, options.transform)) {
    const Dataset whole = data.with_transform(transform);
    const Dataset rows = num_judged_rows(data, options) < data.num_rows()
                             ? whole.rows(judged_rows(whole, options.judged_rows))
                             : whole;
    oracles.emplace_back(rows, whole, options, inference, interrupted, stepping);
  }
  if (oracles.size() > 1) return std::make_unique<BestTransformOracle>(std::move(oracles));
  return std::make_unique<FittingOracle>(std::move(oracles.front()));
}

std::unique_ptr<Oracle> make_oracle(const Dataset& data, const EvidenceOptions& options,
                                    const std::atomic<bool>* interrupted, StepObserver stepping) {
  check_settings(options, evidence_settings());
  return make_oracle(data, options, inference_for(num_judged_rows(data, options), options.device),
                     interrupted, std::move(stepping));
}

}  // namespace covary
