// The sparse posterior against the exact one, against brute force on its own model, and its bounds.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <covary/error.h>
#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "inference/inference.h"
#include "inference/sparse/sparse_inference.h"
#include "inference/sparse/sparse_posterior.h"
#include "inference/sparse/support_rows.h"
#include "linalg/cholesky.h"
#include "unit/inference/random_problem.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

// White noise is part of every third one, also where it varies from row to row.
Expression random_kernel(int number, Random& random) {
  const Expression kernel = random_expression(random, 1 + random.index(5), 2);
  if (number % 3 != 0) return kernel;
  const Expression white = parse_expression("WN*LIN_2 + SE_1*RQ_2", InputNames::unnamed(2));
  const Operator* add = all_operators()[0];
  return Expression::join({add, 0}, kernel, white);
}

std::unique_ptr<const Inference> sparse(std::size_t support, std::size_t products = 1) {
  return make_sparse_inference({.support = support,
                                .rows_of_whole_support = 1'000'000,
                                .rows_of_products = 1'000'000,
                                .products = products});
}

// What a posterior says of new points.
struct Forecast {
  Numbers mean;
  Numbers variance;
  Numbers covariance;
};

Forecast forecast(const Posterior& posterior, const Expression& kernel, const Numbers& parameters,
                  const TrainingRows& rows, const std::vector<Numbers>& places) {
  const CompiledKernel compiled(kernel);
  const std::span<const double> values(parameters.data(), compiled.num_parameters());
  std::vector<Numbers> inputs(2);
  for (std::size_t c = 0; c < 2; ++c) {
    inputs[c].assign(rows.inputs[c].begin(), rows.inputs[c].end());
    if (const auto support = posterior.support()) {
      inputs[c].clear();
      for (const std::size_t row : *support) inputs[c].push_back(rows.inputs[c][row]);
    }
  }
  const std::size_t size = places[0].size();
  Matrix cross(inputs[0].size(), size);
  compiled.cross(values, {inputs[0], inputs[1]}, {places[0], places[1]}, cross);
  for (std::size_t i = 0; i < cross.num_rows() * size; ++i) {
    cross.data()[i] += rows.constant_variance;
  }
  Matrix prior(size, size);
  compiled.gram(values, {places[0], places[1]}, prior);
  add_to_lower_triangle(prior, rows.constant_variance);
  Numbers diagonal(size);
  for (std::size_t i = 0; i < size; ++i) diagonal[i] = prior(i, i);
  Forecast result{posterior.mean(cross), {}, {}};
  Matrix copy = Matrix::copy_of(cross);
  result.variance = posterior.variance(copy, diagonal);
  posterior.covariance(cross, prior);
  result.covariance.assign(prior.data(), prior.data() + size * size);
  return result;
}

void expect_close(const Numbers& a, const Numbers& b, double tolerance, const Expression& kernel) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], tolerance * (1.0 + std::abs(b[i]))) << kernel << ' ' << i;
  }
}

void expect_same(const Forecast& a, const Forecast& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
  EXPECT_EQ(a.covariance, b.covariance);
}

TEST(SparsePosterior, WithAllRowsInTheSupportIsTheExactOne) {
  Random random(11);
  const RandomProblem problem = random_problem(70, random, 0.3);
  const RandomProblem places = random_problem(9, random, 0.3);
  for (int i = 0; i < 60; ++i) {
    const Expression kernel = random_kernel(i, random);
    const Numbers parameters = random_parameters(kernel, random);
    const TrainingRows rows = problem.rows(i % 2 == 0 ? 1.0 : 0.0);
    const auto exact = exact_inference().posterior(kernel, parameters, rows);
    const auto whole = sparse(70)->posterior(kernel, parameters, rows);
    ASSERT_NE(exact, nullptr);
    ASSERT_NE(whole, nullptr);
    const Forecast expected = forecast(*exact, kernel, parameters, rows, places.x);
    const Forecast actual = forecast(*whole, kernel, parameters, rows, places.x);
    expect_close(actual.mean, expected.mean, 1e-5, kernel);
    expect_close(actual.variance, expected.variance, 1e-5, kernel);
    expect_close(actual.covariance, expected.covariance, 1e-5, kernel);
    const double evidence = exact->log_marginal_likelihood();
    const Posterior::Interval interval = whole->log_marginal_likelihood_interval();
    EXPECT_NEAR(interval.lower, evidence, 1e-4) << kernel;
    EXPECT_NEAR(interval.upper, evidence, 1e-4) << kernel;
    expect_close(whole->leave_one_out().residual, exact->leave_one_out().residual, 1e-4, kernel);
    expect_close(whole->leave_one_out().variance, exact->leave_one_out().variance, 1e-4, kernel);
  }
}

