#pragma once

#include "bindings.h"

namespace covary::python {

// An evaluation as a dictionary that can be pickled, and back. What an older version has not
// pickled is as by default.
using EvidenceState = nb::typed<nb::dict, nb::str, nb::any>;
EvidenceState state_of(const Evidence& evidence);
Evidence evidence_of(const EvidenceState& state);

using WarmStartTexts = std::vector<std::pair<NamedExpression, std::vector<double>>>;
std::vector<WarmStart> warm_starts_of(const WarmStartTexts& named);

}  // namespace covary::python
