#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <covary/search.h>

namespace covary {

// When a search that has no number of evaluations ends. A function of the history alone, so that a
// search that was killed and resumed ends where another does. In nats of the criterion.
struct StoppingRule {
  std::size_t num_ahead = kernels_looked_ahead;
  // What so many kernels have to promise. Of more than 40 rows, five thousandths of a nat each:
  // with less, predictions were not better (docs/search_quality.md).
  double least_gain = 0.2;
  double least_gain_per_row = 0.005;
  // The surrogate expects too much of kernels unlike all others. So it is believed as far as its
  // promises were kept, beginning with a fifth: as if of two nats promised this much had come.
  double first_promised = 2.0;
  double first_kept = 0.4;
};

// What the next `num_ahead` kernels are expected to bring beyond the best one: what the surrogate
// promised of the last so many, times the part that came of all that it ever promised. Nothing if
// it was not asked for so many yet. `num_rows` are those that predictions are per.
std::optional<double> expected_gain(std::span<const SearchRecord> history, double num_rows,
                                    const StoppingRule& rule = {});

// Whether that is too little to go on.
bool is_too_little(double gain, double num_rows, const StoppingRule& rule = {});

}  // namespace covary
