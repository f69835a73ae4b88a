#include "baselines/matern_path.h"

#include <cmath>

namespace covary {
namespace {

// next = A state + L white, the state being (path, slope in units of its own spread), whose
// stationary covariance is the unit matrix; so L L' = I - A A'.
struct Transition {
  double a11, a12, a21, a22;
  double l11, l21, l22;
};

Transition transition(double x) {
  const double decay = std::exp(-x);
  Transition t{};
  t.a11 = decay * (1.0 + x);
  t.a12 = decay * x;
  t.a21 = -decay * x;
  t.a22 = decay * (1.0 - x);
  const double decay2 = decay * decay;
  t.l11 = std::sqrt(1.0 - decay2 * (1.0 + 2.0 * x + 2.0 * x * x));
  t.l21 = 2.0 * x * x * decay2 / t.l11;
  t.l22 = std::sqrt(1.0 - decay2 * (1.0 - 2.0 * x + 2.0 * x * x) - t.l21 * t.l21);
  return t;
}

// The derivatives of all of these by x.
Transition transition_slope(double x, const Transition& t) {
  const double decay = std::exp(-x);
  Transition d{};
  d.a11 = -decay * x;
  d.a12 = decay * (1.0 - x);
  d.a21 = -d.a12;
  d.a22 = decay * (x - 2.0);
  const double decay2 = decay * decay;
  d.l11 = 0.5 * (4.0 * x * x * decay2) / t.l11;
  d.l21 = (4.0 * x * (1.0 - x) * decay2 - t.l21 * d.l11) / t.l11;
  d.l22 = (0.5 * (4.0 * (1.0 - x) * (1.0 - x) * decay2) - t.l21 * d.l21) / t.l22;
  return d;
}

}  // namespace

void matern_path(double step, std::span<const double> white, std::span<double> path,
                 std::span<double> derivative) {
  const Transition t = transition(step);
  const Transition d = transition_slope(step, t);
  double value = white[0];
  double slope = white[1];
  double value_d = 0.0;
  double slope_d = 0.0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0) {
      const double z1 = white[2 * i];
      const double z2 = white[2 * i + 1];
      const double next_value_d =
          t.a11 * value_d + t.a12 * slope_d + d.a11 * value + d.a12 * slope + d.l11 * z1;
      slope_d = t.a21 * value_d + t.a22 * slope_d + d.a21 * value + d.a22 * slope + d.l21 * z1 +
                d.l22 * z2;
      value_d = next_value_d;
      const double next_value = t.a11 * value + t.a12 * slope + t.l11 * z1;
      slope = t.a21 * value + t.a22 * slope + t.l21 * z1 + t.l22 * z2;
      value = next_value;
    }
    path[i] = value;
    if (!derivative.empty()) derivative[i] = value_d;
  }
}

}  // namespace covary
