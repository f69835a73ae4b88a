// MULT:  (A × B)(x, x') = A(x, x') B(x, x').
#include "kernels/operators/mult.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {

constexpr Operator mult = {
    .name = "MULT",
    .symbol = "*",
    .is_infix = true,
    .title = "product",
    .formula = "A(x, x') B(x, x')",
    .parameters = {},
    .numerics = &operator_numerics<Mult>,
    .is_commutative = true,
    .is_associative = true,
    .algebra = Algebra::product,
    .acts_on_input = false,
    .words = "modulated by",
    .is_offered = [](const InputTraits& /*input*/) { return true; },
};

}  // namespace covary::registry
