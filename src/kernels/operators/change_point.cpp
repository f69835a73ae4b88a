// CP:  CP(A, B)(x, x') = (1 − s(x)) A(x, x') (1 − s(x')) + s(x) B(x, x') s(x'),
//      s(x) = 1 / (1 + exp(−(x − x₀) / w)):   A before the location x₀, B after it.
// x₀ ~ Normal(0.5, 0.25): 95 % inside the data, since a change outside of it is no change but two
//      unused parameters; free to leave it, so that no optimum sits on a bound.
// w ~ Gamma(2, 20): mean 0.1, mode 0.05 of the input's range. From nearly a step to a slow
//      transition; a width near the whole range would be a mixture of A and B, not a change.

#include "kernels/operators/change_point.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"location", "x₀", Quantity::input_location, Prior::normal(0.5, 0.25)},
    {"width", "w", Quantity::input_length, Prior::gamma(2.0, 20.0)},
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
