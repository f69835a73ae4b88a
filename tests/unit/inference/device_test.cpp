// Devices, by the emulation of their interface on the host, which can be told to fail.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <covary/error.h>
#include <covary/random.h>

#include "inference/device/device_choice.h"
#include "inference/device/device_library.h"
#include "optim/look.h"
#include "optim/maximize.h"
#include "unit/inference/random_problem.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

// Set while it lives.
class Fault {
 public:
  Fault(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
  ~Fault() { unsetenv(name_); }

 private:
  const char* name_;
};

std::shared_ptr<DeviceConnection> emulated(std::string& why) {
  const auto library = DeviceLibrary::load(COVARY_EMULATED_DEVICE, why);
  return library ? DeviceConnection::open(library->api(), 0, why) : nullptr;
}

std::shared_ptr<DeviceConnection> emulated() {
  std::string why;
  auto connection = emulated(why);
  EXPECT_NE(connection, nullptr) << why;
  return connection;
}

// Every base kernel by itself, then trees with all operators.
std::vector<Expression> kernels(Random& random) {
  std::vector<Expression> result;
  for (const BaseKernel* kernel : all_base_kernels()) {
    result.push_back(Expression(BoundKernel{kernel, 0, 0.3}));
  }
  for (int i = 0; i < 40; ++i) result.push_back(random_expression(random, 2 + random.index(6), 2));
  return result;
}

TEST(Device, HasTheNumbersOfTheHostForEveryKernel) {
  Random random(1);
  const RandomProblem problem = random_problem(40, random, 0.2);
  const TrainingRows rows = problem.rows(0.7);
  const DeviceInference device(emulated());
  for (const Expression& kernel : kernels(random)) {
    const Numbers place = random_parameters(kernel, random);
    const std::size_t size = place.size();
    const auto mine = device.likelihood(kernel, rows, {});
    const auto theirs = exact_inference().likelihood(kernel, rows);
    const double expected = theirs->value(place, {});
    EXPECT_NEAR(mine->value(place, {}), expected, 1e-9 * std::abs(expected)) << kernel;
    EXPECT_EQ(mine->jitter(), theirs->jitter());
    Numbers gradient(size);
    Numbers expected_gradient(size);
    Matrix information(size, size);
    Matrix expected_information(size, size);
    mine->gradient_and_information(gradient, information);
    theirs->gradient_and_information(expected_gradient, expected_information);
    for (std::size_t p = 0; p < size; ++p) {
      const double g = expected_gradient[p];
      EXPECT_NEAR(gradient[p], g, 1e-9 * (1.0 + std::abs(g))) << kernel << ' ' << p;
      for (std::size_t q = 0; q < size; ++q) {
        const double h = expected_information(p, q);
        EXPECT_NEAR(information(p, q), h, 1e-9 * (1.0 + std::abs(h))) << kernel;
      }
    }
  }
}

// The numbers of walks uphill, led by some threads at once on one connection.
std::vector<Numbers> ends(const Inference& inference, std::size_t num_threads,
                          std::string* remark = nullptr) {
  Random random(2);
  const RandomProblem problem = random_problem(30, random, 0.2);
  const TrainingRows rows = problem.rows();
  std::vector<Expression> all;
  std::vector<std::unique_ptr<MaximizingStepper>> steppers;
  MaximizeOptions options;
  options.max_step = 0.01;
  options.max_iterations = 4;
  for (int i = 0; i < 24; ++i) all.push_back(random_expression(random, 1 + random.index(4), 2));
  for (const Expression& kernel : all) {
    steppers.push_back(newton_stepper(random_parameters(kernel, random), options));
  }
  const auto lead = [&](std::size_t begin, std::size_t end) {
    std::vector<Walk> walks;
    for (std::size_t i = begin; i < end; ++i) walks.push_back({&all[i], &rows, steppers[i].get()});
    const WalkCosts costs = inference.lead(walks, 1, {});
    if (remark != nullptr) *remark = costs.remark;
  };
  std::vector<std::jthread> threads;
  const std::size_t share = all.size() / num_threads;
  for (std::size_t t = 0; t < num_threads; ++t)
    threads.emplace_back(lead, t * share, (t + 1) * share);
  threads.clear();
  std::vector<Numbers> result;
  for (const auto& stepper : steppers) {
    EXPECT_TRUE(stepper->is_done());
    result.emplace_back(stepper->place().begin(), stepper->place().end());
  }
  return result;
}

TEST(Device, WalksOfSeveralThreadsAreTheSameBitByBit) {
  const DeviceInference device(emulated());
  const auto alone = ends(device, 1);
  for (const std::size_t num_threads : {2U, 4U, 6U}) {
    EXPECT_EQ(ends(device, num_threads), alone) << num_threads;
  }
}

void expect_near(const std::vector<Numbers>& a, const std::vector<Numbers>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    for (std::size_t p = 0; p < a[i].size(); ++p) {
      EXPECT_NEAR(a[i][p], b[i][p], 1e-4 * (1.0 + std::abs(b[i][p])));
    }
  }
}