TEST(SparsePosterior, HasTheEvidenceInAnIntervalThatNarrows) {
  Random random(12);
  const RandomProblem problem = random_problem(150, random, 0.3);
  for (int i = 0; i < 60; ++i) {
    const Expression kernel = random_kernel(i, random);
    const Numbers parameters = random_parameters(kernel, random);
    const TrainingRows rows = problem.rows(i % 2 == 0 ? 1.0 : 0.0);
    const auto exact = exact_inference().posterior(kernel, parameters, rows);
    const double evidence = exact->log_marginal_likelihood();
    const double rounding = 1e-5 * (1.0 + std::abs(evidence));
    for (const std::size_t products : {0U, 1U, 4U}) {
      double width = std::numeric_limits<double>::infinity();
      for (const std::size_t support : {5U, 20U, 60U, 150U}) {
        const Posterior::Interval interval = sparse(support, products)
                                                 ->posterior(kernel, parameters, rows)
                                                 ->log_marginal_likelihood_interval();
        EXPECT_LE(interval.lower, evidence + rounding) << kernel << ' ' << support;
        EXPECT_GE(interval.upper, evidence - rounding) << kernel << ' ' << support;
        // Smaller samples of several inputs are parts of larger ones.
        EXPECT_LE(interval.upper - interval.lower, 1.05 * width + rounding) << kernel;
        width = interval.upper - interval.lower;
      }
    }
  }
}

TEST(SparsePosterior, ProductsNarrowTheInterval) {
  Random random(13);
  const RandomProblem problem = random_problem(200, random, 0.3);
  const TrainingRows rows = problem.rows(1.0);
  const Expression kernel = parse_expression("SE_1*SE_2", InputNames::unnamed(2));
  const Numbers parameters = {0.1, 1.0, 0.1, 1.0, 0.05};
  double width = std::numeric_limits<double>::infinity();
  for (const std::size_t products : {0U, 1U, 3U, 10U}) {
    const Posterior::Interval interval = sparse(40, products)
                                             ->posterior(kernel, parameters, rows)
                                             ->log_marginal_likelihood_interval();
    EXPECT_LT(interval.upper - interval.lower, width) << products;
    width = interval.upper - interval.lower;
  }
}

// N(0, Q + Λ) without a row, by dense matrices, and the row's own variance that Q has not.
TEST(SparsePosterior, LeaveOneOutIsThatOfTheApproximationByBruteForce) {
  Random random(14);
  constexpr std::size_t n = 40;
  const RandomProblem problem = random_problem(n, random, 0.3);
  for (int i = 0; i < 12; ++i) {
    const Expression kernel = random_kernel(i, random);
    const Numbers parameters = random_parameters(kernel, random);
    const TrainingRows rows = problem.rows(1.0);
    const auto posterior = sparse(12)->posterior(kernel, parameters, rows);
    const SparseRows all(kernel, parameters, rows, support_rows(rows.inputs, 12));
    const std::size_t m = all.support().size();
    Matrix factor(m, m);
    all.fill_support(factor, {});
    double mean_diagonal = 0.0;
    for (std::size_t j = 0; j < m; ++j) mean_diagonal += factor(j, j) / static_cast<double>(m);
    ASSERT_TRUE(cholesky(factor, [&](Matrix& matrix) {
                  all.fill_support(matrix, {});
                  for (std::size_t j = 0; j < m; ++j) {
                    matrix(j, j) += posterior->jitter() * mean_diagonal;
                  }
                }).succeeded);
    Matrix whitened = all.with_support(0);
    solve_lower(factor, whitened);
    const auto q = [&](std::size_t a, std::size_t b) {
      return std::inner_product(whitened.column(a), whitened.column(a) + m, whitened.column(b),
                                0.0);
    };
    for (std::size_t out = 0; out < n; ++out) {
      std::vector<std::size_t> others;
      for (std::size_t j = 0; j < n; ++j) {
        if (j != out) others.push_back(j);
      }
      Matrix matrix(n - 1, n - 1);
      ASSERT_TRUE(cholesky(matrix, [&](Matrix& filled) {
                    for (std::size_t b = 0; b < n - 1; ++b) {
                      for (std::size_t a = b; a < n - 1; ++a)
                        filled(a, b) = q(others[a], others[b]);
                      filled(b, b) += all.noise()[others[b]];
                    }
                  }).succeeded);
      Numbers cross;
      Numbers target;
      for (const std::size_t other : others) {
        cross.push_back(q(other, out));
        target.push_back(problem.y[other]);
      }
      solve_lower(matrix, cross);
      solve_lower(matrix, target);
      const double mean = std::inner_product(cross.begin(), cross.end(), target.begin(), 0.0);
      const double variance = all.variance()[out] + all.noise()[out] -
                              std::inner_product(cross.begin(), cross.end(), cross.begin(), 0.0);
      const Posterior::LeaveOneOut& loo = posterior->leave_one_out();
      EXPECT_NEAR(loo.residual[out], problem.y[out] - mean, 1e-5) << kernel;
      EXPECT_NEAR(loo.variance[out], variance, 1e-5 * (1.0 + variance)) << kernel;
    }
  }
}

