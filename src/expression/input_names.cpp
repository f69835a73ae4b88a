#include <utility>

#include <covary/expression.h>

namespace covary {

InputNames InputNames::unnamed(std::size_t count) { return InputNames(count); }

InputNames::InputNames(std::vector<std::string> names, std::vector<InputKind> kinds)
    : size_(names.size()), names_(std::move(names)), kinds_(std::move(kinds)) {}

std::vector<std::size_t> InputNames::columns(InputKind kind) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < size_; ++i) {
    if (may_be(kind, i)) found.push_back(i);
  }
  return found;
}

}  // namespace covary
