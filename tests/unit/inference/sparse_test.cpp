// The sparse posterior against the exact one, against brute force on its own model, and its bounds.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
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
  Expression kernel = random_expression(random, 1 + random.index(5), 2);
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

// N(0, Q + Λ) without a row, by dense matrices, and the row's own variance where Λ has it not.
void expect_leave_one_out_by_brute_force(const Expression& kernel, const Numbers& parameters,
                                         const TrainingRows& rows, OwnPart own_part,
                                         const std::vector<std::size_t>& left_out) {
  constexpr std::size_t num_support = 12;
  const auto posterior =
      make_sparse_inference(
          {.support = num_support, .along_one_input = own_part, .of_several_inputs = own_part})
          ->posterior(kernel, parameters, rows);
  const SparseRows all(kernel, parameters, rows, support_rows(rows.inputs, num_support), own_part);
  const std::size_t n = all.size();
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
  std::vector<Matrix> whitened;
  for (std::size_t block = 0; block < all.num_blocks(); ++block) {
    whitened.push_back(all.with_support(block));
    solve_lower(factor, whitened.back());
  }
  const CompiledKernel compiled(kernel);
  const std::span<const double> values(parameters.data(), compiled.num_parameters());
  Matrix gram(n, n);
  compiled.gram(values, rows.inputs, gram);
  constexpr std::size_t block_rows = SparseRows::block_rows;
  // By places in the order of the rows.
  const auto covariance = [&](std::size_t a, std::size_t b) {
    const double* one = whitened[a / block_rows].column(a % block_rows);
    const double* other = whitened[b / block_rows].column(b % block_rows);
    const double known = std::inner_product(one, one + m, other, 0.0);
    if (a == b) {
      return all.noise()[a] + (own_part == OwnPart::none ? known : all.variance()[a]);
    }
    if (own_part != OwnPart::stretches || a / block_rows != b / block_rows) return known;
    const auto [least, most] = std::minmax({all.row_number(a), all.row_number(b)});
    return gram(most, least) + rows.constant_variance;
  };
  for (const std::size_t out : left_out) {
    std::vector<std::size_t> others;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != out) others.push_back(j);
    }
    Matrix matrix(n - 1, n - 1);
    ASSERT_TRUE(cholesky(matrix, [&](Matrix& filled) {
                  for (std::size_t b = 0; b < n - 1; ++b) {
                    for (std::size_t a = b; a < n - 1; ++a) {
                      filled(a, b) = covariance(others[a], others[b]);
                    }
                  }
                }).succeeded);
    Numbers cross;
    Numbers target;
    for (const std::size_t other : others) {
      cross.push_back(covariance(other, out));
      target.push_back(all.target()[other]);
    }
    solve_lower(matrix, cross);
    solve_lower(matrix, target);
    const double mean = std::inner_product(cross.begin(), cross.end(), target.begin(), 0.0);
    const double variance = all.variance()[out] + all.noise()[out] -
                            std::inner_product(cross.begin(), cross.end(), cross.begin(), 0.0);
    const Posterior::LeaveOneOut& loo = posterior->leave_one_out();
    const std::size_t row = all.row_number(out);
    EXPECT_NEAR(loo.residual[row], all.target()[out] - mean, 1e-5) << kernel;
    EXPECT_NEAR(loo.variance[row], variance, 1e-5 * (1.0 + variance)) << kernel;
  }
}

TEST(SparsePosterior, LeaveOneOutIsThatOfTheApproximationByBruteForce) {
  Random random(14);
  constexpr std::size_t n = 40;
  const RandomProblem problem = random_problem(n, random, 0.3);
  std::vector<std::size_t> each(n);
  std::iota(each.begin(), each.end(), std::size_t{0});
  for (int i = 0; i < 12; ++i) {
    const Expression kernel = random_kernel(i, random);
    const Numbers parameters = random_parameters(kernel, random);
    const OwnPart own_part = i % 2 == 0 ? OwnPart::none : OwnPart::rows;
    expect_leave_one_out_by_brute_force(kernel, parameters, problem.rows(1.0), own_part, each);
  }
}

// Rows in no order, more than one stretch of them.
TEST(SparsePosterior, LeaveOneOutAlongAnInputKnowsWhatNeighboursHaveInCommon) {
  Random random(17);
  const RandomProblem problem = random_problem(300, random, 0.3);
  const std::vector<std::size_t> some = {0, 1, 100, 255, 256, 299};
  for (int i = 0; i < 6; ++i) {
    const Expression kernel = random_expression(random, 1 + random.index(4), 1);
    const Numbers parameters = random_parameters(kernel, random);
    const TrainingRows rows{{problem.x[0]}, problem.y, i % 2 == 0 ? 1.0 : 0.0};
    expect_leave_one_out_by_brute_force(kernel, parameters, rows, OwnPart::stretches, some);
  }
}

