// The paper's section E on interpretability: small hypotheses for Airline, as sums of products.
#include <fmt/format.h>

#include <covary/explain.h>

#include "experiments.h"
#include "outcome.h"
#include "search_runs.h"
#include "statistics.h"

namespace covary::paper {
namespace {

constexpr std::size_t evolution_steps = 4;

}  // namespace

void run_interpretability(const Plan& plan) {
  Outcome outcome("interpretability", "Interpretability: small kernels for Airline");
  outcome.say(
      "The searches of the paper's section E: no RQ in the space, and four steps of the "
      "evolutionary search for the next kernel, so that kernels stay small. The final hypotheses "
      "as sums of products, and what `covary explain` says of them. The paper shows two of its "
      "own: "
      "`LIN + SE + LIN*SE + PER*LIN*SE` and `SE + 2 LIN^2*PER + 2 SE*PER*LIN`.");
  std::vector<Cells> rows;
  std::vector<Cells> words;
  for (const PaperData& data : plan.sets_named({"airline"})) {
    const TrainingAndTest split = plan.split(data);
    for (const std::string& preset : plan.presets) {
      SearchVariant variant{preset + "-small", options_of(plan, data, preset, "sot")};
      variant.options.space.space = "SE,LIN,PER";
      variant.options.generations = evolution_steps;
      const SearchRuns runs =
          variant_runs(plan, data, variant, [&](std::uint64_t) { return split.training; });
      for (const SearchRun& run : runs.runs) {
        const auto best = run.best_of_first(runs.num_evaluations);
        if (!best) continue;
        const Evaluated& found = run.evaluations[*best];
        const Expression kernel = parse_expression(found.kernel, inputs_of(split.training));
        const FittedModel model(kernel, found.parameters, split.training);
        const Explanation explanation = explain(model, {.num_draws = 0});
        const auto tested = test_figures(found, split);
        rows.push_back({preset, std::to_string(run.seed), "`" + explanation.normal_form + "`",
                        std::to_string(kernel.num_leaves()), shown(*found.value_per_row),
                        tested ? shown(tested->rmse_standardised) : "–"});
        words.push_back({preset, std::to_string(run.seed),
                         fmt::format("{}", fmt::join(explanation.descriptions, "; "))});
        outcome.add_record({{"preset", preset},
                            {"seed", run.seed},
                            {"kernel", found.kernel},
                            {"sum_of_products", explanation.normal_form},
                            {"base_kernels", kernel.num_leaves()},
                            {"log_evidence_per_row", *found.value_per_row}});
      }
    }
  }
  outcome.add_table({"preset", "seed", "hypothesis as a sum of products", "base kernels",
                     "log evidence per row", "test RMSE"},
                    rows);
  outcome.add_table({"preset", "seed", "the data are a sum of"}, words);
  outcome.write(plan);
}

}  // namespace covary::paper
