#pragma once

#include <string>
#include <vector>

#include "explain/component_algebra.h"
#include "explain/shape.h"

namespace covary {

// A component in words. The title has no numbers, so that components alike have titles alike.
struct Phrase {
  std::string title;  // "A smooth function of age with linearly increasing variation"
  std::vector<std::string> sentences;  // with the numbers
  std::vector<std::string> cautions;   // where the data do not carry what the kernel says
};

Phrase describe(const ComponentAlgebra& algebra, std::size_t component,
                const ComponentShape& shape);

// Equal titles counted, in the order in which they first occur: "Two periodic functions ...".
std::vector<std::string> counted(const std::vector<std::string>& titles);

}  // namespace covary
