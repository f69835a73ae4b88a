#pragma once

#include <tuple>

#include "bindings.h"

namespace covary::python {

// An evaluation as a tuple that can be pickled, and back.
using EvidenceState =
    std::tuple<std::optional<double>, std::string, std::string, std::vector<double>,
               std::tuple<double, double, double>, bool, double,
               std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>, double>;
EvidenceState state_of(const Evidence& evidence);
Evidence evidence_of(const EvidenceState& state);

using WarmStartTexts = std::vector<std::pair<NamedExpression, std::vector<double>>>;
std::vector<WarmStart> warm_starts_of(const WarmStartTexts& named);

}  // namespace covary::python
