#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace covary {

// The Lomb-Scargle periodogram of a target over an input, evenly spaced or not, after a straight
// line is taken out. From one and a half periods in the data up to the highest frequency that the
// typical spacing of the input can show, four frequencies per 1 / range.
struct Periodogram {
  double lowest_frequency = 0.0;
  double step = 0.0;
  std::vector<double> powers;  // Σy² that a sine of the frequency explains

  double frequency(double index) const { return lowest_frequency + index * step; }
};

// Of all rows, in O(n log n): sums of sines by gridding with a Gaussian and a fast Fourier
// transform (Greengard and Lee 2004), to about six digits. Empty if the data can show no period.
Periodogram periodogram(std::span<const double> x, std::span<const double> y);

// One power by its formula, in O(n). `rest` is y without its line.
double power_at(double frequency, std::span<const double> x, std::span<const double> rest);

// y less its least-squares line over x.
std::vector<double> without_line(std::span<const double> x, std::span<const double> y);

// The periods of the highest local maxima of the periodogram, strongest first.
std::vector<double> strongest_periods(std::span<const double> x, std::span<const double> y,
                                      std::size_t max_periods);

}  // namespace covary
