// How close the Laplace approximation comes to the integral that it stands for, where that integral
// can be computed: kernels of two parameters and the noise. docs/math/laplace.md has the table.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/random.h>

#include "evidence/curvature.h"
#include "evidence/log_posterior.h"
#include "evidence/training_rows.h"
#include "linalg/symmetric.h"

namespace covary {
namespace {

using Place = std::array<double, 3>;
using LatticePoint = std::array<int, 3>;

// log ∫ p(y|γ(u)) p(γ(u)) |dγ/du| du by the trapezoid rule on a lattice along the axes of the
// posterior at its maximum. For an analytic integrand that decays on all sides the error of this
// rule falls faster than any power of the step. Only places within `depth` of the maximum count;
// they are found neighbour by neighbour, from the maximum and from all that a coarse scan meets.
class Integral {
 public:
  Integral(LogPosterior& posterior, const std::vector<double>& maximum)
      : posterior_(posterior),
        axes_(symmetric_eigen(*negative_hessian(maximum, [&](std::span<Stepper* const> walks) {
          for (Stepper* walk : walks) lead(*walk, posterior);
        }))) {
    std::copy(maximum.begin(), maximum.end(), centre_.begin());
    best_ = posterior_.value(centre_);
    scan();
  }

  double best_on_scan() const { return best_on_scan_; }

  // `step` in units of the standard deviation along each axis.
  double log_value(double step) {
    const Place lengths = step_lengths(step);
    std::set<LatticePoint> seen;
    std::vector<LatticePoint> waiting;
    const auto visit = [&](const LatticePoint& point) {
      if (seen.insert(point).second) waiting.push_back(point);
    };
    visit({0, 0, 0});
    for (const Place& place : promising_) visit(nearest(place, lengths));
    double sum = 0.0;
    while (!waiting.empty()) {
      const LatticePoint point = waiting.back();
      waiting.pop_back();
      const double height = posterior_.value(place_of(point, lengths)) - best_;
      if (!(height > -depth)) continue;
      sum += std::exp(height);
      for (std::size_t axis = 0; axis < point.size(); ++axis) {
        for (const int way : {-1, 1}) {
          LatticePoint neighbour = point;
          neighbour[axis] += way;
          visit(neighbour);
        }
      }
    }
    return best_ + std::log(sum * lengths[0] * lengths[1] * lengths[2]);
  }

 private:
  static constexpr double depth = 18.0;

  // The axes are those of the maximum only, so a mode elsewhere would go unseen without a scan.
  void scan() {
    constexpr int lowest = -14;
    constexpr int highest = 6;
    for (int a = lowest; a <= highest; ++a) {
      for (int b = lowest; b <= highest; ++b) {
        for (int c = lowest; c <= highest; ++c) {
          const Place place = {static_cast<double>(a), static_cast<double>(b),
                               static_cast<double>(c)};
          const double value = posterior_.value(place);
          best_on_scan_ = std::max(best_on_scan_, value);
          if (value > best_ - depth) promising_.push_back(place);
        }
      }
    }
  }

  Place step_lengths(double step) const {
    constexpr double longest = 1.0;  // a flat direction at the maximum need not stay flat
    Place lengths{};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const double curvature = std::max(axes_.values[i], 1.0 / (longest * longest));
      lengths[i] = step / std::sqrt(curvature);
    }
    return lengths;
  }

  Place place_of(const LatticePoint& point, const Place& lengths) const {
    Place place = centre_;
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      for (std::size_t i = 0; i < place.size(); ++i) {
        place[i] += point[axis] * lengths[axis] * axes_.vectors(i, axis);
      }
    }
    return place;
  }

  LatticePoint nearest(const Place& place, const Place& lengths) const {
    LatticePoint point{};
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      double along = 0.0;
      for (std::size_t i = 0; i < place.size(); ++i) {
        along += (place[i] - centre_[i]) * axes_.vectors(i, axis);
      }
      point[axis] = static_cast<int>(std::lround(along / lengths[axis]));
    }
    return point;
  }

  LogPosterior& posterior_;
  Eigen axes_;
  Place centre_{};
  double best_ = 0.0;
  double best_on_scan_ = -std::numeric_limits<double>::infinity();
  std::vector<Place> promising_;
};

