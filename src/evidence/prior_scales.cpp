#include "evidence/prior_scales.h"

#include "base/checkpoint.h"
#include "table/sampling.h"

namespace covary {

std::vector<InputScale> prior_scales(const Dataset& data, Priors priors) {
  std::vector<InputScale> scales;
  if (priors == Priors::paper) return scales;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    StopPoint::pass();
    const Sampling sampling = sampling_of(data.input(i));
    // What is usual in years is known of months, quarters and years, not of hours.
    constexpr double most_rows_of_a_year = 14.0;
    const double year = data.input_scaling(i).year();
    const bool is_counted_in_years = most_rows_of_a_year * sampling.spacing >= year;
    scales.push_back(
        {sampling.shortest_period(), sampling.longest_period(), is_counted_in_years ? year : 0.0});
  }
  return scales;
}

}  // namespace covary
