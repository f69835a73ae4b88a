#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <covary/explain.h>
#include <covary/message_text.h>
#include <covary/screening.h>

#include "evidence/judged_rows.h"
#include "evidence/memory.h"
#include "explain/checks.h"
#include "explain/component_algebra.h"
#include "explain/figures.h"
#include "explain/phrase.h"
#include "explain/sensitivity.h"
#include "explain/sentences.h"
#include "explain/shape.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

constexpr double artefact_cut = 1e-3;  // of the error: less is noise or an artefact

double root_mean_square(const std::vector<double>& values) {
  return std::sqrt(dot(values, values) / static_cast<double>(values.size()));
}

std::optional<ExplainedComponent::Horizon> horizon_of(const ComponentShape& shape,
                                                      double input_unit) {
  using Horizon = ExplainedComponent::Horizon;
  const double distance = shape.horizon_distance * input_unit;
  switch (shape.horizon) {
    case ComponentShape::Horizon::not_asked:
      break;
    case ComponentShape::Horizon::reached:
      return Horizon{Horizon::Kind::reached, distance};
    case ComponentShape::Horizon::beyond_sight:
      return Horizon{Horizon::Kind::not_reached, 0.0};
    case ComponentShape::Horizon::is_zero_there:
      return Horizon{Horizon::Kind::zero, distance};
  }
  return std::nullopt;
}

ExplainedComponent component_at(std::size_t place, const ComponentFigures& figures,
                                const ComponentAlgebra& algebra, const ComponentShape& shape,
                                const ExplainOptions& options, Random& random) {
  const Dataset& data = algebra.model().data();
  const double unit = data.target_scaling().factor;
  ExplainedComponent component;
  component.index = figures.order[place];
  component.kernel = algebra.kernel_text(component.index);
  component.inputs = shape.columns;
  component.sd = unit * root_mean_square(algebra.means_at_rows(component.index));
  component.variance = figures.cumulative[place];
  component.added_variance = figures.added[place];
  component.residual_variance = figures.of_residual[place];
  const double before = place == 0 ? figures.offset_error : figures.error[place - 1];
  component.error = unit * figures.error[place];
  component.error_cut = before > 0.0 ? 1.0 - figures.error[place] / before : 0.0;
  component.evidence_lost = figures.evidence_lost[component.index];
  if (shape.monotone != 0) {
    component.direction = shape.monotone > 0 ? Direction::increasing : Direction::decreasing;
  }
  component.is_noise = algebra.is_noise(component.index);
  // Neither noise nor a constant, which is in the offset, claims to be a signal of its own.
  const bool is_signal = !component.is_noise && !algebra.is_constant(component.index);
  component.is_zero = is_signal && shape.is_zero;
  component.is_artefact = is_signal && component.error_cut < artefact_cut;
  for (std::size_t i = 0; shape.is_by_level && i < shape.grid.size(); ++i) {
    component.levels.push_back({data.input_scaling(shape.columns[0]).levels[i],
                                unit * shape.spread.mean[i], unit * shape.spread.sd[i]});
  }
  component.horizon = horizon_of(shape, data.input_scaling(shape.columns[0]).factor);
  component.checks = component_checks(algebra, component.index, shape, options.num_draws, random);
  return component;
}

// The fewest components, from the first on, that explain such a share of the variance, as it is
// shown: what reads "99.0 %" has reached 99 %. One that pulls against those before it can fall
// below the share again; then it counts for nothing that they had reached it.
std::optional<std::size_t> components_for(double share, const ComponentFigures& figures) {
  constexpr double half_a_digit = 0.0005;
  std::optional<std::size_t> count;
  for (std::size_t i = figures.cumulative.size(); i-- > 0;) {
    if (figures.cumulative[i] < share - half_a_digit) break;
    count = i + 1;
  }
  return count;
}

void explain_components(const ComponentAlgebra& algebra, const ExplainOptions& options,
                        Random& random, Explanation& result) {
  const ComponentFigures figures = component_figures(algebra, options.folds, random);
  result.offset_error = figures.offset_error * algebra.model().data().target_scaling().factor;
  result.variance = figures.cumulative.back();
  result.components_for_90 = components_for(0.90, figures);
  result.components_for_99 = components_for(0.99, figures);
  std::vector<std::string> titles;
  for (std::size_t place = 0; place < figures.order.size(); ++place) {
    const ComponentShape shape = component_shape(algebra, figures.order[place]);
    ExplainedComponent component = component_at(place, figures, algebra, shape, options, random);
    Phrase phrase = describe(algebra, component.index, shape);
    titles.push_back(phrase.title);
    component.title = std::move(phrase.title);
    component.sentences = std::move(phrase.sentences);
    for (const std::string& caution : phrase.cautions) {
      result.cautions.push_back(fmt::format("Part {}: {}", place + 1, caution));
    }
    append_figure_sentences(result, shape, component);
    result.components.push_back(std::move(component));
  }
  result.descriptions = counted(titles);
}

