#include "watched_objective.h"

#include <algorithm>
#include <cmath>

namespace covary {

double WatchedObjective::value(std::span<const double> place) {
  last_place_.assign(place.begin(), place.end());
  last_gradient_.clear();
  is_used_up_ = false;
  last_value_ = posterior_.value(place);
  if (!std::isfinite(last_value_)) ++num_without_value_;
  if (last_value_ > best_value_) {
    best_value_ = last_value_;
    best_place_ = last_place_;
  }
  return last_value_;
}

void WatchedObjective::go_to(std::span<const double> place, bool for_gradient) {
  const bool is_here =
      std::equal(place.begin(), place.end(), last_place_.begin(), last_place_.end());
  if (!is_here || (for_gradient && is_used_up_)) value(place);
}

bool WatchedObjective::has_value_at(std::span<const double> place) {
  go_to(place, false);
  return std::isfinite(last_value_);
}

double WatchedObjective::value_at(std::span<const double> place) {
  constexpr double depth = 1e6;
  return has_value_at(place) ? last_value_ : best_value_ - depth;
}

void WatchedObjective::gradient_at(std::span<const double> place, std::span<double> out) {
  if (has_value_at(place) && last_gradient_.empty()) {
    go_to(place, true);
    last_gradient_.resize(size());
    posterior_.gradient(last_gradient_);
    is_used_up_ = true;
    if (!std::all_of(last_gradient_.begin(), last_gradient_.end(),
                     [](double g) { return std::isfinite(g); })) {
      ++num_without_value_;
      last_value_ = -std::numeric_limits<double>::infinity();
    }
  }
  if (!std::isfinite(last_value_)) {
    std::fill(out.begin(), out.end(), 0.0);
    return;
  }
  std::copy(last_gradient_.begin(), last_gradient_.end(), out.begin());
}

void WatchedObjective::gradient_and_curvature_at(std::span<const double> place,
                                                 std::span<double> out, Matrix& curvature) {
  go_to(place, true);
  posterior_.gradient_and_curvature(out, curvature);
  is_used_up_ = true;
}

}  // namespace covary
