#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace covary {

// What is done to a target before a Gaussian process explains it. Part of the model: evidences are
// those of the target itself, the transform's Jacobian included, so that models of different
// transforms compare (docs/math/transforms.md).
enum class TargetTransform {
  none,
  log,    // log y, for positive targets: parts multiply each other
  log1p,  // log(1 + y), for targets that are never negative and sometimes zero, such as counts
  logit,  // log(y / (1 - y)), for shares between 0 and 1
};

std::string_view to_string(TargetTransform transform);
std::optional<TargetTransform> target_transform_from(std::string_view word);  // none for others
std::vector<TargetTransform> all_target_transforms();

// "log(y)" for the name y.
std::string transformed_name(TargetTransform transform, std::string_view name);

double transformed(TargetTransform transform, double y);  // NaN or infinite outside of its domain
double untransformed(TargetTransform transform, double t);

// log dt/dy, at the place t = transformed(y).
double log_slope(TargetTransform transform, double t);

// Of y, where transformed(y) is Gaussian.
struct Moments {
  double mean = 0.0;
  double sd = 0.0;
};
Moments untransformed_moments(TargetTransform transform, double mean, double sd);

// Whether there is a transform of all of these, and the values that speak against it otherwise:
// "positive values".
bool is_suitable(TargetTransform transform, std::span<const double> targets);
std::string_view domain_of(TargetTransform transform);

// What the range of a target suggests to try: always none, first.
std::vector<TargetTransform> suitable_transforms(std::span<const double> targets);

}  // namespace covary
