#include "evidence/prior_scales.h"

#include "table/sampling.h"

namespace covary {

std::vector<InputScale> prior_scales(const Dataset& data, Priors priors) {
  std::vector<InputScale> scales;
  if (priors == Priors::paper) return scales;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    const Sampling sampling = sampling_of(data.input(i));
    scales.push_back(
        {sampling.shortest_period(), sampling.longest_period(), data.input_scaling(i).year()});
  }
  return scales;
}

}  // namespace covary
