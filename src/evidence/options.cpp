#include <covary/evidence.h>

#include "evidence/criteria/criterion_rule.h"

namespace covary {
namespace {

std::vector<std::pair<std::string, Criterion>> criterion_words() {
  std::vector<std::pair<std::string, Criterion>> words;
  for (const CriterionRule& rule : criterion_rules()) words.emplace_back(rule.word, rule.criterion);
  return words;
}

std::vector<std::pair<std::string, std::optional<TargetTransform>>> transform_words() {
  std::vector<std::pair<std::string, std::optional<TargetTransform>>> words = {
      {"auto", std::nullopt}};
  for (const TargetTransform transform : all_target_transforms()) {
    words.emplace_back(to_string(transform), transform);
  }
  return words;
}

Setting<EvidenceOptions> device_setting() {
  return {.name = "device",
          .placeholder = "auto|cpu|cuda[:N]",
          .help =
              "Where likelihoods are computed: on a GPU if there is one and it pays, on this "
              "machine's cores, or on a GPU in any case.",
          .set = [](EvidenceOptions& options,
                    std::string_view text) { options.device = DeviceChoice::from(text); },
          .get = [](const EvidenceOptions& options) { return to_string(options.device); },
          .check =
              [](const EvidenceOptions& options) {
                static_cast<void>(DeviceChoice::from(to_string(options.device)));
              }};
}

}  // namespace

EvidenceOptions EvidenceOptions::paper() {
  EvidenceOptions options;
  options.laplace = Laplace::reference;
  options.priors = Priors::paper;
  options.starts = StartValues::reference;
  options.restarts = 10;
  options.device = DeviceChoice::cpu();
  return options;
}

std::string_view to_string(FitOutcome outcome) {
  switch (outcome) {
    case FitOutcome::converged:
      return "converged";
    case FitOutcome::stuck:
      return "stuck";
    case FitOutcome::iteration_limit:
      return "iteration_limit";
    case FitOutcome::time_limit:
      return "time_limit";
    case FitOutcome::interrupted:
      return "interrupted";
    case FitOutcome::not_positive_definite:
      return "not_positive_definite";
    case FitOutcome::failed:
      return "failed";
    case FitOutcome::out_of_memory:
      return "out_of_memory";
  }
  return {};
}

std::optional<FitOutcome> fit_outcome_from(std::string_view word) {
  for (const FitOutcome outcome :
       {FitOutcome::converged, FitOutcome::stuck, FitOutcome::iteration_limit,
        FitOutcome::time_limit, FitOutcome::interrupted, FitOutcome::not_positive_definite,
        FitOutcome::failed, FitOutcome::out_of_memory}) {
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
      settings::choice("priors", &EvidenceOptions::priors,
                       {{"informed", Priors::informed}, {"paper", Priors::paper}},
                       "Priors of the parameters: those that know how the inputs were sampled, or "
                       "the paper's. In a search of one input, of kernels too: what people would "
                       "say first is likelier, or all are alike."),
      settings::choice("starts", &EvidenceOptions::starts,
                       {{"informed", StartValues::informed},
                        {"known", StartValues::known},
                        {"priors", StartValues::priors},
                        {"reference", StartValues::reference}},
                       "Where fits start: screened by the data (known: but for a kernel whose own "
                       "parameters are at hand, from these alone), drawn from the priors, or "
                       "around 1 as the paper's program does."),
      settings::choice("mean", &EvidenceOptions::mean,
                       {{"zero", MeanFunction::zero}, {"constant", MeanFunction::constant}},
                       "Mean of the process on the standardised target."),
      settings::choice("transform", &EvidenceOptions::transform, transform_words(),
                       "What the target is transformed by, as part of the model: nothing, its "
                       "logarithm, that of 1 + y, log(y/(1 - y)), or what suits it best."),
      settings::whole_number("restarts", &EvidenceOptions::restarts, {1, 1'000'000},
                             "Starts that are optimised for each kernel, at the most."),
      settings::whole_number("max_iterations", &EvidenceOptions::max_iterations, 1,
                             "Iterations of one start, at the most."),
      settings::seconds("time_limit", &EvidenceOptions::time_limit,
                        "Time for one kernel in seconds; 0 for no limit."),
      settings::whole_number("folds", &EvidenceOptions::folds, 2,
                             "Parts of the data for the criterion cv."),
      settings::whole_number("threads", &EvidenceOptions::threads, {1, 10'000},
                             "Threads to use; the result does not depend on it."),
      device_setting(),
  };
  return table;
}

}  // namespace covary
