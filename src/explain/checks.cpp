#include "explain/checks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "explain/quantile_plot.h"
#include "gp/gaussian_draws.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

constexpr double half_width_50 = 0.6744897501960817;  // in sds
constexpr double half_width_95 = 1.959963984540054;

// What is said of a statistic that is larger than expected, or smaller.
struct Claim {
  const char* larger;
  const char* smaller;
};

// `tail`: the chance of a statistic at least as large as the one that was seen.
ModelCheck check(const char* name, const Claim& claim, double tail, bool is_two_sided = true) {
  const bool is_large = tail <= 0.5 || !is_two_sided;
  const double p_value = is_two_sided ? 2.0 * std::min(tail, 1.0 - tail) : tail;
  ModelCheck result{name, is_large ? claim.larger : claim.smaller, std::clamp(p_value, 0.0, 1.0)};
  if (result.p_value <= 0.01) {
    result.evidence_of_misfit = Misfit::strong;
  } else if (result.p_value <= 0.05) {
    result.evidence_of_misfit = Misfit::moderate;
  }
  return result;
}

struct DrawStatistics {
  std::vector<double> least_autocorrelation;
  std::vector<double> lag;
  std::vector<double> log_power;
  std::vector<double> frequency;
  std::vector<double> above;  // quantile plot
  std::vector<double> below;
};

DrawStatistics statistics_of(const Matrix& draws, const std::vector<double>& reference,
                             const Waves& waves) {
  DrawStatistics result;
  for (std::size_t s = 0; s < draws.num_columns(); ++s) {
    const std::span<const double> draw(draws.column(s), draws.num_rows());
    const CurveStatistics curve = curve_statistics(draw, waves);
    result.least_autocorrelation.push_back(curve.least_autocorrelation);
    result.lag.push_back(curve.lag);
    result.log_power.push_back(std::log(curve.largest_power + 1e-300));
    result.frequency.push_back(curve.frequency);
    const QuantileDeviation deviation = quantile_deviation(draw, reference);
    result.above.push_back(deviation.above);
    result.below.push_back(deviation.below);
  }
  return result;
}

// Mean of the sorted draws: what the quantile plot is drawn against.
std::vector<double> mean_quantiles(const Matrix& draws) {
  std::vector<double> reference(draws.num_rows(), 0.0);
  std::vector<double> sorted(draws.num_rows());
  for (std::size_t s = 0; s < draws.num_columns(); ++s) {
    std::copy_n(draws.column(s), draws.num_rows(), sorted.begin());
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      reference[i] += sorted[i] / static_cast<double>(draws.num_columns());
    }
  }
  return reference;
}

double share_within(std::span<const double> standardized, double half_width) {
  const auto count = std::count_if(standardized.begin(), standardized.end(),
                                   [&](double z) { return std::abs(z) <= half_width; });
  return static_cast<double>(count) / static_cast<double>(standardized.size());
}

// Of neighbours along the single input.
double neighbour_correlation(std::span<const double> values, std::span<const std::size_t> order) {
  double product = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    square += values[order[i]] * values[order[i]];
    if (i > 0) product += values[order[i]] * values[order[i - 1]];
  }
  return square > 0.0 ? product / square : 0.0;
}

}  // namespace

Waves::Waves(std::size_t n) : size(n) {
  for (std::size_t frequency = 1; frequency <= n / 2; ++frequency) {
    for (std::size_t i = 0; i < n; ++i) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(frequency * i % n) / static_cast<double>(n);
      cosine.push_back(std::cos(angle));
      sine.push_back(std::sin(angle));
    }
  }
}

CurveStatistics curve_statistics(std::span<const double> values, const Waves& waves) {
  const std::size_t n = values.size();
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
  std::vector<double> centred(values.begin(), values.end());
  for (double& value : centred) value -= mean;
  const double square = unordered_dot(centred, centred);
  CurveStatistics result;
  if (!(square > 0.0)) return result;
  result.least_autocorrelation = 1.0;
  for (std::size_t lag = 1; lag <= n / 2; ++lag) {
    const double correlation = unordered_dot({centred.data() + lag, n - lag}, centred) / square;
    if (correlation < result.least_autocorrelation - 1e-3) {  // else rounding would choose
      result.least_autocorrelation = correlation;
      result.lag = static_cast<double>(lag);
    }
  }
  for (std::size_t frequency = 1; frequency <= n / 2; ++frequency) {
    const double cosine = unordered_dot(centred, {waves.cosine.data() + (frequency - 1) * n, n});
    const double sine = unordered_dot(centred, {waves.sine.data() + (frequency - 1) * n, n});
    const double power = cosine * cosine + sine * sine;
    if (power > result.largest_power * (1.0 + 1e-3)) {
      result.largest_power = power;
      result.frequency = static_cast<double>(frequency);
    }
  }
  return result;
}

double tail_probability(std::vector<double> expected, const std::vector<double>& seen,
                        double tolerance) {
  std::sort(expected.begin(), expected.end());
  double sum = 0.0;
  for (const double value : seen) {
    const auto below = std::lower_bound(expected.begin(), expected.end(), value - tolerance);
    const auto above = std::upper_bound(below, expected.end(), value + tolerance);
    sum += static_cast<double>(expected.end() - above) + 0.5 * static_cast<double>(above - below);
  }
  return sum / static_cast<double>(expected.size()) / static_cast<double>(seen.size());
}

