#pragma once

#include <span>

namespace covary {

// No period below two of these can be told from a longer one: the lower quartile of the distances
// between neighbouring values, since there may be gaps, or their mean if that is less. Values much
// closer together than most count as one: rows in tight pairs show no period as short as a pair.
// 0 if all values are the same.
double typical_spacing(std::span<const double> values);

// How an input was sampled, on its own scale.
struct Sampling {
  double span = 0.0;     // from the first value to the last
  double spacing = 0.0;  // as typical_spacing() has it

  double shortest_period() const { return 2.0 * spacing; }
  // Nearly two of them are in the data; never less than twice the shortest, which few rows allow.
  double longest_period() const;
};

Sampling sampling_of(std::span<const double> values);

}  // namespace covary
