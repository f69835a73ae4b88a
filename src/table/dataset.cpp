#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <covary/dataset.h>
#include <covary/error.h>
#include <covary/message_text.h>

#include "table/scaling.h"

namespace covary {

Dataset::Dataset(std::vector<std::vector<double>> inputs, std::vector<double> target,
                 std::vector<Scaling> input_scalings, Scaling target_scaling,
                 std::string fingerprint, std::vector<std::string> notes,
                 std::size_t num_candidates)
    : content_(std::make_shared<const Content>(Content{
          std::move(inputs), std::move(target), std::move(input_scalings),
          std::move(target_scaling), std::move(fingerprint), std::move(notes), num_candidates})) {}

std::vector<std::string> Dataset::input_names() const {
  std::vector<std::string> names;
  for (const Scaling& scaling : content_->input_scalings) names.push_back(scaling.name);
  return names;
}

Dataset Dataset::rows(std::span<const std::size_t> indices) const {
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
                fmt::format("--transform {} needs {}, but column {} has {}; choose another "
                            "transform, or none",
                            to_string(transform), domain_of(transform), quoted(now.name),
                            shown_number(*outside)));
  }
  for (double& value : values) value = transformed(transform, value);
  const bool is_scaled = now.offset != 0.0 || now.factor != 1.0;
  const Scale scale = is_scaled ? standard_scale(values) : Scale{};
  if (!(scale.factor > 0.0)) {
    throw Error(ErrorKind::bad_data,
                fmt::format("--transform {}: the values of column {} differ by less than double "
                            "precision can scale; choose none",
                            to_string(transform), quoted(now.name)));
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
      throw Error(ErrorKind::bad_data, "the columns of new points differ in length");
    }
    scaled.push_back(scaled_input(data, c, raw[c]));
  }
  return scaled;
}

}  // namespace covary