constexpr double coarse_step = 1.0;

struct NamedData {
  std::string name;
  Dataset data;
};

NamedData make_data(const std::string& name, std::size_t num_rows, double (*curve)(double),
                    double noise_sd) {
  Random random(num_rows);
  std::vector<double> x(num_rows);
  std::vector<double> y(num_rows);
  double mean = 0.0;
  for (std::size_t i = 0; i < num_rows; ++i) {
    x[i] = static_cast<double>(i) / static_cast<double>(num_rows - 1);
    y[i] = curve(x[i]) + noise_sd * random.normal();
    mean += y[i] / static_cast<double>(num_rows);
  }
  double variance = 0.0;
  for (const double value : y) {
    variance += (value - mean) * (value - mean) / static_cast<double>(num_rows);
  }
  for (double& value : y) value = (value - mean) / std::sqrt(variance);
  return {name, Dataset({x}, y, {{.name = "x"}}, {.name = "y"}, "", {})};
}

std::vector<NamedData> all_data() {
  return {make_data(
              "smooth", 20, [](double x) { return std::sin(4.0 * x); }, 0.1),
          make_data(
              "line", 15, [](double x) { return 2.0 * x; }, 0.15),
          make_data(
              "noise", 12, [](double /*x*/) { return 0.0; }, 1.0),
          make_data(
              "wiggly", 30, [](double x) { return std::sin(25.0 * x); }, 0.1)};
}

struct Row {
  std::string kernel;
  std::string data;
  double integral = 0.0;
  double integral_change = 0.0;  // when the step is halved
  Evidence consistent;
  Evidence reference;

  std::string name() const { return kernel + " on " + data; }
  double consistent_error() const { return *consistent.value - integral; }
  double reference_error() const { return *reference.value - integral; }
};

Evidence evidence_of(const Expression& kernel, const Dataset& data, Laplace laplace) {
  EvidenceOptions options;
  options.priors = Priors::paper;  // those of the integrals
  options.laplace = laplace;
  Evidence evidence = make_oracle(data, options)->evaluate(kernel);
  EXPECT_TRUE(evidence.value.has_value()) << kernel << ": " << evidence.message;
  return evidence;
}

Row make_row(const std::string& text, const NamedData& named) {
  const Expression kernel = parse_expression(text, InputNames::unnamed(1));
  Row row;
  row.kernel = text;
  row.data = named.name;
  row.consistent = evidence_of(kernel, named.data, Laplace::consistent);
  row.reference = evidence_of(kernel, named.data, Laplace::reference);
  LogPosterior posterior(kernel, training_rows(named.data, MeanFunction::zero),
                         Laplace::consistent);
  Integral integral(posterior, posterior.space().free(row.consistent.parameters));
  EXPECT_LT(integral.best_on_scan(), row.consistent.log_posterior) << row.name();
  const double coarse = integral.log_value(coarse_step);
  row.integral = integral.log_value(0.5 * coarse_step);
  row.integral_change = std::abs(row.integral - coarse);
  return row;
}

// One table for all tests below; printed, since docs/math/laplace.md shows it.
const std::vector<Row>& table() {
  static const std::vector<Row> rows = [] {
    std::cout << "| data | kernel | integral | consistent | error | reference | error |\n"
                 "|---|---|---|---|---|---|---|\n";
    std::vector<Row> made;
    for (const NamedData& data : all_data()) {
      for (const char* kernel : {"SE", "LIN", "MAT32", "MAT52"}) {
        const Row row = make_row(kernel, data);
        std::cout << fmt::format("| {} | {} | {:.2f} | {:.2f}{} | {:+.2f} | {:.2f}{} | {:+.2f} |\n",
                                 row.data, row.kernel, row.integral, *row.consistent.value,
                                 row.consistent.hessian_repaired ? "*" : "", row.consistent_error(),
                                 *row.reference.value, row.reference.hessian_repaired ? "*" : "",
                                 row.reference_error());
        made.push_back(row);
      }
    }
    return made;
  }();
  return rows;
}

