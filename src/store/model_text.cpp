#include "store/model_text.h"

#include <algorithm>
#include <iterator>
#include <optional>
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

#include "base/hash.h"
#include "evidence/memory.h"
#include "evidence/support_model.h"
#include "store/bounded_json.h"
#include "store/json_members.h"
#include "store/model_from_json.h"
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
  if (scaling.counts_years()) {
    column["counts_years"] = true;
  } else if (scaling.days_a_unit > 0.0) {
    column["days_a_unit"] = scaling.days_a_unit;
  }
  if (!scaling.date_format.empty()) column["date_format"] = scaling.date_format;
  if (scaling.is_category()) column["levels"] = scaling.levels;
  column["scaled_values"] = std::vector<double>(values.begin(), values.end());
  return column;
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
  if (data.num_candidates() > data.num_inputs()) object["screened_from"] = data.num_candidates();
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

}  // namespace

bool can_be_read_back(const Ensemble& model) {
  std::size_t num_parameters = 0;
  for (const FittedModel& fitted : model.members()) num_parameters += fitted.parameters().size();
  const std::size_t num_rows = num_kept_rows(model.data().num_rows());
  return num_values_of(model.data(), num_rows, model.size(), num_parameters) <= max_model_values;
}

bool can_be_kept(const Dataset& data, std::size_t num_members) {
  constexpr std::size_t usual_parameters = 41;  // ten base kernels of four, and the noise
  constexpr std::size_t kernel_bytes = 6'000;
  constexpr std::size_t value_bytes = 32;  // at the most, with its line
  const std::size_t num_rows = num_kept_rows(data.num_rows());
  const std::size_t num_values =
      num_values_of(data, num_rows, num_members, usual_parameters * num_members);
  if (num_values > max_model_values) return false;
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
    throw Error(
        ErrorKind::bad_data,
        "a model that was loaded by its support has not all of its rows; keep it as a file");
  }
  return file_text(to_json(model), version_of(model.data()));
}

// JSON has no byte of zero, so that it can stand between the two.
std::string model_to_bytes(const Ensemble& model) {
  ModelParts parts = model_parts(model);
  if (parts.support) parts.text.append(1, '\0').append(*parts.support);
  return std::move(parts.text);
}

Ensemble model_from_bytes(const std::string& bytes, const std::string& source,
                          const LongWork& work) {
  const std::size_t end = bytes.find('\0');
  if (end == std::string::npos) return model_from_text(bytes, source, work);
  const auto read = [&](std::size_t /*num_bytes*/) { return bytes.substr(end + 1); };
  return model_with_checksum(bytes.substr(0, end), source, work, read).model;
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
    return {model_from_json(model, read, work), std::move(checksum)};
  } catch (const Error& error) {
    // Whatever is wrong in it, it is the file that is wrong; unless the machine is too small.
    const bool is_memory = error.kind() == ErrorKind::memory;
    throw Error(is_memory ? ErrorKind::memory : ErrorKind::bad_data,
                fmt::format("{}: {}", shown_source(source), error.what()));
  }
}

}  // namespace covary
