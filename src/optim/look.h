#pragma once

#include <limits>
#include <span>
#include <vector>

#include "optim/stepper.h"

namespace covary {

// The shortest walk: one place, its value and, if wanted and there is a value, its gradient.
class Look final : public Stepper {
 public:
  explicit Look(std::vector<double> place, Want want = Want::nothing)
      : place_(std::move(place)), want_(want) {}

  // Minus infinity, and no gradient, before the look and where the function has no value.
  double value() const { return value_; }
  const std::vector<double>& gradient() const { return gradient_; }
  const Matrix& curvature() const { return curvature_; }  // empty unless wanted

  bool is_done() const override { return is_done_; }
  std::span<const double> place() const override { return place_; }
  Want tell_value(double value) override {
    value_ = value;
    is_done_ = true;
    return value > -std::numeric_limits<double>::infinity() ? want_ : Want::nothing;
  }
  void tell_gradient(std::span<const double> gradient, const Matrix* curvature) override {
    gradient_.assign(gradient.begin(), gradient.end());
    if (curvature != nullptr) curvature_ = Matrix::copy_of(*curvature);
  }

 private:
  std::vector<double> place_;
  Want want_;
  bool is_done_ = false;
  double value_ = -std::numeric_limits<double>::infinity();
  std::vector<double> gradient_;
  Matrix curvature_;
};

}  // namespace covary
