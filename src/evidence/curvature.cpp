#include "evidence/curvature.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linalg/symmetric.h"
#include "optim/look.h"

namespace covary {
namespace {

// A look beside the place along one coordinate.
Look beside(const std::vector<double>& place, std::size_t coordinate, double step) {
  std::vector<double> moved = place;
  moved[coordinate] += step;
  return Look(std::move(moved), Want::gradient);
}

void lead_all(std::vector<Look>& looks, const LeadWalks& lead) {
  std::vector<Stepper*> walks;
  walks.reserve(looks.size());
  for (Look& look : looks) walks.push_back(&look);
  if (!walks.empty()) lead(walks);
}

bool have_gradients(const std::vector<Look>& looks) {
  return std::all_of(looks.begin(), looks.end(),
                     [](const Look& look) { return !look.gradient().empty(); });
}

// None unless it is positive definite.
std::optional<Matrix> inverse_of(const Matrix& matrix) {
  const Eigen eigen = symmetric_eigen(matrix);
  if (!(eigen.values.front() > 0.0)) return std::nullopt;
  const std::size_t d = eigen.values.size();
  Matrix inverse(d, d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < d; ++k) {
        sum += eigen.vectors(i, k) * eigen.vectors(j, k) / eigen.values[k];
      }
      inverse(i, j) = sum;
    }
  }
  return inverse;
}

// The Hessian's columns by differences. Truncation grows with a step in units of the posterior's
// spread, rounding shrinks with it; a fixed step is too long for a period that the data know to six
// digits and too short near the noise floor. Where the density is nearly Gaussian, one side is
// enough; where what is seen there says that it is not, the other side is asked too, which takes
// the error from the first to the second order in the step.
class Differences {
 public:
  explicit Differences(const Look& centre) : centre_(centre), columns_(size(), size()) {
    constexpr double longest = 0.05;  // where there is hardly any curvature; relative beyond 1
    for (std::size_t p = 0; p < size(); ++p) {
      const double curvature = std::max(centre.curvature()(p, p), 1e-300);
      spread_.push_back(1.0 / std::sqrt(curvature));
      const double most = longest * std::max(1.0, std::abs(centre.place()[p]));
      steps_.push_back(std::min(difference_step * spread_[p], most));
    }
  }

  std::size_t size() const { return centre_.gradient().size(); }
  double step(std::size_t j) const { return steps_[j]; }

  void take_one_side(std::size_t j, const Look& above) {
    take(j, centre_.gradient(), above.gradient(), above.place()[j] - centre_.place()[j]);
  }
  void take_both_sides(std::size_t j, const Look& below, const Look& above) {
    take(j, below.gradient(), above.gradient(), above.place()[j] - below.place()[j]);
  }

  // Whether one side, that of `above`, is not enough, now that each column has one and `covariance`
  // is the inverse of what they make: by what its error does to half the logarithm of the
  // determinant.
  bool wants_other_side(std::size_t j, const Look& above, const Matrix& covariance) const {
    constexpr double enough = 4e-4;                             // nats
    if (steps_[j] < difference_step * spread_[j]) return true;  // hardly any curvature
    // Value and slope at both ends give the curvature at this one up to the third derivative.
    const double h = above.place()[j] - centre_.place()[j];
    const double slope = centre_.gradient()[j];
    const double rise = above.value() - centre_.value() - slope * h;
    const double turn = above.gradient()[j] - slope;
    const double bend = std::abs(6.0 * rise / h - 3.0 * turn) / h;  // third derivative × h / 2
    double error = 0.5 * covariance(j, j) * bend;
    for (std::size_t i = 0; i < size(); ++i) {
      const double disagreement = 0.5 * std::abs(columns_(i, j) - columns_(j, i));
      error = std::max(error, std::abs(covariance(i, j)) * disagreement);
    }
    return !(error < enough);
  }

  std::optional<Matrix> symmetric() const {
    Matrix result(size(), size());
    for (std::size_t j = 0; j < size(); ++j) {
      for (std::size_t i = 0; i < size(); ++i) {
        result(i, j) = 0.5 * (columns_(i, j) + columns_(j, i));
        if (!std::isfinite(result(i, j))) return std::nullopt;
      }
    }
    return result;
  }

