#include "store/model_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/error.h>
#include <covary/evidence.h>
#include <covary/message_text.h>
#include <covary/model_file.h>

#include "base/checkpoint.h"
#include "base/hash.h"
#include "evidence/memory.h"
#include "evidence/support_model.h"
#include "store/support_file.h"

namespace covary {
namespace {

using Json = nlohmann::ordered_json;

constexpr char format_name[] = "covary-model";
// A file has the first version that has all that is in it, so that older programs read what they
// understand.
constexpr int plain_version = 1;
constexpr int version_with_transforms = 2;
constexpr int version_with_categories = 3;
constexpr int version_with_support = 4;
constexpr int newest_version = version_with_support;
constexpr int known_versions[] = {plain_version, version_with_transforms, version_with_categories,
                                  version_with_support};
// More is no model of ours: of more rows than exact models have, some are kept. Names and brackets
// count.
constexpr std::size_t max_values = 1'500'000;
constexpr std::size_t max_depth = 16;
constexpr std::size_t max_names = 64;  // in one object: the parser compares each with all before

int version_of(const Dataset& data) {
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    if (data.input_scaling(i).is_category()) return version_with_categories;
  }
  return data.target_scaling().transform == TargetTransform::none ? plain_version
                                                                  : version_with_transforms;
}

std::string checksum_of(const Json& model) {
  Fingerprint fingerprint;
  fingerprint.add(std::string_view(model.dump()));
  return fingerprint.digits();
}

Json to_json(const Scaling& scaling, std::span<const double> values) {
  Json column = {{"name", scaling.name},
                 {"type", to_string(scaling.type)},
                 {"offset", scaling.offset},
                 {"factor", scaling.factor}};
  if (scaling.transform != TargetTransform::none) {
    column["transform"] = to_string(scaling.transform);
    column["plain_factor"] = scaling.plain_factor;
  }
  if (scaling.counts_years) column["counts_years"] = true;
  if (scaling.is_category()) column["levels"] = scaling.levels;
  column["scaled_values"] = std::vector<double>(values.begin(), values.end());
  return column;
}

Json parameters_to_json(const FittedModel& model) {
  Json parameters = Json::array();
  for (const ParameterValue& parameter : model.named_parameters()) {
    parameters.push_back({{"kernel", parameter.kernel},
                          {"column", parameter.column},
                          {"name", parameter.name},
                          {"value", parameter.value}});
  }
  return parameters;
}

void add_kernel(const FittedModel& model, bool has_support, Json& object) {
  object["kernel"] = model.kernel_text();
  object["mean"] = model.mean_function() == MeanFunction::constant ? "constant" : "zero";
  object["parameters"] = parameters_to_json(model);
  if (!has_support) return;
  const FittedModel::Interval interval = model.log_marginal_likelihood_interval();
  object["log_marginal_likelihood_interval"] = {interval.lower, interval.upper};
  object["jitter"] = model.jitter();
}

void add_data(const Dataset& data, Json& object) {
  Json inputs = Json::array();
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    inputs.push_back(to_json(data.input_scaling(i), data.input(i)));
  }
  object["fingerprint"] = data.fingerprint();
  object["rows"] = data.num_rows();
  object["target"] = to_json(data.target_scaling(), data.target());
  object["inputs"] = std::move(inputs);
}

// A single model has its kernel where an ensemble has its list of members. With the checksum of a
// file of its support, that of a model which is kept by its support.
Json to_json(const Ensemble& model, const std::optional<std::string>& support = {}) {
  const FittedModel& first = model.members().front();
  Json object = Json::object();
  if (model.size() == 1) {
    add_kernel(first, support.has_value(), object);
  } else {
    Json members = Json::array();
    for (std::size_t k = 0; k < model.size(); ++k) {
      Json member = {{"weight", model.weights()[k]}};
      add_kernel(model.members()[k], support.has_value(), member);
      members.push_back(std::move(member));
    }
    object["members"] = std::move(members);
  }
  if (support) object["support"] = {{"of_rows", first.num_rows()}, {"checksum", *support}};
  add_data(support ? first.support_data() : model.data(), object);
  return object;
}

// ---- reading: every value is checked before it is used ----

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::bad_data, message); }

const Json& member(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) fail(fmt::format("\"{}\" is missing", name));
  return object.at(name);
}

std::string text_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) fail(fmt::format("\"{}\" is not text", name));
  return value.get<std::string>();
}

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
    scaling.counts_years = column["counts_years"].get<bool>();
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
  return {std::move(columns),          target_values, std::move(scalings),
          target_scaling_from(target), fingerprint,   {}};
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
  const FittedModel fitted =
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

Ensemble model_from(const Json& model, const ReadSupport& read, const LongWork& work) {
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

// Reads JSON and keeps nothing. Nesting, size and names are bounded before any value is stored, so
// that a hostile file can neither fill the memory nor keep the reader busy.
class BoundsCheck : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return count(); }
  bool boolean(bool /*value*/) override { return count(); }
  bool number_integer(number_integer_t /*value*/) override { return count(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return count(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return count(); }
  bool string(string_t& /*value*/) override { return count(); }
  bool binary(binary_t& /*value*/) override { return count(); }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& /*name*/) override {
    if (++num_names_.back() > max_names) fail("it has more names in one object than any model");
    return count();
  }
  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr) {
      fail("it has a number that is too large");
    }
    fail(fmt::format("it is not JSON, or cut off, at byte {}", byte));
  }

 private:
  bool count() {
    if (++num_values_ > max_values) fail("it has more values than any model");
    return true;
  }
  bool open() {
    num_names_.push_back(0);
    if (num_names_.size() > max_depth) fail("its values are nested too deep");
    return count();
  }
  bool close() {
    num_names_.pop_back();
    return count();
  }

  std::size_t num_values_ = 0;
  std::vector<std::size_t> num_names_;  // of each object that is open
};

