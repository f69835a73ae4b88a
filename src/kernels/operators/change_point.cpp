// CP:  CP(A, B)(x, x') = (1 − s(x)) A(x, x') (1 − s(x')) + s(x) B(x, x') s(x'),
//      s(x) = 1 / (1 + exp(−(x − x₀) / w)):   A before the location x₀, B after it.
// x₀ ~ Normal(0.5, 0.25): 95 % inside the data, since a change outside of it is no change but two
//      unused parameters; free to leave it, so that no optimum sits on a bound.
// w ~ Gamma(2, 20): mean 0.1, mode 0.05 of the input's range. From nearly a step to a slow
//      transition; a width near the whole range would be a mixture of A and B, not a change.
#include <cmath>

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"location", "x₀", Quantity::input_location, Prior::normal(0.5, 0.25)},
    {"width", "w", Quantity::input_length, Prior::gamma(2.0, 20.0)},
};

struct ChangePoint {
  static constexpr std::size_t num_features = 3;  // s(x), ∂s/∂x₀, ∂s/∂w in the place of x
  static constexpr std::size_t num_parameters = 2;
  static void prepare(const double* parameters, const double* x, std::size_t size,
                      double* const* features) {
    const double location = parameters[0];
    const double width = parameters[1];
    for (std::size_t i = 0; i < size; ++i) {
      const double t = (x[i] - location) / width;
      const double s = 1.0 / (1.0 + std::exp(-t));  // 0 or 1 in the far tails
      const double slope = s * (1.0 - s) / width;
      features[0][i] = s;
      features[1][i] = -slope;
      features[2][i] = slope == 0.0 ? 0.0 : -slope * t;
    }
  }

  COVARY_LANE static double value(const Lane& a, const Lane& b, double before, double after) {
    return (1.0 - a.x) * (1.0 - b.x) * before + a.x * b.x * after;
  }
  COVARY_LANE static OperatorSlopes slopes(const Lane& a, const Lane& b, double before,
                                           double after) {
    const double by_a = a.x * after;  // by s(x') at fixed s(x), and the other way round
    const double by_b = b.x * after;
    const double not_by_a = (1.0 - a.x) * before;
    const double not_by_b = (1.0 - b.x) * before;
    return {(1.0 - a.x) * (1.0 - b.x),
            a.x * b.x,
            {(by_b - not_by_b) * a.second + (by_a - not_by_a) * b.second,
             (by_b - not_by_b) * a.third + (by_a - not_by_a) * b.third}};
  }
};

}  // namespace

constexpr Operator change_point = {
    .name = "CP",
    .symbol = "CP",
    .is_infix = false,
    .title = "change point",
    .formula =
        "(1 − s(x)) A(x, x') (1 − s(x')) + s(x) B(x, x') s(x'), "
        "s(x) = 1 / (1 + exp(−(x − x₀) / w))",
    .parameters = parameter_list,
    .numerics = &operator_numerics<ChangePoint>,
    .is_commutative = false,
    .is_associative = false,
    .algebra = Algebra::none,
    .acts_on_input = true,
    .words = "changing to",
    // Most series have no break. Without a price, short ones have one too often, and what is said
    // of the time after it rests on few rows (docs/math/priors.md).
    .price = 2.0,
    // With fewer rows there is too little on either side to tell a change from an accident.
    .is_offered =
        [](const InputTraits& input) { return input.is_sequence() && input.num_values >= 50; },
};

}  // namespace covary::registry
