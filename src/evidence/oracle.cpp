#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <covary/evidence.h>
#include <covary/model.h>

#include "base/parallel.h"
#include "evidence/laplace.h"
#include "evidence/map_fit.h"
#include "evidence/row_sample.h"
#include "linalg/symmetric.h"

namespace covary {
namespace {

constexpr std::size_t max_unsampled_rows = 200;
constexpr std::size_t sample_size = 125;
constexpr double matrices_per_evaluation = 4.0;

class LaplaceOracle final : public Oracle {
 public:
  LaplaceOracle(const Dataset& data, const EvidenceOptions& options,
                const std::atomic<bool>* interrupted)
      : data_(data), options_(options), interrupted_(interrupted), sample_(sampled(data)) {
    fit_data_ = fit_data_of(data_, sample_);
  }

  Evidence evaluate(const Expression& kernel,
                    const std::vector<WarmStart>& warm_starts) const override {
    const double deadline = options_.time_limit > 0.0 ? wall_seconds() + options_.time_limit
                                                      : std::numeric_limits<double>::infinity();
    const std::function<bool()> should_stop = [&] {
      return is_interrupted() || wall_seconds() > deadline;
    };
    Evidence evidence;
    if (kernel.num_inputs_needed() > data_.num_inputs()) {
      evidence.message = fmt::format("the kernel needs {} inputs, the data have {}",
                                     kernel.num_inputs_needed(), data_.num_inputs());
      return evidence;
    }
    const MapFit fit = fit_map(kernel, fit_data_, options_, warm_starts, should_stop);
    evidence.num_starts = fit.num_starts;
    evidence.num_distinct_optima = fit.num_distinct_optima;
    evidence.value_evaluations = fit.value_evaluations;
    evidence.gradient_evaluations = fit.gradient_evaluations;
    evidence.seconds = fit.cpu_seconds;
    evidence.outcome = outcome_of(fit.reason);
    if (!fit.place.empty() && !should_stop()) {
      const double start = thread_cpu_seconds();
      score(kernel, fit, should_stop, evidence);
      evidence.seconds += thread_cpu_seconds() - start;
    }
    // A value from a step that was cut short is another one than it would have been.
    if (is_interrupted()) evidence.value.reset();
    if (!evidence.value && should_stop()) evidence.outcome = outcome_of(StopReason::stopped);
    evidence.message = message_of(evidence);
    return evidence;
  }

 private:
  static Dataset sampled(const Dataset& data) {
    if (data.num_rows() <= max_unsampled_rows) return data;
    return data.rows(row_sample(data, sample_size));
  }

  static FitData fit_data_of(const Dataset& data, const Dataset& sample) {
    FitData fit_data;
    for (std::size_t i = 0; i < data.num_inputs(); ++i) {
      fit_data.inputs.push_back(data.input(i));
      fit_data.sample_inputs.push_back(sample.input(i));
    }
    fit_data.target = data.target();
    fit_data.sample_target = sample.target();
    fit_data.hints = data_hints(fit_data.inputs, fit_data.target);
    return fit_data;
  }

  bool is_interrupted() const { return interrupted_ != nullptr && interrupted_->load(); }

  FitOutcome outcome_of(StopReason reason) const {
    switch (reason) {
      case StopReason::converged:
      case StopReason::stuck:  // at the limit of what doubles can tell apart
        return FitOutcome::converged;
      case StopReason::iteration_limit:
        return FitOutcome::iteration_limit;
      case StopReason::stopped:
        return is_interrupted() ? FitOutcome::interrupted : FitOutcome::time_limit;
      case StopReason::invalid_start:
        break;
    }
    return FitOutcome::not_positive_definite;
  }

  // The figures at the maximum, which is moved if it proves to be none; the Laplace terms if the
  // criterion needs them. In a scope of its own: what follows has matrices of its own.
  std::optional<LaplaceTerms> describe_maximum(const Expression& kernel, std::vector<double>& place,
                                               const std::function<bool()>& should_stop,
                                               Evidence& evidence) const {
    LogPosterior posterior(kernel, fit_data_.inputs, fit_data_.target,
                           options_.laplace == Laplace::consistent, options_.mean);
    std::optional<LaplaceTerms> terms;
    if (is_laplace()) terms = curvature_at(posterior, place, should_stop);
    posterior.value(place);
    evidence.value_evaluations += posterior.num_values();
    evidence.gradient_evaluations += posterior.num_gradients();
    evidence.parameters = posterior.space().natural(place);
    evidence.log_marginal_likelihood = posterior.log_likelihood();
    evidence.log_prior = posterior.log_prior();
    evidence.log_posterior = evidence.log_marginal_likelihood + evidence.log_prior;
    evidence.jitter = posterior.jitter();
    return terms;
  }

