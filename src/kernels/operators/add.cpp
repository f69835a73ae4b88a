// ADD:  (A + B)(x, x') = A(x, x') + B(x, x').   The sum of two independent functions.
#include "kernels/operators/add.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {

constexpr Operator add = {
    .name = "ADD",
    .symbol = "+",
    .is_infix = true,
    .title = "sum",
    .formula = "A(x, x') + B(x, x')",
    .parameters = {},
    .numerics = &operator_numerics<Add>,
    .is_commutative = true,
    .is_associative = true,
    .algebra = Algebra::sum,
    .acts_on_input = false,
    .words = "plus",
    .is_offered = [](const InputTraits& /*input*/) { return true; },
};

}  // namespace covary::registry
