#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "explain/component_algebra.h"

namespace covary {

// What a component's posterior looks like where the data are, on the scaled inputs.
struct ComponentShape {
  std::vector<std::size_t> columns;  // that it acts on
  std::vector<double> grid;          // along its one input; empty if it acts on several
  bool is_by_level = false;          // its one input is a category, and the grid has its levels
  ComponentAlgebra::Spread spread;   // on the grid, or at some of the rows

  int monotone = 0;        // 1: its mean never falls, -1: never rises, 0: neither; along one input
  double late_size = 1.0;  // spread of the mean over the second half of the grid, in units of the
                           // first
  bool is_zero = false;    // the 95 % band covers zero everywhere
  bool is_absent = false;  // no spread even before the data are seen: a side that has no data

  // How far beyond the last data of its one input it still informs: where its spread comes to 90 %
  // of what it was without data.
  enum class Horizon { not_asked, reached, beyond_sight, is_zero_there };
  Horizon horizon = Horizon::not_asked;
  double horizon_distance = 0.0;  // on the scaled input, where it is reached
};

inline constexpr std::size_t grid_size = 128;
inline constexpr double horizon_sight = 10.0;  // ranges of the data

ComponentShape component_shape(const ComponentAlgebra& algebra, std::size_t component);

// Points along one input, the other inputs as in the first row.
std::vector<std::vector<double>> points_along(const ComponentAlgebra& algebra, std::size_t column,
                                              const std::vector<double>& places);

// Least and largest value of an input among the rows.
struct Range {
  double low = 0.0;
  double high = 0.0;
  double size() const { return high - low; }
};
Range range_of(const ComponentAlgebra& algebra, std::size_t column);

}  // namespace covary