  // From the maximum to the criterion's value.
  void score(const Expression& kernel, const MapFit& fit, const std::function<bool()>& should_stop,
             Evidence& evidence) const {
    std::vector<double> place = fit.place;
    const std::optional<LaplaceTerms> terms =
        describe_maximum(kernel, place, should_stop, evidence);
    const auto d = static_cast<double>(place.size());
    const auto n = static_cast<double>(data_.num_rows());
    double value = 0.0;
    switch (options_.criterion) {
      case Criterion::evidence:
      case Criterion::evidence_aic:
      case Criterion::evidence_bic:
        if (!terms) return;  // time is up, or the posterior is not smooth here
        evidence.hessian_repaired = terms->repaired;
        value = evidence.log_posterior + 0.5 * d * std::log(2.0 * std::numbers::pi) -
                0.5 * terms->log_determinant;
        break;
      case Criterion::bic:
        value = evidence.log_marginal_likelihood - 0.5 * d * std::log(n);
        break;
      case Criterion::aic:
        value = evidence.log_marginal_likelihood - d;
        break;
      case Criterion::loo:
        for (const double density : FittedModel(kernel, evidence.parameters, data_, options_.mean)
                                        .leave_one_out_log_density()) {
          value += density;
        }
        break;
      case Criterion::cv: {
        const std::optional<double> sum = cross_validated(kernel, place, should_stop);
        if (!sum) return;
        value = *sum;
        break;
      }
    }
    if (std::isfinite(value)) evidence.value = value;
  }

  bool is_laplace() const {
    return options_.criterion == Criterion::evidence ||
           options_.criterion == Criterion::evidence_aic ||
           options_.criterion == Criterion::evidence_bic;
  }

  // The least eigenvalue of minus the Hessian: 2π e^(−2p), so that a parameter costs at least |p|.
  double eigenvalue_floor() const {
    constexpr double two_pi = 2.0 * std::numbers::pi;
    if (options_.criterion == Criterion::evidence_aic) return two_pi * std::exp(2.0);
    if (options_.criterion == Criterion::evidence_bic) {
      return two_pi * static_cast<double>(data_.num_rows());
    }
    return 0.0;
  }

  // The Hessian at a maximum is positive definite. If it is not, `place` is a saddle or a plateau:
  // go uphill from it along the direction of the wrong curvature, and look again.
  std::optional<LaplaceTerms> curvature_at(LogPosterior& posterior, std::vector<double>& place,
                                           const std::function<bool()>& should_stop) const {
    constexpr int max_attempts = 3;
    std::optional<LaplaceTerms> terms;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      if (should_stop()) return std::nullopt;
      const Matrix hessian =
          negative_hessian(posterior, place, affordable_differences(posterior.num_rows()));
      for (std::size_t j = 0; j < place.size(); ++j) {
        for (std::size_t i = 0; i < place.size(); ++i) {
          if (!std::isfinite(hessian(i, j))) return std::nullopt;
        }
      }
      terms = laplace_terms(hessian, eigenvalue_floor());
      if (!terms->repaired || !leave_saddle(posterior, hessian, place, should_stop)) break;
    }
    return terms;
  }

  // Moves `place` to a better one, found along the eigenvector of the least curvature.
  bool leave_saddle(LogPosterior& posterior, const Matrix& hessian, std::vector<double>& place,
                    const std::function<bool()>& should_stop) const {
    const Eigen eigen = symmetric_eigen(hessian);
    const double value = posterior.value(place);
    constexpr double least_gain = 1e-6;
    // A plateau takes a long step to leave, the edge of a ridge a short one.
    constexpr int num_lengths = 10;
    for (int k = 0; k < num_lengths; ++k) {
      const double length = 0.3 * std::pow(3.0, -k);
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> start = place;
        for (std::size_t i = 0; i < place.size(); ++i) {
          start[i] += sign * length * eigen.vectors(i, 0);
        }
        if (posterior.value(start) <= value + least_gain) continue;
        MaximizeOptions options;
        options.max_iterations = options_.max_iterations;
        options.tolerance = 1e-8;
        options.should_stop = should_stop;
        place = maximize_to_the_end(posterior, start, options).place;
        return true;
      }
    }
    return false;
  }

  // Rows are dealt to folds at random; each fold is predicted by a model fitted, from the whole
  // data's optimum on, to the others.
  std::optional<double> cross_validated(const Expression& kernel, const std::vector<double>& place,
                                        const std::function<bool()>& should_stop) const {
    const std::size_t n = data_.num_rows();
    const std::size_t folds = std::min(options_.folds, n);
    Random random(options_.seed);
    std::vector<std::size_t> fold_of(n);
    for (std::size_t i = 0; i < n; ++i) fold_of[i] = i % folds;
    for (std::size_t i = n; i > 1; --i) std::swap(fold_of[i - 1], fold_of[random.index(i)]);
    double sum = 0.0;
    for (std::size_t fold = 0; fold < folds; ++fold) {
      if (should_stop()) return std::nullopt;
      std::vector<std::size_t> inside;
      std::vector<std::size_t> outside;
      for (std::size_t i = 0; i < n; ++i) (fold_of[i] == fold ? inside : outside).push_back(i);
      const std::optional<double> density =
          held_out_density(kernel, place, data_.rows(outside), data_.rows(inside), should_stop);
      if (!density) return std::nullopt;
      sum += *density;
    }
    return sum;
  }

