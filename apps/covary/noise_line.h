#pragma once

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary::app {

// What the model explains, where that is not the target itself, and the noise in it.
inline void print_noise(const FittedModel& model) {
  const Scaling& target = model.data().target_scaling();
  const bool is_transformed = target.transform != TargetTransform::none;
  if (is_transformed) {
    fmt::print("{:<24}{}\n", "target", shown(transformed_name(target.transform, target.name)));
  }
  fmt::print("{:<24}{:.4g} of {} variance\n\n", "noise variance", model.noise_variance(),
             is_transformed ? "its" : "the target's");
}

}  // namespace covary::app
