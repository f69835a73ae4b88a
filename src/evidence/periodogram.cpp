#include "evidence/periodogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "linalg/fourier.h"
#include "table/sampling.h"

namespace covary {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t frequencies_per_inverse_range = 4;
constexpr std::size_t first_frequency = 6;  // one and a half periods in the data
constexpr std::size_t least_rows = 8;
// A bound of the memory for millions of rows; 500,000 evenly spaced rows stay below.
constexpr std::size_t max_frequencies = std::size_t{1} << 20U;
// Share of the rows below which a sine or cosine is zero at all of them, such as at Nyquist's
// frequency of an even spacing.
constexpr double vanishing = 1e-3;

struct Sums {
  std::complex<double> target;         // Σ y exp(iωx)
  std::complex<double> twofold_angle;  // Σ exp(2iωx)
};

double power(const Sums& sums, double num_rows) {
  // Turned so that the sine and the cosine are orthogonal over the rows.
  const double offset = 0.5 * std::arg(sums.twofold_angle);
  const double length = std::abs(sums.twofold_angle);
  const double cosine_square = 0.5 * (num_rows + length);
  const double sine_square = 0.5 * (num_rows - length);
  const std::complex<double> turned = sums.target * std::polar(1.0, -offset);
  double explained = turned.real() * turned.real() / cosine_square;
  if (sine_square > vanishing * num_rows) {
    explained += turned.imag() * turned.imag() / sine_square;
  }
  return explained;
}

// Adds weight · exp(−d²/2s²) to the cells about `place`, d cells away; the grid is a ring.
class GaussianSpreading {
 public:
  explicit GaussianSpreading(std::size_t num_cells) : num_cells_(num_cells) {}

  template <class Add>
  void spread(double place, const Add& add) const {
    const auto nearest = static_cast<std::ptrdiff_t>(std::lround(place));
    const auto mask = static_cast<std::ptrdiff_t>(num_cells_ - 1);
    for (std::ptrdiff_t cell = nearest - reach; cell <= nearest + reach; ++cell) {
      const double distance = static_cast<double>(cell) - place;
      add(static_cast<std::size_t>(cell & mask),
          std::exp(-0.5 * distance * distance / (width * width)));
    }
  }

  // What the Gaussian multiplies the sum of frequency `index` by.
  double response(std::size_t index) const {
    const double angle =
        2.0 * pi * width * static_cast<double>(index) / static_cast<double>(num_cells_);
    return width * std::sqrt(2.0 * pi) * std::exp(-0.5 * angle * angle);
  }

 private:
  // With frequencies up to a quarter of the cells, what is cut off and what folds back are both
  // some 1e-6 of the sum.
  static constexpr double width = 1.2;
  static constexpr std::ptrdiff_t reach = 7;
  std::size_t num_cells_;
};

// Both sums for the frequencies index / (4 · range) below `num_frequencies`. Both grids are real,
// so that one transform does for the two; the second is wound up twice as fast.
std::vector<Sums> sums_of_sines(std::span<const double> x, std::span<const double> rest,
                                double lowest, double range, std::size_t num_frequencies) {
  const std::size_t num_cells = std::bit_ceil(4 * num_frequencies);
  const GaussianSpreading gaussian(num_cells);
  std::vector<std::complex<double>> cells(num_cells);
  const double cells_per_unit =
      static_cast<double>(num_cells) / (static_cast<double>(frequencies_per_inverse_range) * range);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double place = (x[i] - lowest) * cells_per_unit;
    gaussian.spread(place, [&](std::size_t cell, double weight) {
      cells[cell] += std::complex<double>(rest[i] * weight, 0.0);
    });
    gaussian.spread(2.0 * place, [&](std::size_t cell, double weight) {
      cells[cell] += std::complex<double>(0.0, weight);
    });
  }
  fourier_transform(cells);
  std::vector<Sums> sums(num_frequencies);
  for (std::size_t k = 0; k < num_frequencies; ++k) {
    const std::complex<double> here = cells[k];
    const std::complex<double> mirrored = std::conj(cells[(num_cells - k) & (num_cells - 1)]);
    const double scale = 0.5 / gaussian.response(k);
    sums[k].target = std::conj(scale * (here + mirrored));
    sums[k].twofold_angle = std::conj(scale * std::complex<double>(0.0, -1.0) * (here - mirrored));
  }
  return sums;
}

}  // namespace

std::vector<double> without_line(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = xx > 0.0 ? xy / xx : 0.0;
  std::vector<double> rest(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) rest[i] = y[i] - mean_y - slope * (x[i] - mean_x);
  return rest;
}

double power_at(double frequency, std::span<const double> x, std::span<const double> rest) {
  Sums sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double angle = 2.0 * pi * frequency * x[i];
    sums.target += rest[i] * std::polar(1.0, angle);
    sums.twofold_angle += std::polar(1.0, 2.0 * angle);
  }
  return power(sums, static_cast<double>(x.size()));
}

Periodogram periodogram(std::span<const double> x, std::span<const double> y) {
  if (x.size() < least_rows) return {};
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double range = *high - *low;
  if (!(range > 0.0)) return {};
  Periodogram result;
  result.step = 1.0 / (static_cast<double>(frequencies_per_inverse_range) * range);
  result.lowest_frequency = static_cast<double>(first_frequency) * result.step;
  constexpr double rounding = 1e-6;
  const auto last_frequency =
      static_cast<std::size_t>(0.5 / (typical_spacing(x) * result.step) + rounding);
  if (last_frequency < first_frequency) return {};
  const std::size_t num_frequencies = std::min(last_frequency + 1, max_frequencies);
  const std::vector<Sums> sums = sums_of_sines(x, without_line(x, y), *low, range, num_frequencies);
  for (std::size_t k = first_frequency; k < num_frequencies; ++k) {
    result.powers.push_back(power(sums[k], static_cast<double>(x.size())));
  }
  return result;
}

std::vector<double> strongest_periods(std::span<const double> x, std::span<const double> y,
                                      std::size_t max_periods) {
  const Periodogram spectrum = periodogram(x, y);
  const std::vector<double>& powers = spectrum.powers;
  struct Peak {
    double frequency;
    double power;
  };
  std::vector<Peak> peaks;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const bool rises = i == 0 || powers[i] >= powers[i - 1];
    const bool falls = i + 1 == powers.size() || powers[i] > powers[i + 1];
    if (!rises || !falls) continue;
    // The top of the parabola through the peak and its neighbours.
    double shift = 0.0;
    double gain = 0.0;
    if (i > 0 && i + 1 < powers.size()) {
      const double slope = 0.5 * (powers[i + 1] - powers[i - 1]);
      const double bend = powers[i - 1] - 2.0 * powers[i] + powers[i + 1];
      if (bend < 0.0) {
        shift = -slope / bend;
        gain = 0.5 * slope * shift;
      }
    }
    peaks.push_back({spectrum.frequency(static_cast<double>(i) + shift), powers[i] + gain});
  }
  const std::size_t count = std::min(max_periods, peaks.size());
  std::partial_sort(peaks.begin(), peaks.begin() + static_cast<std::ptrdiff_t>(count), peaks.end(),
                    [](const Peak& a, const Peak& b) { return a.power > b.power; });
  std::vector<double> periods;
  for (std::size_t i = 0; i < count; ++i) periods.push_back(1.0 / peaks[i].frequency);
  return periods;
}

}  // namespace covary
