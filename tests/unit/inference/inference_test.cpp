// Properties of every way of inference; a new one joins the list.
#include "inference/inference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "inference/device/device_choice.h"
#include "inference/device/device_library.h"
#include "inference/exact/exact_likelihood.h"
#include "optim/look.h"
#include "optim/maximize.h"
#include "unit/inference/random_problem.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;
// Null, and why not, where it cannot be tested here.
struct Tested {
  const Inference* inference = nullptr;
  std::string why;
};
using MakeInference = Tested (*)();

Tested exact() { return {&exact_inference(), {}}; }

// The interface of devices in loops on the host.
Tested emulated() {
  static std::string why;
  static const DeviceInference* device = [] {
    const auto library = DeviceLibrary::load(COVARY_EMULATED_DEVICE, why);
    auto connection = library ? DeviceConnection::open(library->api(), 0, why) : nullptr;
    return connection ? new DeviceInference(std::move(connection)) : nullptr;
  }();
  return {device, why};
}

Tested gpu() {
  Tested tested;
  tested.inference = device_inference(0, tested.why);
  return tested;
}

class EveryInference : public testing::TestWithParam<MakeInference> {
 protected:
  void SetUp() override {
    tested_ = GetParam()();
    if (tested_.inference == nullptr) GTEST_SKIP() << tested_.why;
  }
  const Inference& inference() const { return *tested_.inference; }

 private:
  Tested tested_;
};
class InferenceOfManyRows : public EveryInference {};
INSTANTIATE_TEST_SUITE_P(Host, EveryInference, testing::Values(&exact, &emulated));
INSTANTIATE_TEST_SUITE_P(Gpu, EveryInference, testing::Values(&gpu));
INSTANTIATE_TEST_SUITE_P(Host, InferenceOfManyRows, testing::Values(&exact));
INSTANTIATE_TEST_SUITE_P(Gpu, InferenceOfManyRows, testing::Values(&gpu));

TEST_P(EveryInference, GradientsAreThoseOfFiniteDifferences) {
  Random random(1);
  const RandomProblem problem = random_problem(25, random, 0.2);
  for (int i = 0; i < 60; ++i) {
    const Expression kernel = random_expression(random, 1 + random.index(6), 2);
    const TrainingRows rows = problem.rows(i % 3 == 0 ? 1.0 : 0.0);
    const std::unique_ptr<Likelihood> likelihood = inference().likelihood(kernel, rows);
    Numbers place = random_parameters(kernel, random);
    Numbers gradient(place.size());
    ASSERT_TRUE(std::isfinite(likelihood->value(place, std::nullopt)));
    likelihood->gradient(gradient);
    for (std::size_t p = 0; p < place.size(); ++p) {
      const double here = place[p];
      const double step = 1e-5 * std::abs(here);
      place[p] = here + step;
      const double above = likelihood->value(place, std::nullopt);
      place[p] = here - step;
      const double below = likelihood->value(place, std::nullopt);
      place[p] = here;
      const double slope = (above - below) / (2.0 * step);
      EXPECT_NEAR(gradient[p], slope, 1e-4 * (1.0 + std::abs(slope))) << kernel << ' ' << p;
    }
  }
}

// What is added to the diagonal is noise by another name.
TEST_P(EveryInference, AGivenDiagonalIsNoiseByAnotherName) {
  Random random(2);
  const RandomProblem problem = random_problem(20, random, 0.2);
  const TrainingRows rows = problem.rows();
  for (int i = 0; i < 30; ++i) {
    const Expression kernel = random_expression(random, 1 + random.index(4), 2);
    const std::unique_ptr<Likelihood> likelihood = inference().likelihood(kernel, rows);
    Numbers place = random_parameters(kernel, random);
    const double with = likelihood->value(place, 0.03);
    EXPECT_EQ(likelihood->diagonal(), 0.03);
    place.back() += 0.03;
    EXPECT_NEAR(with, likelihood->value(place, 0.0), 1e-9 * std::abs(with));
  }
}

