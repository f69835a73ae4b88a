// CP:  CP(A, B)(x, x') = (1 − s(x)) A(x, x') (1 − s(x')) + s(x) B(x, x') s(x'),
//      s(x) = 1 / (1 + exp(−(x − x₀) / w)):   A before the location x₀, B after it.
// x₀ ~ Normal(0.5, 0.25): 95 % inside the data, since a change outside of it is no change but two
//      unused parameters; free to leave it, so that no optimum sits on a bound.
// w ~ Gamma(2, 20): mean 0.1, mode 0.05 of the input's range. From nearly a step to a slow
//      transition; a width near the whole range would be a mixture of A and B, not a change.
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameters[] = {
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
    .parameters = parameters,
    .is_commutative = false,
    .is_associative = false,
    .algebra = Algebra::none,
    .acts_on_input = true,
    .words = "changing to",
};

}  // namespace covary::registry
