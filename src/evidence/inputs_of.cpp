#include <covary/evidence.h>

namespace covary {

InputNames inputs_of(const Dataset& data) {
  std::vector<InputKind> kinds;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    kinds.push_back(data.input_scaling(i).is_category() ? InputKind::category : InputKind::number);
  }
  return InputNames(data.input_names(), std::move(kinds));
}

}  // namespace covary