  std::optional<double> held_out_density(const Expression& kernel, const std::vector<double>& place,
                                         const Dataset& training, const Dataset& test,
                                         const std::function<bool()>& should_stop) const {
    InputColumns inputs;
    std::vector<std::vector<double>> points(test.num_inputs());
    for (std::size_t c = 0; c < test.num_inputs(); ++c) {
      inputs.push_back(training.input(c));
      for (const double x : test.input(c)) points[c].push_back(test.input_scaling(c).to_raw(x));
    }
    auto posterior = std::make_unique<LogPosterior>(
        kernel, inputs, training.target(), options_.laplace == Laplace::consistent, options_.mean);
    MaximizeOptions options;
    options.max_iterations = std::min<std::size_t>(options_.max_iterations, 30);
    options.tolerance = 1e-4;
    options.should_stop = should_stop;
    const MaximizeSummary summary = maximize(*posterior, place, options);
    if (summary.reason == StopReason::invalid_start) return std::nullopt;
    const std::vector<double> parameters = posterior->space().natural(summary.place);
    posterior.reset();  // the model has matrices of its own
    const FittedModel model(kernel, parameters, training, options_.mean);
    const Prediction prediction = model.predict(points);
    const Scaling& unit = training.target_scaling();
    double sum = 0.0;
    for (std::size_t i = 0; i < test.num_rows(); ++i) {
      const double sd = prediction.sd[i] / unit.factor;
      const double z = (test.target()[i] - unit.to_scaled(prediction.mean[i])) / sd;
      sum += -0.5 * (z * z + std::log(2.0 * std::numbers::pi)) - std::log(sd);
    }
    return sum;
  }

  std::string message_of(const Evidence& evidence) const {
    if (evidence.outcome == FitOutcome::not_positive_definite) {
      return "no start gave a covariance matrix that can be factored";
    }
    if (evidence.outcome == FitOutcome::interrupted) return "interrupted";
    if (!evidence.value && evidence.outcome != FitOutcome::time_limit) {
      return "the log posterior has no usable curvature at its maximum";
    }
    if (!evidence.value) {
      return fmt::format("the time limit of {} s was reached before the fit was done",
                         options_.time_limit);
    }
    std::string text = fmt::format(
        "{} distinct {} at the end of a race of {} starts", evidence.num_distinct_optima,
        evidence.num_distinct_optima == 1 ? "optimum" : "optima", evidence.num_starts);
    if (evidence.outcome == FitOutcome::iteration_limit)
      text += "; the iteration limit was reached";
    if (evidence.outcome == FitOutcome::time_limit) text += "; the time limit was reached";
    if (evidence.hessian_repaired) text += "; the Hessian was repaired";
    if (evidence.jitter > 0.0) text += fmt::format("; jitter {:g}", evidence.jitter);
    return text;
  }

  Dataset data_;
  EvidenceOptions options_;
  const std::atomic<bool>* interrupted_;
  Dataset sample_;
  FitData fit_data_;
};

}  // namespace

double evaluation_bytes(std::size_t num_rows) {
  return matrices_per_evaluation * sizeof(double) * static_cast<double>(num_rows) *
         static_cast<double>(num_rows);
}

double machine_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void check_memory(std::size_t num_rows, std::size_t threads) {
  const double needed = evaluation_bytes(num_rows) * static_cast<double>(threads);
  const double available = 0.9 * machine_bytes();
  if (needed > available) {
    constexpr double gigabyte = 1e9;
    throw Error(
        ErrorKind::bad_data,
        fmt::format("the exact model of {} rows needs {:.1f} GB of memory with {} thread(s), "
                    "this machine has {:.1f} GB; train on fewer rows with --rows{}",
                    num_rows, needed / gigabyte, threads, machine_bytes() / gigabyte,
                    threads > 1 ? ", or use fewer --threads" : ""));
  }
}

std::unique_ptr<Oracle> make_oracle(const Dataset& data, const EvidenceOptions& options,
                                    const std::atomic<bool>* interrupted) {
  // No more threads than starts are ever at work.
  check_memory(data.num_rows(),
               std::max<std::size_t>(std::min(options.threads, options.restarts), 1));
  return std::make_unique<LaplaceOracle>(data, options, interrupted);
}

}  // namespace covary
