#include "store/model_from_json.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/evidence.h>
#include <covary/message_text.h>

#include "base/checkpoint.h"
#include "evidence/memory.h"
#include "evidence/support_model.h"
#include "store/json_members.h"
#include "store/support_file.h"
#include "table/written_date.h"

namespace covary {
namespace {

using Json = nlohmann::ordered_json;

double finite_number(const Json& value, const char* name) {
  if (!value.is_number()) fail(fmt::format("\"{}\" has something that is not a number", name));
  const double number = value.get<double>();
  if (!std::isfinite(number)) fail(fmt::format("\"{}\" has a number that is not finite", name));
  return number;
}

ColumnType column_type(const std::string& word) {
  for (const ColumnType type :
       {ColumnType::number, ColumnType::date, ColumnType::date_time, ColumnType::category}) {
    if (to_string(type) == word) return type;
  }
  fail(
      fmt::format("\"type\" is {}, not number, date, date_time or category", covary::quoted(word)));
}

std::vector<std::string> levels_from(const Json& column) {
  const Json& array = member(column, "levels");
  if (!array.is_array() || array.empty()) fail("\"levels\" is not a list of names");
  std::vector<std::string> levels;
  std::set<std::string> names;
  for (const Json& level : array) {
    if (!level.is_string()) fail("\"levels\" has something that is not text");
    levels.push_back(level.get<std::string>());
    if (!names.insert(levels.back()).second) {
      fail(fmt::format("two levels have the name {}", covary::quoted(levels.back())));
    }
  }
  return levels;
}

Scaling scaling_from(const Json& column) {
  Scaling scaling;
  scaling.name = text_of(column, "name");
  scaling.type = column_type(text_of(column, "type"));
  scaling.offset = finite_number(member(column, "offset"), "offset");
  scaling.factor = finite_number(member(column, "factor"), "factor");
  if (!(scaling.factor > 0.0)) fail("\"factor\" is not positive");
  if (column.contains("counts_years")) {
    if (!column["counts_years"].is_boolean()) fail("\"counts_years\" is neither true nor false");
    if (column["counts_years"].get<bool>()) scaling.days_a_unit = days_of_a_year;
  }
  if (column.contains("days_a_unit")) {
    scaling.days_a_unit = finite_number(column["days_a_unit"], "days_a_unit");
    if (!(scaling.days_a_unit > 0.0)) fail("\"days_a_unit\" is not positive");
  }
  if (column.contains("date_format")) {
    scaling.date_format = text_of(column, "date_format");
    const bool is_of_dates =
        scaling.type == ColumnType::date || scaling.type == ColumnType::date_time;
    if (!is_of_dates || !is_date_format(scaling.date_format)) {
      fail(fmt::format("\"date_format\" is {}, which is no format of dates",
                       covary::quoted(scaling.date_format)));
    }
  }
  if (scaling.is_category()) scaling.levels = levels_from(column);
  return scaling;
}

// Values of a category are places in its list of levels.
void check_levels(const Scaling& scaling, const std::vector<double>& values) {
  if (!scaling.is_category()) return;
  const auto num_levels = static_cast<double>(scaling.levels.size());
  const bool are_indices = std::all_of(values.begin(), values.end(), [&](double value) {
    return value >= 0.0 && value < num_levels && value == std::floor(value);
  });
  if (!are_indices || scaling.offset != 0.0 || scaling.factor != 1.0) {
    fail(fmt::format("the values of the category {} are not its levels",
                     covary::quoted(scaling.name)));
  }
}

Scaling target_scaling_from(const Json& target) {
  Scaling scaling = scaling_from(target);
  if (scaling.is_category()) fail("the target is a category");
  if (!target.contains("transform")) return scaling;
  const std::string word = text_of(target, "transform");
  const std::optional<TargetTransform> transform = target_transform_from(word);
  if (!transform) {
    fail(
        fmt::format("\"transform\" is {}, which this program does not know; use the version of "
                    "Covary that made it, or a newer one",
                    covary::quoted(word)));
  }
  scaling.transform = *transform;
  scaling.plain_factor = finite_number(member(target, "plain_factor"), "plain_factor");
  if (!(scaling.plain_factor > 0.0)) fail("\"plain_factor\" is not positive");
  return scaling;
}

std::vector<double> values_from(const Json& column) {
  const Json& array = member(column, "scaled_values");
  if (!array.is_array() || array.empty()) fail("\"scaled_values\" is not a list of numbers");
  std::vector<double> values;
  values.reserve(array.size());
  for (const Json& value : array) values.push_back(finite_number(value, "scaled_values"));
  return values;
}

// How many inputs the model's were chosen from; models of all of them do not say.
std::size_t num_candidates_from(const Json& model, std::size_t num_inputs) {
  if (!model.contains("screened_from")) return num_inputs;
  const Json& number = model["screened_from"];
  if (!number.is_number_unsigned() || number.get<std::uint64_t>() <= num_inputs) {
    fail("\"screened_from\" is not a number of inputs, more than there are");
  }
  return number.get<std::size_t>();
}

Dataset dataset_from(const Json& model) {
  const Json& target = member(model, "target");
  const Json& inputs = member(model, "inputs");
  if (!inputs.is_array() || inputs.empty()) fail("\"inputs\" is not a list of columns");
  const std::vector<double> target_values = values_from(target);
  const Json& rows = member(model, "rows");
  if (!rows.is_number_unsigned() || rows.get<std::uint64_t>() != target_values.size()) {
    fail("\"rows\" is not the length of its columns");
  }
  if (models_bytes(target_values.size()) > machine_bytes()) {
    fail(fmt::format("its {} rows need more memory than this machine has", target_values.size()));
  }
  std::vector<std::vector<double>> columns;
  std::vector<Scaling> scalings;
  std::set<std::string> names;
  for (const Json& input : inputs) {
    scalings.push_back(scaling_from(input));
    columns.push_back(values_from(input));
    check_levels(scalings.back(), columns.back());
    if (columns.back().size() != target_values.size()) fail("the columns differ in length");
    if (!names.insert(scalings.back().name).second) {
      fail(fmt::format("two inputs have the name {}", covary::quoted(scalings.back().name)));
    }
  }
  const std::string fingerprint = text_of(model, "fingerprint");
  if (fingerprint.size() != 32 ||
      fingerprint.find_first_not_of("0123456789abcdef") != std::string::npos) {
    fail("\"fingerprint\" is not 32 hexadecimal digits");
  }
  return {std::move(columns),
          target_values,
          std::move(scalings),
          target_scaling_from(target),
          fingerprint,
          {},
          num_candidates_from(model, inputs.size())};
}

// What is kept of rows that are not: of one member.
void add_kept(const Json& object, std::size_t num_rows, SparseState& state) {
  const Json& interval = member(object, "log_marginal_likelihood_interval");
  if (!interval.is_array() || interval.size() != 2) {
    fail("\"log_marginal_likelihood_interval\" is not a list of two numbers");
  }
  state.log_marginal_likelihood = {finite_number(interval[0], "log_marginal_likelihood_interval"),
                                   finite_number(interval[1], "log_marginal_likelihood_interval")};
  state.jitter = finite_number(member(object, "jitter"), "jitter");
  state.num_rows = num_rows;
}

// By the file beside it; nothing of a model that has all its rows.
std::vector<SparseState> states_from(const Json& model, std::size_t num_members,
                                     std::size_t num_support, const ReadSupport& read) {
  if (!model.contains("support")) return {};
  const Json& support = member(model, "support");
  if (!member(support, "of_rows").is_number_unsigned()) fail("\"of_rows\" is not a number of rows");
  const std::string checksum = text_of(support, "checksum");
  if (!read) fail("it is kept by its support, which is in a file beside it that is not at hand");
  check_models_memory(num_support, num_members);
  const std::string bytes = read(num_support_bytes(num_members, num_support));
  if (support_checksum(bytes) != checksum) {
    fail(
        "the checksum of the file of its support does not fit: that file was damaged, or belongs "
        "to another model");
  }
  return support_from_bytes(bytes, num_members, num_support);
}

// A kernel with its parameters, as a single model and a member of an ensemble have it.
FittedModel fitted_from(const Json& object, const Dataset& data, const InputNames& names,
                        const SparseState* state, const LongWork& work) {
  const Json& list = member(object, "parameters");
  if (!list.is_array()) fail("\"parameters\" is not a list");
  std::vector<double> parameters;
  for (const Json& parameter : list) {
    parameters.push_back(finite_number(member(parameter, "value"), "parameters"));
  }
  const std::string mean = text_of(object, "mean");
  if (mean != "zero" && mean != "constant") fail("\"mean\" is neither zero nor constant");
  const Expression kernel = parse_expression(text_of(object, "kernel"), names);
  const MeanFunction function = mean == "constant" ? MeanFunction::constant : MeanFunction::zero;
  FittedModel fitted =
      state != nullptr ? restored_model(kernel, std::move(parameters), data, function, *state, work)
                       : FittedModel(kernel, std::move(parameters), data, function, work);
  // What people read beside the values must be what the values are.
  if (parameters_to_json(fitted) != list) fail("\"parameters\" are not those of the kernel");
  return fitted;
}

std::uint64_t rows_of_support(const Json& model) {
  return member(member(model, "support"), "of_rows").get<std::uint64_t>();
}

Ensemble ensemble_from(const Json& model, const Dataset& data, const InputNames& names,
                       const ReadSupport& read, const LongWork& work) {
  const Json& list = model.at("members");
  if (!list.is_array()) fail("\"members\" is not a list");
  if (list.size() < 2 || list.size() > Ensemble::max_members) {
    fail(fmt::format("\"members\" is a list of {}, not of 2 to {} models", list.size(),
                     Ensemble::max_members));
  }
  check_models_memory(data.num_rows(), list.size());  // each keeps a matrix
  std::vector<double> weights;
  for (const Json& entry : list) {
    weights.push_back(finite_number(member(entry, "weight"), "weight"));
    if (entry.contains("members")) fail("a member has members of its own");
  }
  std::vector<SparseState> states = states_from(model, list.size(), data.num_rows(), read);
  std::vector<FittedModel> members;
  for (const Json& entry : list) {
    SparseState* state = states.empty() ? nullptr : &states[members.size()];
    if (state != nullptr) add_kept(entry, rows_of_support(model), *state);
    const auto count = static_cast<double>(list.size());
    const auto done = static_cast<double>(members.size());
    members.push_back(
        fitted_from(entry, data, names, state, part_of(work, done / count, (done + 1.0) / count)));
  }
  return Ensemble::from_weights(std::move(members), std::move(weights));
}

}  // namespace

nlohmann::ordered_json parameters_to_json(const FittedModel& model) {
  Json parameters = Json::array();
  for (const ParameterValue& parameter : model.named_parameters()) {
    parameters.push_back({{"kernel", parameter.kernel},
                          {"column", parameter.column},
                          {"name", parameter.name},
                          {"value", parameter.value}});
  }
  return parameters;
}

Ensemble model_from_json(const Json& model, const ReadSupport& read, const LongWork& work) {
  const Dataset data = dataset_from(model);
  const InputNames names = inputs_of(data);
  if (!model.contains("members")) {
    std::vector<SparseState> states = states_from(model, 1, data.num_rows(), read);
    if (states.empty()) return fitted_from(model, data, names, nullptr, work);
    add_kept(model, rows_of_support(model), states.front());
    return fitted_from(model, data, names, &states.front(), work);
  }
  if (model.contains("kernel")) fail(R"(it has both a "kernel" and "members")");
  return ensemble_from(model, data, names, read, work);
}

}  // namespace covary