TEST(SparsePosterior, IsTheSameOnAnyNumberOfThreadsAndCanBeStopped) {
  Random random(15);
  const RandomProblem problem = random_problem(1500, random, 0.3);
  const RandomProblem places = random_problem(5, random, 0.3);
  const TrainingRows rows = problem.rows(0.5);
  const Expression kernel = parse_expression("SE_1*RQ_2 + LIN_2", InputNames::unnamed(2));
  const Numbers parameters = random_parameters(kernel, random);
  const auto inference = sparse(600, 2);
  std::vector<std::unique_ptr<const Posterior>> posteriors;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    std::vector<double> shares;
    LongWork work{.threads = threads};
    work.progress = [&](double share) { shares.push_back(share); };
    posteriors.push_back(inference->posterior(kernel, parameters, rows, work));
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_NEAR(shares.back(), 1.0, 1e-9);
    const Posterior& one = *posteriors.front();
    const Posterior& other = *posteriors.back();
    expect_same(forecast(one, kernel, parameters, rows, places.x),
                forecast(other, kernel, parameters, rows, places.x));
    EXPECT_EQ(one.leave_one_out(work).residual, other.leave_one_out(work).residual);
    EXPECT_EQ(one.log_marginal_likelihood_interval().lower,
              other.log_marginal_likelihood_interval().lower);
    EXPECT_EQ(one.log_marginal_likelihood_interval().upper,
              other.log_marginal_likelihood_interval().upper);
  }
  for (const int patience : {0, 5, 40, 60, 75}) {
    int num_asked = 0;
    const LongWork stopped{.threads = 3, .should_stop = [&] { return ++num_asked > patience; }};
    EXPECT_THROW(static_cast<void>(inference->posterior(kernel, parameters, rows, stopped)),
                 WorkStopped);
    EXPECT_EQ(num_asked, patience + 1);
  }
  const auto fresh = inference->posterior(kernel, parameters, rows);
  int num_asked = 0;
  const LongWork stopped{.should_stop = [&] { return ++num_asked > 3; }};
  EXPECT_THROW(static_cast<void>(fresh->leave_one_out(stopped)), WorkStopped);
  // Work that was stopped leaves nothing behind.
  EXPECT_EQ(fresh->leave_one_out().variance, posteriors[0]->leave_one_out().variance);
}

