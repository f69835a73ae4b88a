#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <covary/report.h>

namespace covary {

struct Tick {
  double place = 0.0;
  std::string text;
};

// Round places on an axis, about `wanted` of them: numbers by 1, 2, 5; dates by whole units of the
// calendar.
std::vector<Tick> ticks(const FigureAxis& axis, std::size_t wanted);

// An axis that shows all of these values, with a margin (a share of their range) on both sides.
FigureAxis axis_over(const std::vector<double>& values, double margin);

// `count` evenly spaced places from low to high, both included.
std::vector<double> even_places(double low, double high, std::size_t count);

}  // namespace covary