TEST(Device, WalksGoOnOnTheHostWhenTheDeviceIsLost) {
  const auto expected = ends(exact_inference(), 1);
  for (const int life : {0, 1, 2, 3, 7}) {
    const Fault fault("COVARY_EMULATED_LIFE", std::to_string(life));
    const DeviceInference device(emulated());
    std::string remark;
    expect_near(ends(device, 1, &remark), expected);
    EXPECT_EQ(remark, "the CPU went on for the device: the device was lost");
    expect_near(ends(device, 3), expected);
  }
}

TEST(Device, WalksWaitForEachOtherWhereMemoryIsShortAndGoOnOnTheHostWithoutAny) {
  const auto expected = ends(exact_inference(), 1);
  for (const int num_places : {0, 1, 2, 5}) {
    const double bytes = (num_places + 0.5) * 8.0 * 30.0 * 30.0 / 0.85;
    const Fault fault("COVARY_EMULATED_MEMORY", std::to_string(bytes));
    const DeviceInference device(emulated());
    expect_near(ends(device, 1), expected);
    expect_near(ends(device, 4), expected);
  }
}

TEST(Device, LikelihoodsGoOnOnTheHost) {
  Random random(3);
  const RandomProblem problem = random_problem(25, random, 0.2);
  const TrainingRows rows = problem.rows();
  const Expression kernel = parse_expression("SE_1 + LIN_2", InputNames::unnamed(2));
  const Numbers place = random_parameters(kernel, random);
  const auto host = exact_inference().likelihood(kernel, rows);
  const double value = host->value(place, {});
  Numbers gradient(place.size());
  host->gradient(gradient);
  for (const int life : {0, 1, 2}) {
    const Fault fault("COVARY_EMULATED_LIFE", std::to_string(life));
    const DeviceInference device(emulated());
    const auto likelihood = device.likelihood(kernel, rows, {});
    EXPECT_NEAR(likelihood->value(place, {}), value, 1e-9 * std::abs(value));
    Numbers found(place.size());
    likelihood->gradient(found);
    for (std::size_t p = 0; p < place.size(); ++p) {
      EXPECT_NEAR(found[p], gradient[p], 1e-8 * (1.0 + std::abs(gradient[p])));
    }
    EXPECT_NEAR(likelihood->value(place, 0.02), host->value(place, 0.02), 1e-8);
  }
}

TEST(Device, TakesAsMuchOffTheDiagonalAsTheHost) {
  // Twice the same row and no noise to speak of.
  RandomProblem problem;
  problem.x = {{0.1, 0.1, 0.5, 0.9}, {0.2, 0.2, 0.4, 0.7}};
  problem.y = {0.3, 0.3, -0.4, 1.0};
  const TrainingRows rows = problem.rows();
  const Expression kernel = parse_expression("SE_1", InputNames::unnamed(2));
  const Numbers place = {0.5, 1.0, 1e-20};
  const DeviceInference device(emulated());
  const auto mine = device.likelihood(kernel, rows, {});
  const auto theirs = exact_inference().likelihood(kernel, rows);
  const double expected = theirs->value(place, {});
  EXPECT_GT(theirs->jitter(), 0.0);
  EXPECT_NEAR(mine->value(place, {}), expected, 1e-5 * std::abs(expected));
  EXPECT_EQ(mine->jitter(), theirs->jitter());
  EXPECT_NEAR(mine->diagonal(), theirs->diagonal(), 1e-15);
  // With a given diagonal, more of it would be another function.
  EXPECT_EQ(mine->value(place, 0.0), -std::numeric_limits<double>::infinity());
}

TEST(Device, RefusesRowsThatDoNotFitWithTheNumberThatDoes) {
  const Fault fault("COVARY_EMULATED_MEMORY", "8e8");
  const auto connection = emulated();
  EXPECT_TRUE(connection->has_room(9'000));
  try {
    connection->check_room(20'000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    EXPECT_STREQ(error.what(),
                 "the exact likelihood of 20000 rows needs 3.2 GB of the device's memory, and "
                 "emulated device can give it 0.7 GB; at most 9200 rows fit: --rows 9200, or "
                 "--device cpu");
  }
}

TEST(Device, SaysInOneSentenceWhyThereIsNone) {
  std::string why;
  EXPECT_EQ(DeviceLibrary::load("/nowhere/libcovary_cuda.so", why), nullptr);
  EXPECT_EQ(why, "there is no file /nowhere/libcovary_cuda.so");
  const Fault fault("COVARY_EMULATED_DEVICES", "0");
  EXPECT_EQ(emulated(why), nullptr);
  EXPECT_EQ(why, "there is no driver of a GPU");
}

TEST(Device, IsChosenByWords) {
  EXPECT_EQ(DeviceChoice::from("auto").kind, DeviceChoice::Kind::automatic);
  EXPECT_EQ(DeviceChoice::from("cpu").kind, DeviceChoice::Kind::cpu);
  EXPECT_EQ(DeviceChoice::from("cuda").index, 0);
  EXPECT_EQ(DeviceChoice::from("cuda:3").index, 3);
  for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CUDA"}) {
    EXPECT_THROW(static_cast<void>(DeviceChoice::from(text)), Error) << text;
  }
  EXPECT_EQ(&inference_for(100, DeviceChoice::cpu()), &exact_inference());
  EXPECT_EQ(&inference_for(most_exact_rows + 1, DeviceChoice::cpu()), &sparse_inference());
}

}  // namespace
}  // namespace covary
