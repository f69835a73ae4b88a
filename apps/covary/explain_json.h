#pragma once

#include <string>

#include <covary/explain.h>

namespace covary::app {

// The facts of an explanation as one JSON object; docs/explain.md lists the keys.
std::string explanation_to_json(const Explanation& explanation);

}  // namespace covary::app
