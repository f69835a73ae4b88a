// CAT, levels of a category that have nothing to do with each other.
//   k(x, x') = σ² [x = x'],   k(x, x) = σ².
//   σ² ~ Gamma(2, 3).
#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

struct Category {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 1;
  static constexpr auto prepare = prepare_nothing;

  struct Constants {
    double variance;
  };
  static Constants constants(const double* parameters) { return {parameters[0]}; }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    return a.x == b.x ? c.variance : 0.0;
  }
  COVARY_LANE static Slopes derivatives(const Constants& /*c*/, const Lane& a, const Lane& b,
                                        double /*k*/) {
    return {a.x == b.x ? 1.0 : 0.0};
  }
};

void merge(std::span<double> values, std::span<const double> others) { values[0] *= others[0]; }

}  // namespace

constexpr BaseKernel category = {
    .name = "CAT",
    .title = "category",
    .formula = "σ² [x = x']",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Category>,
    .is_stationary = true,
    .noun = "value for each level",
    .modifier = "differing by",
    .acts_on = InputKind::category,
    .merge = merge,
    .adds_up = true,
    .is_offered = [](const InputTraits& /*input*/) { return true; },
};

}  // namespace covary::registry