// Names and brackets beside the numbers; an upper bound.
std::size_t num_values_of(const Dataset& data, std::size_t num_rows, std::size_t num_members,
                          std::size_t num_parameters) {
  constexpr std::size_t in_all = 30;
  constexpr std::size_t per_column = 14;
  constexpr std::size_t per_member = 18;
  constexpr std::size_t per_parameter = 10;
  std::size_t num_levels = 0;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    num_levels += data.input_scaling(i).levels.size();
  }
  return in_all + (data.num_inputs() + 1) * (per_column + num_rows) + num_levels +
         per_member * num_members + per_parameter * num_parameters;
}

// Twice through the text, because a parser that asks while it stores looks through a whole list
// after each of its objects.
Json parse_bounded(const std::string& text) {
  BoundsCheck check;
  Json::sax_parse(text, &check);
  return Json::parse(text);
}

}  // namespace

bool can_be_read_back(const Ensemble& model) {
  std::size_t num_parameters = 0;
  for (const FittedModel& fitted : model.members()) num_parameters += fitted.parameters().size();
  const std::size_t num_rows = num_kept_rows(model.data().num_rows());
  return num_values_of(model.data(), num_rows, model.size(), num_parameters) <= max_values;
}

bool can_be_kept(const Dataset& data, std::size_t num_members) {
  constexpr std::size_t usual_parameters = 41;  // ten base kernels of four, and the noise
  constexpr std::size_t kernel_bytes = 6'000;
  constexpr std::size_t value_bytes = 32;  // at the most, with its line
  const std::size_t num_rows = num_kept_rows(data.num_rows());
  const std::size_t num_values =
      num_values_of(data, num_rows, num_members, usual_parameters * num_members);
  if (num_values > max_values) return false;
  if (num_values * value_bytes <= max_model_bytes / 2) return true;  // names are short beside that
  if (num_rows < data.num_rows()) return num_values * value_bytes <= max_model_bytes;
  Json model = Json::object();
  add_data(data, model);
  const Json file = {{"model", std::move(model)}};
  return file.dump(1).size() + num_members * kernel_bytes <= max_model_bytes;
}

namespace {

std::string file_text(const Json& content, int version) {
  const Json file = {{"format", format_name},
                     {"version", version},
                     {"checksum", checksum_of(content)},
                     {"model", content}};
  return file.dump(1) + "\n";
}

std::string support_of(const Ensemble& model) {
  std::vector<SparseState> states;
  for (const FittedModel& member : model.members()) states.push_back(state_of(member));
  return support_to_bytes(states);
}

bool is_kept_by_support(const Ensemble& model) { return !model.members().front().is_exact(); }

}  // namespace

std::string model_checksum(const Ensemble& model) {
  if (!is_kept_by_support(model)) return checksum_of(to_json(model));
  return checksum_of(to_json(model, support_checksum(support_of(model))));
}

ModelParts model_parts(const Ensemble& model) {
  if (!is_kept_by_support(model)) return {model_to_text(model), {}};
  ModelParts parts;
  parts.support = support_of(model);
  parts.text = file_text(to_json(model, support_checksum(*parts.support)), version_with_support);
  return parts;
}

std::string model_to_text(const Ensemble& model) {
  if (model.members().front().num_rows() != model.data().num_rows()) {
    fail("a model that was loaded by its support has not all of its rows; keep it as a file");
  }
  return file_text(to_json(model), version_of(model.data()));
}

Ensemble model_from_text(const std::string& text, const std::string& source, const LongWork& work) {
  return model_with_checksum(text, source, work).model;
}

ModelWithChecksum model_with_checksum(const std::string& text, const std::string& source,
                                      const LongWork& work, const ReadSupport& read) {
  try {
    const Json file = parse_bounded(text);
    if (!file.is_object() || !file.contains("format") || file["format"] != format_name) {
      fail("it is not a Covary model");
    }
    const Json& version = member(file, "version");
    const bool is_known = std::any_of(std::begin(known_versions), std::end(known_versions),
                                      [&](int known) { return version == known; });
    if (!is_known) {
      fail(
          fmt::format("it is of format version {}, this program reads version {}; use the version "
                      "of Covary that made it, or a newer one",
                      shown(version.dump()), newest_version));
    }
    const Json& model = member(file, "model");
    std::string checksum = text_of(file, "checksum");
    if (checksum != checksum_of(model)) {
      fail("its checksum does not fit: the file was damaged or edited");
    }
    return {model_from(model, read, work), std::move(checksum)};
  } catch (const Error& error) {
    // Whatever is wrong in it, it is the file that is wrong; unless the machine is too small.
    const bool is_memory = error.kind() == ErrorKind::memory;
    throw Error(is_memory ? ErrorKind::memory : ErrorKind::bad_data,
                fmt::format("{}: {}", shown_source(source), error.what()));
  }
}

}  // namespace covary
