#include <covary/evidence.h>

namespace covary {
namespace {

const std::vector<std::pair<std::string, Criterion>>& criterion_words() {
  static const std::vector<std::pair<std::string, Criterion>> words = {
      {"evidence", Criterion::evidence},
      {"evidence-aic", Criterion::evidence_aic},
      {"evidence-bic", Criterion::evidence_bic},
      {"bic", Criterion::bic},
      {"aic", Criterion::aic},
      {"loo", Criterion::loo},
      {"cv", Criterion::cv}};
  return words;
}

}  // namespace

EvidenceOptions EvidenceOptions::paper() {
  EvidenceOptions options;
  options.laplace = Laplace::reference;
  options.starts = StartValues::reference;
  options.restarts = 10;
  return options;
}

std::string_view to_string(Criterion criterion) {
  for (const auto& [word, value] : criterion_words()) {
    if (value == criterion) return word;
  }
  return {};
}

std::string_view to_string(FitOutcome outcome) {
  switch (outcome) {
    case FitOutcome::converged:
      return "converged";
    case FitOutcome::iteration_limit:
      return "iteration_limit";
    case FitOutcome::time_limit:
      return "time_limit";
    case FitOutcome::interrupted:
      return "interrupted";
    case FitOutcome::not_positive_definite:
      return "not_positive_definite";
  }
  return {};
}

std::optional<FitOutcome> fit_outcome_from(std::string_view word) {
  for (const FitOutcome outcome :
       {FitOutcome::converged, FitOutcome::iteration_limit, FitOutcome::time_limit,
        FitOutcome::interrupted, FitOutcome::not_positive_definite}) {
    if (to_string(outcome) == word) return outcome;
  }
  return std::nullopt;
}

const std::vector<Setting<EvidenceOptions>>& evidence_settings() {
  static const std::vector<Setting<EvidenceOptions>> table = {
      settings::choice("criterion", &EvidenceOptions::criterion, criterion_words(),
                       "What kernels are judged by; larger is better."),
      settings::choice("laplace", &EvidenceOptions::laplace,
                       {{"consistent", Laplace::consistent}, {"reference", Laplace::reference}},
                       "Coordinates of the Laplace approximation."),
      settings::choice("starts", &EvidenceOptions::starts,
                       {{"informed", StartValues::informed},
                        {"priors", StartValues::priors},
                        {"reference", StartValues::reference}},
                       "Where fits start: screened by the data, drawn from the priors, or around "
                       "1 as the paper's program does."),
      settings::choice("mean", &EvidenceOptions::mean,
                       {{"zero", MeanFunction::zero}, {"constant", MeanFunction::constant}},
                       "Mean of the process on the standardised target."),
      settings::whole_number("restarts", &EvidenceOptions::restarts, 1,
                             "Starts that are optimised for each kernel, at the most."),
      settings::whole_number("max_iterations", &EvidenceOptions::max_iterations, 1,
                             "Iterations of one start, at the most."),
      settings::seconds("time_limit", &EvidenceOptions::time_limit,
                        "Time for one kernel in seconds; 0 for no limit."),
      settings::whole_number("folds", &EvidenceOptions::folds, 2,
                             "Parts of the data for the criterion cv."),
      settings::whole_number("threads", &EvidenceOptions::threads, 1,
                             "Threads to use; the result does not depend on it."),
  };
  return table;
}

}  // namespace covary
