#include <utility>

#include <covary/expression.h>

namespace covary {

InputNames InputNames::unnamed(std::size_t count) { return InputNames(count); }

InputNames::InputNames(std::vector<std::string> names)
    : size_(names.size()), names_(std::move(names)) {}

}  // namespace covary