// Kernels of all kinds and rows of two sizes in one batch, with values, gradients and walks uphill
// of different lengths: each as if it were alone, for any number of threads.
TEST_P(EveryInference, ABatchOfManyKernelsIsEachOfThemAloneBitByBit) {
  Random random(3);
  const RandomProblem small = random_problem(20, random, 0.2);
  const RandomProblem large = random_problem(45, random, 0.2);
  const TrainingRows rows[] = {small.rows(), large.rows(1.0)};
  constexpr std::size_t size = 24;
  std::vector<Expression> kernels;
  std::vector<Numbers> starts;
  for (std::size_t i = 0; i < size; ++i) {
    kernels.push_back(random_expression(random, 1 + random.index(5), 2));
    starts.push_back(random_parameters(kernels.back(), random));
  }
  struct End {
    Numbers numbers;
    std::size_t costs = 0;
    bool operator==(const End&) const = default;
  };
  const std::function<bool()> never;
  const auto led = [&](std::size_t begin, std::size_t end, std::size_t num_threads) {
    std::vector<std::unique_ptr<Stepper>> steppers;
    std::vector<Walk> walks;
    MaximizeOptions options;
    options.max_step = 0.01;  // the natural parameters stay positive
    for (std::size_t i = begin; i < end; ++i) {
      options.max_iterations = 1 + i % 4;
      if (i % 3 == 0) {
        steppers.push_back(std::make_unique<Look>(starts[i], Want::gradient_and_curvature));
      } else {
        steppers.push_back(newton_stepper(starts[i], options));
      }
      walks.push_back({&kernels[i], &rows[i % 2], steppers.back().get()});
    }
    const WalkCosts costs = inference().lead(walks, num_threads, never);
    End result{{}, costs.values + 1000 * costs.gradients};
    for (const auto& stepper : steppers) {
      EXPECT_TRUE(stepper->is_done());
      const auto place = stepper->place();
      result.numbers.insert(result.numbers.end(), place.begin(), place.end());
      if (const auto* look = dynamic_cast<const Look*>(stepper.get())) {
        result.numbers.push_back(look->value());
        result.numbers.insert(result.numbers.end(), look->gradient().begin(),
                              look->gradient().end());
      }
    }
    return result;
  };
  End alone;
  for (std::size_t i = 0; i < size; ++i) {
    const End one = led(i, i + 1, 1);
    alone.numbers.insert(alone.numbers.end(), one.numbers.begin(), one.numbers.end());
    alone.costs += one.costs;
  }
  for (const std::size_t num_threads : {1U, 2U, 5U}) {
    EXPECT_TRUE(led(0, size, num_threads) == alone) << num_threads;
  }
}

// What threads ask for at the same time may be computed together.
TEST_P(EveryInference, ThreadsWithRowsOfDifferentNumbersDoNotDisturbEachOther) {
  Random random(8);
  constexpr std::size_t numbers[] = {20, 70, 130, 300};
  std::vector<RandomProblem> problems;
  for (const std::size_t n : numbers) problems.push_back(random_problem(n, random, 0.2));
  std::vector<Expression> kernels;
  std::vector<Numbers> places;
  for (int i = 0; i < 6; ++i) {
    kernels.push_back(random_expression(random, 1 + random.index(4), 2));
    places.push_back(random_parameters(kernels.back(), random));
  }
  const auto led = [&](std::size_t which) {
    const TrainingRows rows = problems[which].rows();
    Numbers told;
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<Look> looks;
      std::vector<Walk> walks;
      looks.reserve(kernels.size());
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        looks.emplace_back(places[i], Want::gradient_and_curvature);
        walks.push_back({&kernels[i], &rows, &looks.back()});
      }
      inference().lead(walks, 1, {});
      for (const Look& look : looks) {
        told.push_back(look.value());
        told.insert(told.end(), look.gradient().begin(), look.gradient().end());
      }
    }
    return told;
  };
  std::vector<Numbers> alone;
  for (std::size_t which = 0; which < 4; ++which) alone.push_back(led(which));
  std::vector<Numbers> together(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t which = 0; which < 4; ++which) {
      threads.emplace_back([&, which] { together[which] = led(which); });
    }
  }
  EXPECT_TRUE(together == alone);
}

