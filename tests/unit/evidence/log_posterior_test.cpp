#include "evidence/log_posterior.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "evidence/curvature.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

constexpr std::size_t num_inputs = 2;

struct Problem {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  InputColumns inputs() const {
    InputColumns spans;
    for (const auto& column : x) spans.emplace_back(column);
    return spans;
  }
};

Problem random_problem(std::size_t n, Random& random) {
  Problem problem;
  problem.x.resize(num_inputs);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto& column : problem.x) column.push_back(random.uniform());
    problem.y.push_back(std::sin(7.0 * problem.x[0][i]) + problem.x[1][i] + 0.2 * random.normal());
  }
  return problem;
}

// A place of moderate parameters and noise, where differences are not drowned by rounding.
std::vector<double> moderate_place(const ParameterSpace& space, Random& random) {
  std::vector<double> place(space.size());
  for (std::size_t i = 0; i + 1 < space.size(); ++i) {
    place[i] = space.free(i, quantile(space[i].parameter.prior, 0.3 + 0.5 * random.uniform()));
  }
  place.back() = space.free(space.size() - 1, 0.05 + 0.1 * random.uniform());
  return place;
}

LeadWalks led_through(LogPosterior& posterior) {
  return [&posterior](std::span<Stepper* const> walks) {
    for (Stepper* walk : walks) lead(*walk, posterior);
  };
}

class BothConventions : public testing::TestWithParam<Laplace> {};
INSTANTIATE_TEST_SUITE_P(Laplace, BothConventions,
                         testing::Values(Laplace::consistent, Laplace::reference));

TEST_P(BothConventions, GradientMatchesFiniteDifferencesForRandomExpressions) {
  Random random(1);
  const Problem problem = random_problem(25, random);
  for (int i = 0; i < 200; ++i) {
    const Expression tree = random_expression(random, 1 + random.index(6), num_inputs);
    LogPosterior posterior(tree, {problem.inputs(), problem.y}, GetParam());
    std::vector<double> place = moderate_place(posterior.space(), random);
    std::vector<double> gradient(posterior.size());
    std::vector<double> other(posterior.size());
    Matrix curvature(posterior.size(), posterior.size());
    ASSERT_TRUE(std::isfinite(posterior.value(place))) << tree;
    posterior.gradient(gradient);
    posterior.value(place);
    posterior.gradient_and_curvature(other, curvature);
    for (std::size_t p = 0; p < posterior.size(); ++p) {
      ASSERT_NEAR(other[p], gradient[p], 1e-8 * (1.0 + std::abs(gradient[p])));
      const double u = place[p];
      constexpr double step = 1e-4;
      place[p] = u + step;
      const double above = posterior.value(place);
      place[p] = u - step;
      const double below = posterior.value(place);
      place[p] = u;
      const double slope = (above - below) / (2.0 * step);
      ASSERT_NEAR(gradient[p], slope, 1e-5 * (1.0 + std::abs(slope))) << tree << " p " << p;
    }
  }
}

TEST_P(BothConventions, HessianMatchesSecondDifferencesOfTheValue) {
  Random random(2);
  const Problem problem = random_problem(20, random);
  for (int i = 0; i < 200; ++i) {
    const Expression tree = random_expression(random, 1 + random.index(3), num_inputs);
    LogPosterior posterior(tree, {problem.inputs(), problem.y}, GetParam());
    std::vector<double> place = moderate_place(posterior.space(), random);
    const Matrix hessian = *negative_hessian(place, led_through(posterior));
    const std::size_t p = random.index(posterior.size());
    const std::size_t q = random.index(posterior.size());
    constexpr double step = 2e-3;
    const auto at = [&](double dp, double dq) {
      std::vector<double> moved = place;
      moved[p] += dp * step;
      moved[q] += dq * step;
      return posterior.value(moved);
    };
    const double second = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4.0 * step * step);
    ASSERT_NEAR(hessian(p, q), -second, 2e-3 * (1.0 + std::abs(second))) << tree;
    ASSERT_EQ(hessian(p, q), hessian(q, p));
  }
}

// At any place a line search may try, there is no value, or a value with a finite gradient.
TEST(LogPosterior, NeverHasAValueWithoutAFiniteGradient) {
  Random random(41);
  const Problem problem = random_problem(12, random);
  int num_values = 0;
  for (int i = 0; i < 2000; ++i) {
    const Expression tree = random_expression(random, 1 + random.index(4), num_inputs);
    LogPosterior posterior(tree, {problem.inputs(), problem.y}, Laplace::consistent);
    std::vector<double> place(posterior.size());
    for (double& u : place) u = 400.0 * (2.0 * random.uniform() - 1.0) * random.uniform();
    if (!std::isfinite(posterior.value(place))) continue;
    ++num_values;
    std::vector<double> gradient(place.size());
    Matrix curvature(place.size(), place.size());
    posterior.gradient_and_curvature(gradient, curvature);
    for (const double slope : gradient) ASSERT_TRUE(std::isfinite(slope)) << tree;
    for (std::size_t k = 0; k < place.size() * place.size(); ++k) {
      ASSERT_TRUE(std::isfinite(curvature.data()[k])) << tree;
    }
  }
  EXPECT_GT(num_values, 300);
}

TEST(LogPosterior, ConventionsDifferByTheJacobianAlone) {
  Random random(3);
  const Problem problem = random_problem(15, random);
  const Expression tree = random_expression(random, 4, num_inputs);
  LogPosterior with(tree, {problem.inputs(), problem.y}, Laplace::consistent);
  LogPosterior without(tree, {problem.inputs(), problem.y}, Laplace::reference);
  const std::vector<double> place = moderate_place(with.space(), random);
  double log_jacobian = 0.0;
  for (std::size_t p = 0; p < place.size(); ++p) {
    log_jacobian += with.space().log_slope(p, place[p]).value;
  }
  EXPECT_NEAR(with.value(place) - without.value(place), log_jacobian, 1e-10);
}

}  // namespace
}  // namespace covary
