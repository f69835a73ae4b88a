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
// calendar. Levels all, or every second, third, ... where they are many.
std::vector<Tick> ticks(const FigureAxis& axis, std::size_t wanted);

// A place on the axis as people read it: a number, a date or the name of a level.
std::string place_text(const FigureAxis& axis, double place, int digits = 6);

// An axis that shows all of these values, with a margin (a share of their range) on both sides.
FigureAxis axis_over(const std::vector<double>& values, double margin);

// `count` evenly spaced places from low to high, both included.
std::vector<double> even_places(double low, double high, std::size_t count);

// The places of an axis of levels; of another, so many evenly spaced ones from end to end, or the
// middles of so many cells.
std::vector<double> places_along(const FigureAxis& axis, std::size_t count);
std::vector<double> cells_along(const FigureAxis& axis, std::size_t count);

}  // namespace covary
