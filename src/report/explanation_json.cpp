#include <covary/report.h>

#include "report/json.h"

namespace covary {
namespace {

Json to_json(const std::vector<ModelCheck>& checks) {
  Json list = Json::array();
  for (const ModelCheck& check : checks) {
    list.push_back({{"name", check.name},
                    {"words", check.words},
                    {"p_value", check.p_value},
                    {"evidence_of_misfit", to_string(check.evidence_of_misfit)}});
  }
  return list;
}

Json to_json(const ExplainedComponent& component, const std::vector<std::string>& names) {
  Json inputs = Json::array();
  for (const std::size_t column : component.inputs) inputs.push_back(names[column]);
  Json horizon;
  if (component.horizon) {
    horizon = {{"kind", to_string(component.horizon->kind)},
               {"distance", component.horizon->distance}};
  }
  Json levels = Json::array();
  for (const ExplainedComponent::Level& level : component.levels) {
    levels.push_back({{"name", level.name}, {"mean", level.mean}, {"sd", level.sd}});
  }
  return {{"kernel", component.kernel},
          {"inputs", inputs},
          {"title", component.title},
          {"sentences", component.sentences},
          {"sd", component.sd},
          {"variance", component.variance},
          {"added_variance", component.added_variance},
          {"residual_variance", component.residual_variance},
          {"error", component.error},
          {"error_cut", component.error_cut},
          {"evidence_lost", optional_json(component.evidence_lost)},
          {"direction", to_string(component.direction)},
          {"is_zero", component.is_zero},
          {"is_artefact", component.is_artefact},
          {"is_noise", component.is_noise},
          {"horizon", horizon},
          {"levels", levels},
          {"checks", to_json(component.checks)}};
}

}  // namespace

Json to_json(const Explanation& explanation) {
  const std::vector<std::string> names = explanation.decomposition.model().data().input_names();
  Json components = Json::array();
  for (const ExplainedComponent& component : explanation.components) {
    components.push_back(to_json(component, names));
  }
  Json inputs = Json::array();
  for (const InputShare& input : explanation.inputs) {
    inputs.push_back({{"name", input.name},
                      {"is_used", input.is_used},
                      {"first_order", input.first_order},
                      {"total", input.total}});
  }
  return {{"kernel", explanation.kernel},
          {"normal_form", explanation.normal_form},
          {"target", explanation.target},
          {"transform", to_string(explanation.transform)},
          {"rows", explanation.num_rows},
          {"explained_rows", explanation.explained_rows},
          {"members", explanation.num_members},
          {"kernels", explanation.num_kernels},
          {"kernel_weight", explanation.kernel_weight},
          {"averaging", explanation.averaging},
          {"summary", explanation.summary},
          {"descriptions", explanation.descriptions},
          {"offset", explanation.offset},
          {"noise_sd", explanation.noise_sd},
          {"offset_error", explanation.offset_error},
          {"variance", explanation.variance},
          {"components", components},
          {"components_for_90", optional_json(explanation.components_for_90)},
          {"components_for_99", optional_json(explanation.components_for_99)},
          {"inputs", inputs},
          {"leave_one_out_r2", explanation.leave_one_out_r2},
          {"leave_one_out_error", explanation.leave_one_out_error},
          {"coverage_50", explanation.coverage_50},
          {"coverage_95", explanation.coverage_95},
          {"checks", to_json(explanation.checks)},
          {"cautions", explanation.cautions},
          {"seed", explanation.seed}};
}

std::string explanation_to_json(const Explanation& explanation) {
  return to_json(explanation).dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace covary
