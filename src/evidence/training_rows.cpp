#include "evidence/training_rows.h"

namespace covary {

TrainingRows training_rows(const Dataset& data, MeanFunction mean) {
  TrainingRows rows;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) rows.inputs.push_back(data.input(i));
  rows.target = data.target();
  if (mean == MeanFunction::constant) rows.constant_variance = constant_mean_variance;
  return rows;
}

}  // namespace covary
