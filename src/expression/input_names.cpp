#include <utility>

#include <covary/expression.h>

namespace covary {

InputNames InputNames::unnamed(std::size_t count) { return InputNames(count); }

InputNames::InputNames(std::vector<std::string> names, std::vector<InputTraits> traits)
    : size_(names.size()), names_(std::move(names)), traits_(std::move(traits)) {}

std::vector<std::size_t> InputNames::columns(InputKind kind) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < size_; ++i) {
    if (may_be(kind, i)) found.push_back(i);
  }
  return found;
}

bool InputNames::suits(const BaseKernel& kernel, std::size_t column) const {
  if (!may_be(kernel.acts_on, column)) return false;
  return traits_.empty() || kernel.calendar_unit == CalendarUnit::none ||
         traits_[column].has_calendar;
}

}  // namespace covary