 private:
  void take(std::size_t j, const std::vector<double>& from, const std::vector<double>& to,
            double distance) {
    for (std::size_t i = 0; i < size(); ++i) columns_(i, j) = (from[i] - to[i]) / distance;
  }

  const Look& centre_;
  std::vector<double> spread_;  // of the posterior along each coordinate
  std::vector<double> steps_;
  Matrix columns_;
};

}  // namespace

std::optional<Matrix> negative_hessian(const std::vector<double>& place, const LeadWalks& lead) {
  std::vector<Look> centre;
  centre.emplace_back(place, Want::gradient_and_curvature);
  lead_all(centre, lead);
  if (!have_gradients(centre)) return std::nullopt;
  Differences differences(centre.front());

  std::vector<Look> above;
  for (std::size_t j = 0; j < place.size(); ++j) {
    above.push_back(beside(place, j, differences.step(j)));
  }
  lead_all(above, lead);
  if (!have_gradients(above)) return std::nullopt;
  for (std::size_t j = 0; j < place.size(); ++j) differences.take_one_side(j, above[j]);

  const std::optional<Matrix> first_guess = differences.symmetric();
  if (!first_guess) return std::nullopt;
  const std::optional<Matrix> covariance = inverse_of(*first_guess);
  std::vector<std::size_t> bent;
  std::vector<Look> below;
  for (std::size_t j = 0; j < place.size(); ++j) {
    if (covariance && !differences.wants_other_side(j, above[j], *covariance)) continue;
    bent.push_back(j);
    below.push_back(beside(place, j, -differences.step(j)));
  }
  lead_all(below, lead);
  if (!have_gradients(below)) return std::nullopt;
  for (std::size_t k = 0; k < bent.size(); ++k) {
    differences.take_both_sides(bent[k], below[k], above[bent[k]]);
  }
  return differences.symmetric();
}

std::optional<Matrix> negative_hessian(FittedKernel& fit) {
  return negative_hessian(fit.place(),
                          [&](std::span<Stepper* const> walks) { fit.lead_beside(walks); });
}

std::vector<double> prior_precision(const ParameterSpace& space) {
  constexpr double one_sd = 0.8413447460685429;  // Φ(1)
  std::vector<double> precision;
  for (std::size_t p = 0; p < space.size(); ++p) {
    const Prior& prior = space[p].parameter.prior;
    const double sd = 0.5 * (space.free(p, quantile(prior, one_sd)) -
                             space.free(p, quantile(prior, 1.0 - one_sd)));
    precision.push_back(1.0 / (sd * sd));
  }
  return precision;
}

double least_curvature(Laplace convention) {
  return convention == Laplace::consistent ? 0.1 : 1e-6;
}

Matrix in_prior_units(const Matrix& hessian, const std::vector<double>& prior_precision) {
  const std::size_t d = prior_precision.size();
  Matrix scaled(d, d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      scaled(i, j) = hessian(i, j) / std::sqrt(prior_precision[i] * prior_precision[j]);
    }
  }
  return scaled;
}

Curvature curvature_of(const Matrix& negative_hessian, const std::vector<double>& prior_precision,
                       double least) {
  const std::size_t d = prior_precision.size();
  const Eigen relative = symmetric_eigen(in_prior_units(negative_hessian, prior_precision));
  Curvature curvature;
  if (relative.values.front() > least) {
    curvature.eigenvalues = symmetric_eigen(negative_hessian).values;
    return curvature;
  }
  curvature.is_broken = true;
  Matrix repaired(d, d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < d; ++k) {
        const double value = relative.values[k] > least ? relative.values[k] : 1.0;
        sum += relative.vectors(i, k) * value * relative.vectors(j, k);
      }
      repaired(i, j) = sum * std::sqrt(prior_precision[i] * prior_precision[j]);
    }
  }
  curvature.eigenvalues = symmetric_eigen(repaired).values;
  return curvature;
}

double Curvature::log_determinant(double least) const {
  double sum = 0.0;
  for (const double eigenvalue : eigenvalues) sum += std::log(std::max(eigenvalue, least));
  return sum;
}

}  // namespace covary