void explain_inputs(const ComponentAlgebra& algebra, Random& random, Explanation& result) {
  // They are averages of factors, which what is not expanded does not have.
  if (algebra.inputs().size() < 2 || !algebra.is_expanded()) return;
  const std::vector<Sensitivity> shares = sensitivities(algebra, random);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    result.inputs.push_back({algebra.model().data().input_scaling(i).name, shares[i].is_used,
                             shares[i].first_order, shares[i].total});
  }
}

// The same kernel at the same parameters, conditioned exactly and on no more rows than can be
// explained: its figures ask for factors and inverses of all rows many times over.
FittedModel explained_model(const FittedModel& model) {
  const Dataset& data = model.data();
  if (model.is_exact() && data.num_rows() <= most_explained_rows) return model;
  return {model.kernel(), model.parameters(), data.rows(judged_rows(data, most_explained_rows)),
          model.mean_function()};
}

}  // namespace

std::string_view to_string(Misfit misfit) {
  switch (misfit) {
    case Misfit::none:
      return "";
    case Misfit::moderate:
      return "moderate";
    case Misfit::strong:
      return "strong";
  }
  return {};
}

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::none:
      return "";
    case Direction::increasing:
      return "increasing";
    case Direction::decreasing:
      return "decreasing";
  }
  return {};
}

std::string_view to_string(ExplainedComponent::Horizon::Kind kind) {
  using Kind = ExplainedComponent::Horizon::Kind;
  switch (kind) {
    case Kind::reached:
      return "reached";
    case Kind::not_reached:
      return "not_reached";
    case Kind::zero:
      return "zero";
  }
  return {};
}

const std::vector<Setting<ExplainOptions>>& explain_settings() {
  static const std::vector<Setting<ExplainOptions>> table = {
      settings::whole_number("folds", &ExplainOptions::folds, 2,
                             "Parts of the data for the cross-validated errors."),
      settings::whole_number("num_draws", &ExplainOptions::num_draws, {0, 1'000'000},
                             "Draws for the p-values of the checks; 0 for no checks."),
      settings::whole_number(
          "seed", &ExplainOptions::seed, 0,
          "Fixes folds, draws and samples; the same seed gives the same result."),
  };
  return table;
}

Explanation explain(const FittedModel& model, const ExplainOptions& options) {
  check_settings(options, explain_settings());
  Explanation result{.decomposition = Decomposition(explained_model(model))};
  const bool is_constant = is_of_constant(result);
  const ComponentAlgebra& algebra = result.decomposition.algebra();
  const Scaling& unit = model.data().target_scaling();
  result.kernel = model.kernel_text();
  result.normal_form = to_string(algebra.form(), inputs_of(model.data()));
  result.target = unit.name;
  result.num_rows = model.num_rows();
  result.explained_rows = algebra.num_rows();
  result.transform = unit.transform;
  result.offset = untransformed(unit.transform, result.decomposition.offset());
  // Of a constant the unit is the smallest step of its numbers.
  result.noise_sd = is_constant ? 0.0 : unit.factor * std::sqrt(model.noise_variance());
  result.seed = options.seed;

  Random random(options.seed);
  explain_inputs(algebra, random, result);
  ExplainOptions looked_at = options;
  if (is_constant) looked_at.num_draws = 0;
  explain_components(algebra, looked_at, random, result);

  const Residuals residuals = leave_one_out(algebra.posterior());
  result.residuals = residuals.standardized;
  result.coverage_50 = residuals.coverage_50;
  result.coverage_95 = residuals.coverage_95;
  result.leave_one_out_error = unit.factor * residuals.mean_absolute_error;
  result.leave_one_out_r2 = residuals.r2;
  result.checks = residual_checks(algebra, residuals, looked_at.num_draws, random);

  if (result.explained_rows < result.num_rows) {
    const bool is_sampled = result.explained_rows < model.data().num_rows();
    result.cautions.push_back(fmt::format(
        "Parts, effects, leave-one-out errors and checks are those of the same kernel with {} of "
        "the {} rows{}; predictions are of all rows.",
        result.explained_rows, result.num_rows,
        is_sampled && model.data().is_curve() ? ", half of them neighbours and half spread over all"
                                              : ""));
  }
  if (const Dataset& data = model.data(); is_screened(data)) {
    result.cautions.push_back(fmt::format(
        "Before the search, {} of {} inputs were kept, those that say most of {} one by one; an "
        "input that matters only together with others may be among those left out.",
        data.num_inputs(), data.num_candidates(), quoted(unit.name)));
  }
  if (!algebra.is_expanded()) {
    result.cautions.insert(result.cautions.begin(), unexpanded_caution(algebra));
  }
  for (std::string& caution : general_cautions(result)) {
    result.cautions.push_back(std::move(caution));
  }
  result.summary = summary_of(result);
  return result;
}

Explanation explain(const Ensemble& model, const ExplainOptions& options) {
  const std::vector<Ensemble::Kernel> kernels = model.kernels();
  Explanation result = explain(model.members()[kernels.front().member], options);
  result.num_members = model.size();
  result.num_kernels = kernels.size();
  result.kernel_weight = kernels.front().weight;
  result.averaging = averaging_text(result);
  return result;
}

}  // namespace covary
