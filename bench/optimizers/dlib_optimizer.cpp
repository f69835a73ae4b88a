#include <algorithm>
#include <limits>
#include <span>

#include <dlib/optimization.h>

#include "optimizers.h"

namespace covary {
namespace {

using DlibVector = dlib::matrix<double, 0, 1>;

std::span<const double> span_of(const DlibVector& place) {
  return {place.begin(), static_cast<std::size_t>(place.size())};
}

// dlib passes values to be minimised.
class StopAtSmallGains {
 public:
  StopAtSmallGains(const GainTest& test, std::size_t max_iterations)
      : test_(test), num_left_(max_iterations) {}

  template <class Place>
  bool should_continue_search(const Place& /*place*/, double value, const Place& /*gradient*/) {
    if (is_first_) {
      is_first_ = false;
      return true;
    }
    return num_left_-- > 1 && !test_.has_settled(-value);
  }

 private:
  GainTest test_;
  std::size_t num_left_;
  bool is_first_ = true;
};

// Minus the log posterior with its gradient and the stand-in for its Hessian, in dlib's words.
class TrustRegionModel {
 public:
  using column_vector = DlibVector;             // NOLINT(readability-identifier-naming)
  using general_matrix = dlib::matrix<double>;  // NOLINT(readability-identifier-naming)

  explicit TrustRegionModel(WatchedObjective& objective) : objective_(objective) {}

  double operator()(const DlibVector& place) const { return -objective_.value_at(span_of(place)); }

  void get_derivative_and_hessian(const DlibVector& place, DlibVector& gradient,
                                  dlib::matrix<double>& hessian) const {
    const std::size_t d = objective_.size();
    const auto size = static_cast<long>(d);
    Matrix curvature(d, d);
    gradient.set_size(size);
    hessian.set_size(size, size);
    objective_.gradient_and_curvature_at(span_of(place), {gradient.begin(), d}, curvature);
    for (long i = 0; i < size; ++i) {
      gradient(i) = -gradient(i);
      for (long j = 0; j < size; ++j) {
        hessian(i, j) = curvature(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      }
    }
  }

 private:
  WatchedObjective& objective_;
};

DlibVector vector_of(const std::vector<double>& place) { return dlib::mat(place); }

}  // namespace

// dlib's first step is the gradient itself, which is long at a poor start and leads to places
// without a value. So it gets the function divided by the first gradient's length. (That also
// shifts the range, 0.001 to 1000, in which dlib keeps the scale of the inverse Hessian.)
void maximize_with_dlib(WatchedObjective& objective, const std::vector<double>& start,
                        const Limits& limits) {
  DlibVector place = vector_of(start);
  const auto gradient_of = [&](const DlibVector& x) {
    DlibVector gradient(x.size());
    objective.gradient_at(span_of(x), {gradient.begin(), objective.size()});
    return gradient;
  };
  const double scale = 1.0 / std::max(dlib::length(gradient_of(place)), 1.0);
  const GainTest test(scale * objective.value_at(start), scale * limits.tolerance);
  dlib::find_max(
      dlib::lbfgs_search_strategy(limits.memory), StopAtSmallGains(test, limits.max_iterations),
      [&](const DlibVector& x) { return scale * objective.value_at(span_of(x)); },
      [&](const DlibVector& x) { return DlibVector(scale * gradient_of(x)); }, place,
      std::numeric_limits<double>::infinity());
}

void maximize_with_dlib_trust_region(WatchedObjective& objective, const std::vector<double>& start,
                                     const Limits& limits) {
  DlibVector place = vector_of(start);
  const GainTest test(objective.value_at(start), limits.tolerance);
  dlib::find_min_trust_region(StopAtSmallGains(test, limits.max_iterations),
                              TrustRegionModel(objective), place);
}

}  // namespace covary
