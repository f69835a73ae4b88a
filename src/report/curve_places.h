#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <covary/report.h>

namespace covary {

// Where the curves of a figure are drawn: at places enough for every cycle that they have, faint
// far from all rows, and not between the values of an input where the rows say nothing of it.

std::vector<double> different_values(std::vector<double> values);  // rising

// Whether an input has so few values that curves along it are drawn at these alone.
bool has_few_values(const std::vector<double>& values, std::size_t num_rows);

// The stretches between the different values of so many rows that are far from both of their ends.
std::vector<Figure::Span> spans_without_rows(const std::vector<double>& values,
                                             std::size_t num_rows);

// Whether a curve leaves the span between its values at neighbouring rows, and comes back, more
// often than not: then what it does there is the kernel's doing, and nothing that the rows show.
bool ripples_between(const std::vector<double>& values, const std::vector<double>& grid,
                     const std::vector<double>& curve);

// Whether a curve has more such cycles between its rows than there are rows: these show none of
// them.
bool outruns(const std::vector<double>& values, double cycle);

// The shortest cycle that a part has along an input, or all parts together: a period, or the mean
// way from one rise to the next of a smooth function; in raw units, infinite where there is none.
double shortest_cycle(const Explanation& explanation, std::size_t column,
                      std::optional<std::size_t> component = std::nullopt);

// The places that a curve is drawn at, and those that it is computed at. Where it has more cycles
// than can be drawn, each drawn place stands for several computed ones around it: for their range.
class CurvePlaces {
 public:
  // Evenly from low to high, with about so many where there are few cycles.
  CurvePlaces(double low, double high, std::size_t wanted, double cycle);
  explicit CurvePlaces(std::vector<double> places);  // these and no others

  // From high on to `end`, as densely.
  void go_on_to(double end);

  const std::vector<double>& drawn() const { return drawn_; }
  const std::vector<double>& computed() const { return computed_; }
  bool is_range() const { return within_ > 1; }

  // Of values at the computed places.
  std::vector<double> least(const std::vector<double>& values) const;
  std::vector<double> most(const std::vector<double>& values) const;

 private:
  void add(double low, double high, std::size_t count);
  template <class Choose>
  std::vector<double> around(const std::vector<double>& values, const Choose& choose) const;

  double high_ = 0.0;
  double step_ = 0.0;
  std::size_t within_ = 1;
  std::size_t num_inside_ = 0;  // drawn places up to high
  std::vector<double> drawn_;
  std::vector<double> computed_;
};

// Of a figure whose grid is CurvePlaces::drawn(): a mean with its 95 % and 50 % bands, or what they
// range over around each place.
void draw_curve(const CurvePlaces& places, const std::vector<double>& mean, Figure::Band wide,
                Figure::Band narrow, Figure& figure);

// Of what is drawn, the values that are not far from all rows nor beyond them.
void add_near(const Figure& figure, const std::vector<double>& values, std::vector<double>& seen);

// The places where a series goes on beyond its last row, up to `end`: its own steps, or as far
// apart as its rows mostly are; no more than `most`, evenly chosen.
std::vector<double> places_ahead(const Dataset& data, double end, std::size_t most);

}  // namespace covary
