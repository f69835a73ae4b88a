// RW, the random walk: a Wiener process on both sides of 0 of the scaled input, which is where the
// data begin, from a start that is unknown. What forecasters call a local level.
//   k(x, x') = σ² (|x| + |x'| − |x − x'|) / 2 + σ_c²,   k(x, x) = σ² |x| + σ_c².
//   That is σ² min(|x|, |x'|) on one side of 0, and no covariance of steps across it.
//   σ², the variance of a step of length 1, ~ Gamma(2, 3); σ_c² ~ Gamma(2, 3), as LIN's.
#include <cmath>

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::variance_rate, Prior::gamma(2.0, 3.0)},
    {"constant_variance", "σ_c²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

struct RandomWalk {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;
  static constexpr auto prepare = prepare_nothing;

  struct Constants {
    double variance;
    double constant_variance;
  };
  static Constants constants(const double* parameters) { return {parameters[0], parameters[1]}; }
  COVARY_LANE static double shared_way(const Lane& a, const Lane& b) {
    return 0.5 * (std::abs(a.x) + std::abs(b.x) - std::abs(a.x - b.x));
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    return c.variance * shared_way(a, b) + c.constant_variance;
  }
  COVARY_LANE static Slopes derivatives(const Constants& /*c*/, const Lane& a, const Lane& b,
                                        double /*k*/) {
    return {shared_way(a, b), 1.0};
  }
};

std::string_view remark(std::span<const double> /*values*/) {
  return "A forecast of it stays where it was last, ever less sure.";
}

}  // namespace

constexpr BaseKernel random_walk = {
    .name = "RW",
    .title = "random walk",
    .formula = "σ² (|x| + |x'| − |x − x'|) / 2 + σ_c²",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<RandomWalk>,
    .is_stationary = false,
    .noun = "function wandering as a random walk",
    .modifier = "changing as a random walk",
    .role = KernelRole::wandering,
    .remark = remark,
    .adds_up = true,
    .constant_place = 1,
    .is_offered = [](const InputTraits& input) { return input.is_sequence(); },
};

}  // namespace covary::registry
