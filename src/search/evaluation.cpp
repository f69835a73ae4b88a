#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/evaluation.h>

#include "base/parallel.h"
#include "evidence/memory.h"
#include "search/ladder.h"

namespace covary {
namespace {

constexpr double most_for_the_model = 0.5;  // of a time limit
constexpr double share_of_rung = 0.5;       // of what is left, below the top
constexpr double least_seconds = 1e-3;      // 0 would be no limit

// As a search of all these rows compares kernels on.
std::vector<Rung> rungs_of(const Dataset& data, const EvaluationOptions& options) {
  SearchOptions search;
  search.fidelity = options.fidelity;
  std::vector<Rung> rungs = ladder_of(data.num_rows(), search);
  std::erase_if(rungs, [](const Rung& rung) { return rung.is_refinement; });
  return rungs;
}

WorkEstimate estimate_of(const Expression& kernel, const std::vector<Rung>& rungs,
                         const EvidenceOptions& options) {
  const std::size_t rows = rungs.back().num_rows;
  WorkEstimate estimate{rows, 0.0, evaluation_bytes(rows)};
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const bool are_known = r > 0 && options.starts == StartValues::informed;
    estimate.seconds += fit_seconds(rungs[r].num_rows, kernel.num_parameters() + 1, are_known);
  }
  return estimate;
}

void add_costs(Evidence& evidence, const Evidence& below) {
  evidence.num_starts += below.num_starts;
  evidence.value_evaluations += below.value_evaluations;
  evidence.gradient_evaluations += below.gradient_evaluations;
  evidence.seconds += below.seconds;
}

}  // namespace

EvaluationOptions EvaluationOptions::paper() {
  return {.evidence = EvidenceOptions::paper(), .fidelity = Fidelity::exact};
}

const std::vector<Setting<EvaluationOptions>>& evaluation_settings() {
  static const std::vector<Setting<EvaluationOptions>> table = {
      settings::choice("fidelity", &EvaluationOptions::fidelity,
                       {{"auto", Fidelity::automatic}, {"exact", Fidelity::exact}},
                       "Rows that parameters are fitted to: where there are many, 500 at first and "
                       "more from there, up to 4,500 of more than 6,000 (the model is of all rows "
                       "either way), or always all."),
  };
  return table;
}

Evidence evaluate(const Dataset& data, const Expression& kernel, const EvaluationOptions& options,
                  const EvaluationWatch& watch) {
  check_settings(options, evaluation_settings());
  const std::vector<Rung> rungs = rungs_of(data, options);
  check_models_memory(data.num_rows());
  const double begin = wall_seconds();
  EvidenceOptions fit = options.evidence;
  const bool has_limit = fit.time_limit > 0.0;
  double limit = fit.time_limit;
  if (has_limit && rungs.back().num_rows < data.num_rows()) {
    limit -= std::min(model_seconds(data.num_rows()), most_for_the_model * limit);
  }
  Evidence best;
  std::vector<WarmStart> warm_starts;
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    if (has_limit) {
      const double left = limit - (wall_seconds() - begin);
      const double share = r + 1 == rungs.size() ? 1.0 : share_of_rung;
      fit.time_limit = std::max(share * left, least_seconds);
    }
    fit.judged_rows = rungs[r].judged_rows;
    const std::unique_ptr<Oracle> oracle = make_oracle(data, fit, watch.interrupted);
    if (r == 0 && watch.starting) watch.starting(estimate_of(kernel, rungs, options.evidence));
    Evidence evidence = oracle->evaluate(kernel, warm_starts);
    if (r > 0) add_costs(evidence, best);
    const bool is_late = evidence.outcome == FitOutcome::time_limit && !evidence.value;
    if (is_late) {  // of the whole limit, of which the fit had a part
      evidence.message = fmt::format("the time limit of {} s was reached before the fit was done",
                                     options.evidence.time_limit);
    }
    if (is_late && best.value) {
      best.message += fmt::format("; the time limit of {} s left no time for {} rows",
                                  options.evidence.time_limit, rungs[r].num_rows);
      break;
    }
    best = std::move(evidence);
    if (best.outcome == FitOutcome::interrupted) break;
    if (!best.value) continue;  // more rows may tell more
    warm_starts = {{kernel, best.parameters}};
    fit.transform = best.transform;
    if (fit.starts == StartValues::informed) fit.starts = StartValues::known;
  }
  return best;
}

}  // namespace covary
