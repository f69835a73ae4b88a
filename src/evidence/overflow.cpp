#include "evidence/overflow.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/overflow.h>

namespace covary {
namespace {

// How far outside, in ranges of the rows; no number is the farthest.
double distance_outside(double value, double lowest, double highest) {
  if (std::isnan(value)) return INFINITY;
  const double range = highest > lowest ? highest - lowest : 1.0;
  return std::max(lowest / range - value / range, value / range - highest / range);
}

std::string number_text(const Scaling& scaling, double raw) {
  constexpr double latest = 1e12;  // beyond, dates and times are no longer read as such
  return std::abs(raw) < latest ? scaling.value_text(raw) : fmt::format("{:.6g}", raw);
}

}  // namespace

PredictionOverflow::PredictionOverflow(std::size_t point, std::string sentence)
    : Error(ErrorKind::bad_data, fmt::format("row {}, {}", point + 1, sentence)),
      point_(point),
      sentence_(std::move(sentence)) {}

void throw_overflow(const Dataset& data, const InputColumns& points, std::size_t point) {
  double farthest = 0.0;
  std::size_t column = data.num_inputs();
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    if (data.input_scaling(i).is_category()) continue;
    const std::span<const double> rows = data.input(i);
    const auto [lowest, highest] = std::minmax_element(rows.begin(), rows.end());
    const double distance = distance_outside(points[i][point], *lowest, *highest);
    if (distance > farthest) {
      farthest = distance;
      column = i;
    }
  }
  if (column == data.num_inputs()) {
    throw PredictionOverflow(
        point,
        "the prediction is beyond double-precision numbers; divide the target by a large "
        "number and search anew");
  }
  const Scaling& scaling = data.input_scaling(column);
  const std::span<const double> rows = data.input(column);
  const auto [lowest, highest] = std::minmax_element(rows.begin(), rows.end());
  throw PredictionOverflow(
      point,
      fmt::format("column {}: {} is so far outside the rows of training ({} to {}) that the "
                  "prediction is beyond double-precision numbers; correct it, or leave the row out",
                  quoted(scaling.name), number_text(scaling, scaling.to_raw(points[column][point])),
                  number_text(scaling, scaling.to_raw(*lowest)),
                  number_text(scaling, scaling.to_raw(*highest))));
}

void check_is_finite(const Prediction& prediction, const Dataset& data,
                     const InputColumns& points) {
  // Of an exponential, the mean can be too large where the median is not.
  const bool may_be_infinite = prediction.transform != TargetTransform::none;
  const auto is_fine = [&](double value) {
    return may_be_infinite ? !std::isnan(value) : std::isfinite(value);
  };
  for (std::size_t i = 0; i < prediction.mean.size(); ++i) {
    const bool are_parts_fine = std::all_of(
        prediction.parts.begin(), prediction.parts.end(),
        [&](const auto& part) { return std::isfinite(part.mean[i]) && std::isfinite(part.sd[i]); });
    if (!are_parts_fine || !is_fine(prediction.mean[i]) || !is_fine(prediction.sd[i]) ||
        !is_fine(prediction.latent_sd[i])) {
      throw_overflow(data, points, i);
    }
  }
}

}  // namespace covary