// The first value of rows is that of any time after: nobody looks at them before they are there.
TEST_P(EveryInference, RowsAreThereBeforeTheyAreLookedAt) {
  Random random(9);
  constexpr std::size_t num_rows = 400;
  constexpr std::size_t num_inputs = 40;
  const Expression kernel = parse_expression("SE_40*MAT32_1", InputNames::unnamed(num_inputs));
  const Numbers parameters = random_parameters(kernel, random);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<Numbers> inputs(num_inputs);
    Numbers target;
    for (std::size_t i = 0; i < num_rows; ++i) {
      for (Numbers& column : inputs) column.push_back(random.uniform());
      target.push_back(random.normal());
    }
    const TrainingRows rows{{inputs.begin(), inputs.end()}, target, 0.0};
    const std::unique_ptr<Likelihood> likelihood = inference().likelihood(kernel, rows);
    const double first = likelihood->value(parameters, std::nullopt);
    EXPECT_EQ(first, likelihood->value(parameters, std::nullopt));
    const double expected =
        exact_inference().likelihood(kernel, rows)->value(parameters, std::nullopt);
    EXPECT_NEAR(first, expected, 1e-9 * std::abs(expected));
  }
}

TEST_P(EveryInference, WalksThatHaveNotBegunStayWhereTheyAreWhenTimeIsUp) {
  Random random(4);
  const RandomProblem problem = random_problem(10, random, 0.2);
  const TrainingRows rows = problem.rows();
  const Expression kernel = parse_expression("SE_1", InputNames::unnamed(2));
  constexpr std::size_t num_looks = 5;
  std::vector<Look> looks;
  std::vector<Walk> walks;
  looks.reserve(num_looks);
  walks.reserve(num_looks);
  while (looks.size() < num_looks) looks.emplace_back(random_parameters(kernel, random));
  for (Look& look : looks) walks.push_back({&kernel, &rows, &look});
  int num_asked = 0;
  inference().lead(walks, 1, [&] { return ++num_asked > 2; });
  EXPECT_TRUE(looks[0].is_done());
  EXPECT_TRUE(looks[1].is_done());
  for (std::size_t i = 2; i < looks.size(); ++i) EXPECT_FALSE(looks[i].is_done());
}

// 2,100 rows are many: filled and factored by blocks on several threads.
TEST_P(InferenceOfManyRows, APosteriorOfHasTheLikelihoodOfItsFactor) {
  Random random(5);
  const RandomProblem problem = random_problem(2100, random, 0.2);
  const TrainingRows rows = problem.rows(0.5);
  const Expression kernel = parse_expression("SE_1*RQ_2 + LIN_2", InputNames::unnamed(2));
  const Numbers parameters = random_parameters(kernel, random);
  std::vector<double> shares;
  LongWork work{.threads = 2};
  work.progress = [&](double share) { shares.push_back(share); };
  const auto posterior = inference().posterior(kernel, parameters, rows, work);
  ASSERT_NE(posterior, nullptr);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_NEAR(shares.back(), 1.0, 1e-12);
  const double expected = inference().likelihood(kernel, rows)->value(parameters, {});
  EXPECT_NEAR(posterior->log_marginal_likelihood(), expected, 1e-9 * std::abs(expected));

  const auto alone = inference().posterior(kernel, parameters, rows, {.threads = 1});
  EXPECT_TRUE(std::equal(alone->alpha().begin(), alone->alpha().end(), posterior->alpha().begin()));

  for (const int patience : {0, 5, 140, 160}) {  // while it is filled, and while it is factored
    int num_asked = 0;
    const LongWork stopped{.threads = 3, .should_stop = [&] { return ++num_asked > patience; }};
    EXPECT_THROW(static_cast<void>(inference().posterior(kernel, parameters, rows, stopped)),
                 WorkStopped);
    EXPECT_EQ(num_asked, patience + 1);
  }
}