TEST(SparsePosterior, DoesNotDependOnTheOrderOfTheRows) {
  Random random(16);
  const RandomProblem problem = random_problem(300, random, 0.3);
  const RandomProblem places = random_problem(7, random, 0.3);
  std::vector<std::size_t> order(300);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  RandomProblem shuffled;
  for (const std::size_t row : order) {
    for (std::size_t c = 0; c < 2; ++c) shuffled.x[c].push_back(problem.x[c][row]);
    shuffled.y.push_back(problem.y[row]);
  }
  for (int i = 0; i < 10; ++i) {
    const Expression kernel = random_kernel(i, random);
    const Numbers parameters = random_parameters(kernel, random);
    const TrainingRows one = problem.rows(1.0);
    const TrainingRows other = shuffled.rows(1.0);
    std::vector<std::size_t> moved;
    for (const std::size_t row : support_rows(other.inputs, 50)) {
      moved.push_back(order[row]);
    }
    std::sort(moved.begin(), moved.end());
    EXPECT_EQ(moved, support_rows(one.inputs, 50));
    const auto first = sparse(50)->posterior(kernel, parameters, one);
    const auto second = sparse(50)->posterior(kernel, parameters, other);
    const Forecast expected = forecast(*first, kernel, parameters, one, places.x);
    const Forecast actual = forecast(*second, kernel, parameters, other, places.x);
    expect_close(actual.mean, expected.mean, 1e-5, kernel);
    expect_close(actual.variance, expected.variance, 1e-5, kernel);
    EXPECT_NEAR(first->log_marginal_likelihood(), second->log_marginal_likelihood(), 1e-4);
  }
}

TEST(SparsePosterior, SupportHasNoRowTwiceAndSpreadsOverASingleInput) {
  Numbers x;
  for (int i = 0; i < 1000; ++i) x.push_back(std::floor(i / 2.0));
  const std::vector<std::size_t> rows = support_rows({x}, 60);
  ASSERT_EQ(rows.size(), 60U);
  EXPECT_EQ(x[rows.front()], 0.0);
  for (std::size_t i = 45; i < 60; ++i) EXPECT_EQ(x[rows[i]], 440.0 + static_cast<double>(i));
  // One out of each part, and no cycle of theirs: places within the parts are of all kinds.
  std::set<int> places;
  for (std::size_t i = 1; i < 45; ++i) {
    const double begin = std::floor(static_cast<double>(i) * 485.0 / 45.0);
    EXPECT_GE(x[rows[i]], begin);
    EXPECT_LE(x[rows[i]], begin + 10.0);
    places.insert(static_cast<int>(x[rows[i]] - begin));
  }
  EXPECT_GE(places.size(), 7U);
  EXPECT_EQ(support_rows({x}, 1000).size(), 500U);
  const Numbers constant(1000, 1.0);
  EXPECT_EQ(support_rows({x, constant}, 1000).size(), 500U);
  EXPECT_EQ(support_rows({x, constant}, 40).size(), 40U);
}

TEST(SparsePosterior, SaysWhatItCannotDo) {
  Random random(17);
  const RandomProblem problem = random_problem(20, random, 0.3);
  const Expression kernel = parse_expression("SE_1", InputNames::unnamed(2));
  const auto posterior =
      sparse(10)->posterior(kernel, random_parameters(kernel, random), problem.rows());
  EXPECT_EQ(posterior->support()->size(), 10U);
  const std::vector<std::size_t> held_out = {3};
  EXPECT_THROW(static_cast<void>(posterior->alpha_without(held_out)), Error);
  EXPECT_THROW(static_cast<void>(posterior->draw_alphas(2, random)), Error);
  EXPECT_THROW(static_cast<void>(posterior->alpha()), Error);
  Matrix with_all_rows(20, 1);
  EXPECT_THROW(static_cast<void>(posterior->mean(with_all_rows)), Error);
  EXPECT_THROW(static_cast<void>(posterior->variance(with_all_rows, {})), Error);
}

TEST(SparseInference, IsForMoreRowsThanAnExactFactorCanHold) {
  EXPECT_EQ(&inference_for(most_exact_rows), &exact_inference());
  EXPECT_EQ(&inference_for(most_exact_rows + 1), &sparse_inference());
  // What is needed of a machine of 24 GB.
  EXPECT_LT(sparse_inference().posterior_bytes(100'000), 1e9);
  EXPECT_LT(sparse_inference().posterior_bytes(1'000'000), 2e9);
  EXPECT_GT(sparse_inference().posterior_seconds(100'000, 1),
            sparse_inference().posterior_seconds(50'000, 1));
}

}  // namespace
}  // namespace covary