std::vector<ModelCheck> component_checks(const ComponentAlgebra& algebra, std::size_t component,
                                         const ComponentShape& shape, std::size_t num_draws,
                                         Random& random) {
  if (shape.grid.empty() || shape.is_by_level || shape.is_absent || num_draws == 0) return {};
  if (algebra.is_noise(component)) return {};  // the data say nothing of its draws elsewhere
  const auto points = points_along(algebra, shape.columns[0], shape.grid);
  const ComponentAlgebra::Joint joint = algebra.joint(component, spans_of(points));
  const std::vector<double> zero(shape.grid.size(), 0.0);
  const Matrix prior_draws = sample_gaussian(zero, joint.prior, num_draws, random);
  const Matrix posterior_draws = sample_gaussian(joint.mean, joint.posterior, num_draws, random);
  const std::vector<double> reference = mean_quantiles(prior_draws);
  const Waves waves(shape.grid.size());
  const DrawStatistics prior = statistics_of(prior_draws, reference, waves);
  const DrawStatistics seen = statistics_of(posterior_draws, reference, waves);
  constexpr double close = 1e-3;
  return {
      check("autocorrelation_minimum",
            {"it swings back less than its kernel expects",
             "it swings back further than its kernel expects"},
            tail_probability(prior.least_autocorrelation, seen.least_autocorrelation, close)),
      check("autocorrelation_lag",
            {"it swings back after a longer way than its kernel expects",
             "it swings back after a shorter way than its kernel expects"},
            tail_probability(prior.lag, seen.lag, 0.5)),
      check("periodogram_maximum",
            {"the peak of its periodogram is higher than its kernel expects",
             "the peak of its periodogram is lower than its kernel expects"},
            tail_probability(prior.log_power, seen.log_power, close)),
      check("periodogram_frequency",
            {"the peak of its periodogram is at a higher frequency than its kernel expects",
             "the peak of its periodogram is at a lower frequency than its kernel expects"},
            tail_probability(prior.frequency, seen.frequency, 0.5)),
      check("quantiles_above", {"its values reach higher than its kernel expects", ""},
            tail_probability(prior.above, seen.above, 0.0), false),
      check("quantiles_below", {"its values reach lower than its kernel expects", ""},
            tail_probability(prior.below, seen.below, 0.0), false),
  };
}

Residuals leave_one_out(const Posterior& posterior) {
  Residuals residuals;
  const Posterior::LeaveOneOut& loo = posterior.leave_one_out();
  double sum = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < posterior.num_rows(); ++i) {
    residuals.standardized.push_back(loo.residual[i] / std::sqrt(loo.variance[i]));
    sum += std::abs(loo.residual[i]);
    square += loo.residual[i] * loo.residual[i];
  }
  residuals.coverage_50 = share_within(residuals.standardized, half_width_50);
  residuals.coverage_95 = share_within(residuals.standardized, half_width_95);
  const auto n = static_cast<double>(posterior.num_rows());
  residuals.mean_absolute_error = sum / n;
  const double whole = variance_of(posterior.target());
  residuals.r2 = whole > 0.0 ? 1.0 - square / n / whole : 0.0;
  return residuals;
}

std::vector<ModelCheck> residual_checks(const ComponentAlgebra& algebra, const Residuals& residuals,
                                        std::size_t num_draws, Random& random) {
  if (num_draws == 0) return {};
  const std::size_t n = algebra.num_rows();
  Matrix draws = algebra.posterior().draw_alphas(num_draws, random);
  const std::vector<double>& variance = algebra.posterior().leave_one_out().variance;
  for (std::size_t s = 0; s < num_draws; ++s) {
    for (std::size_t i = 0; i < n; ++i) draws(i, s) *= std::sqrt(variance[i]);
  }
  const std::vector<double> reference = normal_quantiles(n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return algebra.inputs()[0][a] < algebra.inputs()[0][b];
  });

  std::vector<std::vector<double>> expected(5);
  std::vector<double> seen;
  const auto measure = [&](std::span<const double> z) {
    const QuantileDeviation deviation = quantile_deviation(z, reference);
    return std::vector<double>{deviation.above, deviation.below, share_within(z, half_width_95),
                               share_within(z, half_width_50), neighbour_correlation(z, order)};
  };
  for (std::size_t s = 0; s < num_draws; ++s) {
    const std::vector<double> drawn = measure({draws.column(s), n});
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k].push_back(drawn[k]);
  }
  seen = measure(residuals.standardized);
  const auto tail = [&](std::size_t k) { return tail_probability(expected[k], {seen[k]}, 1e-12); };
  std::vector<ModelCheck> checks = {
      check("residual_quantiles_above", {"the residuals reach higher than those of the model", ""},
            tail(0), false),
      check("residual_quantiles_below", {"the residuals reach lower than those of the model", ""},
            tail(1), false),
      check("coverage_95",
            {"more rows than expected lie inside their 95 % intervals",
             "fewer rows than expected lie inside their 95 % intervals"},
            tail(2)),
      check("coverage_50",
            {"more rows than expected lie inside their 50 % intervals",
             "fewer rows than expected lie inside their 50 % intervals"},
            tail(3)),
  };
  if (algebra.model().data().is_curve()) {
    checks.push_back(check("residual_correlation",
                           {"neighbouring residuals are more alike than expected",
                            "neighbouring residuals are less alike than expected"},
                           tail(4)));
  }
  return checks;
}

}  // namespace covary
