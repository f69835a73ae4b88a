#pragma once

#include <span>

namespace covary {

struct ScaleOptions {
  bool is_standardised = true;
  // Values more than `reach` quartile distances below the median are pulled in: what lies beyond
  // counts by its logarithm only. Their order stays. A kernel that fits badly can be worse than all
  // others by any amount; as it is, it would set the scale and hide how good ones differ.
  bool pulls_in_low_values = true;
  double reach = 2.0;
};

// A monotone map between values and a scale on which they have mean 0 and variance 1.
class ValueScale {
 public:
  ValueScale() = default;  // the identity
  ValueScale(std::span<const double> values, const ScaleOptions& options);

  double to_scale(double value) const { return (pulled_in(value) - offset_) / unit_; }
  // Back to values, but those that were pulled in stay so: a linear map, so that means and spreads
  // of Gaussian variables go through it.
  double from_scale(double scaled) const { return offset_ + unit_ * scaled; }
  double unit() const { return unit_; }

 private:
  double pulled_in(double value) const;

  double edge_ = 0.0;               // below which values are pulled in
  double quartile_distance_ = 0.0;  // 0: none are
  double offset_ = 0.0;
  double unit_ = 1.0;
};

}  // namespace covary
