#include <utility>

#include <covary/dataset.h>

namespace covary {

Dataset::Dataset(std::vector<std::vector<double>> inputs, std::vector<double> target,
                 std::vector<Scaling> input_scalings, Scaling target_scaling,
                 std::string fingerprint, std::vector<std::string> notes)
    : inputs_(std::move(inputs)),
      target_(std::move(target)),
      input_scalings_(std::move(input_scalings)),
      target_scaling_(std::move(target_scaling)),
      fingerprint_(std::move(fingerprint)),
      notes_(std::move(notes)) {}

std::vector<std::string> Dataset::input_names() const {
  std::vector<std::string> names;
  for (const Scaling& scaling : input_scalings_) names.push_back(scaling.name);
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
  inputs.reserve(inputs_.size());
  for (const std::vector<double>& input : inputs_) inputs.push_back(pick(input));
  return {std::move(inputs), pick(target_), input_scalings_, target_scaling_, fingerprint_, notes_};
}

}  // namespace covary