// A cycle beside shorter variation that the support is too sparse for, and little noise: by the
// noise alone, what the support cannot explain is taken for knowledge about the cycle.
TEST(SparsePosterior, TellsACycleNearlyAsTheExactOneDoesBesideShortVariation) {
  Random random(18);
  constexpr std::size_t n = 1500;
  constexpr std::size_t num_waves = 100;
  constexpr double period = 0.1;
  constexpr double length = 25.0 / n;
  const Expression kernel = parse_expression("PER + SE", InputNames::unnamed(1));
  const Numbers parameters = {1.0, 1.0, period, length, 1.0, 1e-3};
  Numbers slopes;
  Numbers phases;
  for (std::size_t w = 0; w < num_waves; ++w) {
    slopes.push_back(random.normal() / length);
    phases.push_back(2.0 * std::numbers::pi * random.uniform());
  }
  Numbers x;
  Numbers y;
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(static_cast<double>(i) / n);
    y.push_back(std::sin(2.0 * std::numbers::pi * x.back() / period) +
                std::sqrt(parameters.back()) * random.normal());
    for (std::size_t w = 0; w < num_waves; ++w) {
      y.back() += std::sqrt(2.0 / num_waves) * std::cos(phases[w] + slopes[w] * x.back());
    }
  }
  const TrainingRows rows{{x}, y, 0.0};
  Numbers places;  // far ahead, where nothing but the cycle is known
  for (int i = 0; i < 50; ++i) places.push_back(1.5 + 0.01 * i);
  const auto told = [&](const Posterior& posterior) {
    Numbers support = x;
    if (const auto some = posterior.support()) {
      support.clear();
      for (const std::size_t row : *some) support.push_back(x[row]);
    }
    const CompiledKernel compiled(kernel);
    Matrix cross(support.size(), places.size());
    compiled.cross({parameters.data(), compiled.num_parameters()}, {support}, {places}, cross);
    return posterior.mean(cross);
  };
  const Numbers exact = told(*exact_inference().posterior(kernel, parameters, rows));
  const auto error = [&](OwnPart own_part) {
    const auto inference = make_sparse_inference({.support = 80, .along_one_input = own_part});
    const Numbers mean = told(*inference->posterior(kernel, parameters, rows));
    double sum = 0.0;
    for (std::size_t i = 0; i < mean.size(); ++i) sum += std::pow(mean[i] - exact[i], 2);
    return std::sqrt(sum / static_cast<double>(mean.size()));
  };
  EXPECT_LT(error(OwnPart::stretches), 0.2);
  EXPECT_GT(error(OwnPart::none), 1.0);
}

// What the support cannot explain leaves the interval wide; a state space knows the number, and the
// posterior stays what it is.
TEST(SparsePosterior, KnowsTheEvidenceAlongAnInputWhereTheKernelHasAStateSpace) {
  Random random(19);
  const RandomProblem problem = random_problem(700, random, 0.3);
  const TrainingRows rows{{problem.x[0]}, problem.y, 1.0};
  const SparseLimits limits{.support = 40};
  SparseLimits by_bounds = limits;
  by_bounds.evidence_by_state_space = false;
  for (const char* text : {"MAT32*PER + LIN", "SE + MAT12", "PER*WN + SE*RW", "SE + RQ"}) {
    const Expression kernel = parse_expression(text, InputNames::unnamed(1));
    Numbers parameters = random_parameters(kernel, random);
    parameters[0] = 0.01;
    const auto posterior = make_sparse_inference(limits)->posterior(kernel, parameters, rows);
    const auto bounded = make_sparse_inference(by_bounds)->posterior(kernel, parameters, rows);
    const double exact =
        exact_inference().posterior(kernel, parameters, rows)->log_marginal_likelihood();
    const Posterior::Interval known = posterior->log_marginal_likelihood_interval();
    const Posterior::Interval bounds = bounded->log_marginal_likelihood_interval();
    const double rounding = 1e-8 * std::abs(exact);
    EXPECT_LE(known.lower, exact + rounding) << text;
    EXPECT_GE(known.upper, exact - rounding) << text;
    EXPECT_GT(bounds.upper - bounds.lower, 1.0) << text;
    if (std::string(text) == "SE + RQ") {
      EXPECT_EQ(known.lower, bounds.lower);
      EXPECT_EQ(known.upper, bounds.upper);
    } else {
      EXPECT_LT(known.upper - known.lower, 1e-4 * 700.0) << text;
    }
    Matrix cross(posterior->support()->size(), 1);
    for (std::size_t i = 0; i < cross.num_rows(); ++i) cross(i, 0) = random.uniform();
    EXPECT_EQ(posterior->mean(cross), bounded->mean(cross)) << text;
    EXPECT_EQ(posterior->leave_one_out().variance, bounded->leave_one_out().variance) << text;
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