// What many rows are computed by says the same of few, any diagonal and constant included.
TEST(ManyRows, HaveTheSlopesOfFewAndOfFiniteDifferences) {
  Random random(7);
  const RandomProblem problem = random_problem(300, random, 0.2);
  for (int i = 0; i < 12; ++i) {
    const Expression kernel = random_expression(random, 1 + random.index(6), 2);
    const TrainingRows rows = problem.rows(i % 3 == 0 ? 1.0 : 0.0);
    ExactLikelihood few(kernel, rows);
    ExactLikelihood many(kernel, rows, {.threads = 2}, 0);
    Numbers place = random_parameters(kernel, random);
    const std::size_t size = place.size();
    const double value = few.value(place, 0.02);
    EXPECT_NEAR(many.value(place, 0.02), value, 1e-9 * std::abs(value));
    Numbers slopes(size);
    Numbers expected(size);
    Matrix information(size, size);
    Matrix expected_information(size, size);
    few.gradient_and_information(expected, expected_information);
    many.gradient_and_information(slopes, information);
    for (std::size_t p = 0; p < size; ++p) {
      EXPECT_NEAR(slopes[p], expected[p], 1e-6 * (1.0 + std::abs(expected[p]))) << kernel;
      for (std::size_t q = 0; q < size; ++q) {
        const double one = expected_information(p, q);
        EXPECT_NEAR(information(p, q), one, 1e-6 * (1.0 + std::abs(one))) << kernel;
      }
      const double here = place[p];
      const double step = 1e-5 * std::abs(here);
      place[p] = here + step;
      const double above = many.value(place, 0.02);
      place[p] = here - step;
      const double below = many.value(place, 0.02);
      place[p] = here;
      const double slope = (above - below) / (2.0 * step);
      EXPECT_NEAR(slopes[p], slope, 1e-3 * (1.0 + std::abs(slope))) << kernel << ' ' << p;
    }
  }
}

// A walk of many rows, alone on all threads or on one, by the same bits; the user and the clock are
// asked inside of a step.
TEST_P(InferenceOfManyRows, AWalkIsTheSameOnAnyNumberOfThreadsAndCanBeStoppedAnywhere) {
  Random random(6);
  const RandomProblem problem = random_problem(2100, random, 0.2);
  const TrainingRows rows = problem.rows(0.5);
  const Expression kernel = parse_expression("SE_1*RQ_2 + LIN_2", InputNames::unnamed(2));
  const Numbers parameters = random_parameters(kernel, random);
  int num_asked = 0;
  int patience = std::numeric_limits<int>::max();
  const auto should_stop = [&] { return ++num_asked > patience; };
  std::vector<Numbers> numbers;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    num_asked = 0;
    Look look(parameters, Want::gradient_and_curvature);
    const Walk walk{&kernel, &rows, &look};
    inference().lead({&walk, 1}, threads, should_stop);
    Numbers& told = numbers.emplace_back(look.gradient());
    ASSERT_EQ(told.size(), parameters.size());
    told.push_back(look.value());
    const Matrix& information = look.curvature();
    told.insert(told.end(), information.data(),
                information.data() + parameters.size() * parameters.size());
    EXPECT_EQ(numbers.back(), numbers.front());
  }
  const int num_in_all = num_asked;
  // Covariances, factor, inverse, derivatives twice; a device is done before one could ask so
  // often.
  EXPECT_GT(num_in_all, GetParam() == &exact ? 400 : 3);
  for (const double share : {0.0, 0.3, 0.5, 0.7, 0.99}) {
    num_asked = 0;
    patience = static_cast<int>(share * num_in_all);
    Look look(parameters, Want::gradient_and_curvature);
    const Walk walk{&kernel, &rows, &look};
    if (patience == 0) {  // it has not begun
      inference().lead({&walk, 1}, 2, should_stop);
      EXPECT_FALSE(look.is_done());
    } else {
      EXPECT_THROW(inference().lead({&walk, 1}, 2, should_stop), WorkStopped) << share;
    }
    EXPECT_EQ(num_asked, patience + 1);
  }
}

}  // namespace
}  // namespace covary
