#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <covary/dataset.h>
#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "table/cell_place.h"
#include "table/scaling.h"

namespace covary {
namespace {

// What is no number would end in a fit that fails, far from the cell that is the reason.
void check_finite(std::string_view source, const Scaling& scaling, std::span<const double> values,
                  std::string_view way_out) {
  const auto bad = std::find_if_not(values.begin(), values.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad == values.end()) return;
  throw Error(ErrorKind::bad_data,
              fmt::format("{}: {}; correct it, or {}",
                          cell_place(source, static_cast<std::size_t>(bad - values.begin()) + 1, 0,
                                     scaling.name),
                          std::isnan(*bad) ? "NaN is no value" : "infinity is no value", way_out));
}

}  // namespace

Dataset::Dataset(std::vector<std::vector<double>> inputs, std::vector<double> target,
                 std::vector<Scaling> input_scalings, Scaling target_scaling,
                 std::string fingerprint, std::vector<std::string> notes,
                 std::size_t num_candidates)
    : content_(std::make_shared<const Content>(Content{
          std::move(inputs), std::move(target), std::move(input_scalings),
          std::move(target_scaling), std::move(fingerprint), std::move(notes), num_candidates})) {
  if (content_->inputs.size() != content_->input_scalings.size()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the data have {} inputs, but scalings of {}", content_->inputs.size(),
                            content_->input_scalings.size()));
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < num_inputs(); ++i) {
    const std::string& name = input_scaling(i).name;
    if (!names.insert(name).second) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("two inputs of the data are called {}; rename one", quoted(name)));
    }
    if (input(i).size() != num_rows()) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("input {} of the data has {} values, and the target has {}",
                              quoted(name), input(i).size(), num_rows()));
    }
    check_finite("the data", input_scaling(i), input(i), "leave the row out");
  }
  check_finite("the data", content_->target_scaling, content_->target, "leave the row out");
}

std::vector<std::string> Dataset::input_names() const {
  std::vector<std::string> names;
  for (const Scaling& scaling : content_->input_scalings) names.push_back(scaling.name);
  return names;
}

bool Dataset::has_constant_target() const {
  const std::span<const double> values = target();
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

Dataset Dataset::rows(std::span<const std::size_t> indices) const {
  for (const std::size_t index : indices) {
    if (index < num_rows()) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("there is no row {}: the data have {}, counted from 0", index, num_rows()));
  }
  const auto pick = [&](const std::vector<double>& values) {
    std::vector<double> picked;
    picked.reserve(indices.size());
    for (const std::size_t index : indices) picked.push_back(values[index]);
    return picked;
  };
  std::vector<std::vector<double>> inputs;
  inputs.reserve(num_inputs());
  for (const std::vector<double>& input : content_->inputs) inputs.push_back(pick(input));
  return {std::move(inputs),       pick(content_->target), content_->input_scalings,
          target_scaling(),        fingerprint(),          notes(),
          content_->num_candidates};
}

Dataset Dataset::with_inputs(std::span<const std::size_t> columns) const {
  std::vector<std::vector<double>> inputs;
  std::vector<Scaling> scalings;
  for (const std::size_t column : columns) {
    inputs.push_back(content_->inputs[column]);
    scalings.push_back(input_scaling(column));
  }
  return {std::move(inputs), content_->target, std::move(scalings), target_scaling(),
          fingerprint(),     notes(),          num_candidates()};
}

bool Dataset::has_input_scalings_of(const Dataset& other) const {
  return content_->input_scalings == other.content_->input_scalings;
}

bool Dataset::has_scalings_of(const Dataset& other) const {
  return has_input_scalings_of(other) && target_scaling() == other.target_scaling();
}

Dataset Dataset::with_transform(TargetTransform transform) const {
  const Scaling& now = target_scaling();
  if (transform == now.transform) return *this;
  if (now.transform != TargetTransform::none) {
    throw Error(ErrorKind::usage, fmt::format("the target is {} already; transform the data as "
                                              "they were",
                                              transformed_name(now.transform, now.name)));
  }
  std::vector<double> values = raw_target(*this);
  const auto outside = std::find_if(values.begin(), values.end(), [&](double y) {
    return !is_suitable(transform, {&y, 1});
  });
  if (outside != values.end()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} needs {}, but column {} has {}; choose another "
                            "transform, or none",
                            option_text("transform", to_string(transform)), domain_of(transform),
                            quoted(now.name), shown_number(*outside)));
  }
  for (double& value : values) value = transformed(transform, value);
  const bool is_scaled = now.offset != 0.0 || now.factor != 1.0;
  const Scale scale = is_scaled ? standard_scale(values) : Scale{};
  if (!(scale.factor > 0.0)) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: the values of column {} differ by less than double "
                            "precision can scale; choose none",
                            option_text("transform", to_string(transform)), quoted(now.name)));
  }
  Scaling scaling{now.name, now.type, scale.offset, scale.factor, transform, now.factor};
  for (double& value : values) value = (value - scale.offset) / scale.factor;
  return {content_->inputs, std::move(values), content_->input_scalings, std::move(scaling),
          fingerprint(),    notes(),           content_->num_candidates};
}

double Dataset::log_jacobian() const {
  double sum = 0.0;
  for (const double y : target()) sum += target_scaling().log_jacobian(y);
  return sum;
}

bool Dataset::operator==(const Dataset& other) const {
  return content_ == other.content_ ||
         (fingerprint() == other.fingerprint() && content_->target == other.content_->target &&
          content_->inputs == other.content_->inputs && has_scalings_of(other));
}

std::vector<double> raw_input(const Dataset& data, std::size_t column) {
  std::vector<double> raw(data.input(column).begin(), data.input(column).end());
  for (double& x : raw) x = data.input_scaling(column).to_raw(x);
  return raw;
}

std::vector<std::vector<double>> raw_inputs(const Dataset& data) {
  std::vector<std::vector<double>> inputs;
  for (std::size_t c = 0; c < data.num_inputs(); ++c) inputs.push_back(raw_input(data, c));
  return inputs;
}

std::vector<double> raw_target(const Dataset& data) {
  std::vector<double> raw(data.target().begin(), data.target().end());
  for (double& y : raw) y = data.target_scaling().to_raw(y);
  return raw;
}

std::vector<double> scaled_input(const Dataset& data, std::size_t column, std::vector<double> raw) {
  for (double& x : raw) x = data.input_scaling(column).to_scaled(x);
  return raw;
}

std::vector<std::vector<double>> scaled_inputs(const Dataset& data,
                                               const std::vector<std::vector<double>>& raw) {
  if (raw.size() != data.num_inputs()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the model has {} inputs, not {}", data.num_inputs(), raw.size()));
  }
  std::vector<std::vector<double>> scaled;
  for (std::size_t c = 0; c < raw.size(); ++c) {
    if (raw[c].size() != raw[0].size()) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("the columns of new points differ in length: {} has {} values, {} "
                              "has {}",
                              quoted(data.input_scaling(0).name), raw[0].size(),
                              quoted(data.input_scaling(c).name), raw[c].size()));
    }
    check_finite("the new points", data.input_scaling(c), raw[c],
                 "leave the row out: nothing can be predicted without it");
    scaled.push_back(scaled_input(data, c, raw[c]));
  }
  return scaled;
}

}  // namespace covary