// Of the kernels tried on one data set, how far the integral of the one with the largest
// `value_of` falls behind the largest integral.
template <class Value>
double loss_by_choice(const std::string& data, const Value& value_of) {
  const Row* chosen = nullptr;
  double best = -std::numeric_limits<double>::infinity();
  for (const Row& row : table()) {
    if (row.data != data) continue;
    best = std::max(best, row.integral);
    if (chosen == nullptr || value_of(row) > value_of(*chosen)) chosen = &row;
  }
  return best - chosen->integral;
}

TEST(LaplaceIntegration, HalvingTheStepDoesNotChangeTheIntegral) {
  for (const Row& row : table()) EXPECT_LT(row.integral_change, 5e-3) << row.name();
}

// The same integral without the coordinates u: the likelihood over the quantiles of the priors, by
// the midpoint rule after the substitution p = t³ (10 − 15t + 6t²), which smooths the ends.
TEST(LaplaceIntegration, TheIntegralIsTheMeanLikelihoodUnderThePriors) {
  const NamedData smooth = all_data().front();
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  LogPosterior posterior(kernel, training_rows(smooth.data, MeanFunction::zero),
                         Laplace::reference);
  const ParameterSpace& space = posterior.space();
  constexpr std::size_t num_cells = 40;
  struct Level {
    double free;
    double weight;
  };
  std::array<std::vector<Level>, 3> levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (std::size_t cell = 0; cell < num_cells; ++cell) {
      const double t = (static_cast<double>(cell) + 0.5) / num_cells;
      const double probability = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
      levels[i].push_back({space.free(i, quantile(space[i].parameter.prior, probability)),
                           30.0 * t * t * (1.0 - t) * (1.0 - t) / num_cells});
    }
  }
  double mean = 0.0;
  for (const Level& length : levels[0]) {
    for (const Level& variance : levels[1]) {
      for (const Level& noise : levels[2]) {
        posterior.value(Place{length.free, variance.free, noise.free});
        mean +=
            length.weight * variance.weight * noise.weight * std::exp(posterior.log_likelihood());
      }
    }
  }
  EXPECT_NEAR(make_row("SE", smooth).integral, std::log(mean), 1e-3);
}

TEST(LaplaceIntegration, TheConsistentConventionIsWithinOneNatOfTheIntegral) {
  double sum = 0.0;
  for (const Row& row : table()) {
    EXPECT_FALSE(row.consistent.hessian_repaired) << row.name();
    EXPECT_NEAR(row.consistent_error(), 0.0, 1.0) << row.name();
    sum += std::abs(row.consistent_error());
  }
  EXPECT_LT(sum / static_cast<double>(table().size()), 0.3);
}

// It leaves out the Jacobian, which is below one for every positive parameter.
TEST(LaplaceIntegration, TheReferenceConventionOverstatesTheIntegralByNats) {
  for (const Row& row : table()) {
    EXPECT_GT(row.reference_error(), 2.0) << row.name();
    EXPECT_LT(std::abs(row.consistent_error()), std::abs(row.reference_error())) << row.name();
  }
}

TEST(LaplaceIntegration, ChoosingByTheConsistentConventionLosesLessThanANat) {
  for (const NamedData& data : all_data()) {
    const double loss =
        loss_by_choice(data.name, [](const Row& row) { return *row.consistent.value; });
    const double reference_loss =
        loss_by_choice(data.name, [](const Row& row) { return *row.reference.value; });
    std::cout << fmt::format("{}: the choice loses {:.2f} nats, by the reference one {:.2f}\n",
                             data.name, loss, reference_loss);
    EXPECT_LT(loss, 1.0) << data.name;
  }
}

}  // namespace
}  // namespace covary
