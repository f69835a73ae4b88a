#include <utility>

#include <covary/dataset.h>

namespace covary {

Dataset::Dataset(std::vector<std::vector<double>> inputs, std::vector<double> target,
                 std::vector<Scaling> input_scalings, Scaling target_scaling,
                 std::string fingerprint, std::vector<std::string> notes)
    : content_(std::make_shared<const Content>(
          Content{std::move(inputs), std::move(target), std::move(input_scalings),
                  std::move(target_scaling), std::move(fingerprint), std::move(notes)})) {}

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
  return {std::move(inputs), pick(content_->target), content_->input_scalings,
          target_scaling(),  fingerprint(),          notes()};
}

bool Dataset::operator==(const Dataset& other) const {
  return content_ == other.content_ ||
         (fingerprint() == other.fingerprint() && content_->target == other.content_->target &&
          content_->inputs == other.content_->inputs &&
          content_->input_scalings == other.content_->input_scalings &&
          target_scaling() == other.target_scaling());
}

}  // namespace covary
