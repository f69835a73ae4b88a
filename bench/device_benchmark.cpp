// What a device computes, against this machine's cores: differences of values, gradients and
// information over random kernels, times of many small matrices together, and of one large one.
//   device_benchmark [--library FILE] [--check N] [--small ROWS,BATCH]... [--large ROWS]...
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "inference/device/device_inference.h"
#include "inference/device/device_library.h"
#include "optim/look.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Problem {
  std::vector<Numbers> x;
  Numbers y;
  TrainingRows rows(double constant = 0.0) const { return {{x.begin(), x.end()}, y, constant}; }
};

Problem make_problem(std::size_t n, std::size_t num_inputs, Random& random) {
  Problem problem;
  problem.x.resize(num_inputs);
  for (std::size_t i = 0; i < n; ++i) {
    for (Numbers& column : problem.x) column.push_back(random.uniform());
    double y = 0.3 * random.normal();
    for (const Numbers& column : problem.x) y += std::sin(7.0 * column[i]);
    problem.y.push_back(y / std::sqrt(static_cast<double>(num_inputs)));
  }
  return problem;
}

Numbers moderate_parameters(const Expression& kernel, Random& random) {
  const ParameterSpace space(kernel);
  Numbers parameters;
  for (std::size_t p = 0; p < space.size(); ++p) {
    parameters.push_back(quantile(space[p].parameter.prior, 0.3 + 0.5 * random.uniform()));
  }
  parameters.back() = 0.05 + 0.1 * random.uniform();
  return parameters;
}

Expression random_kernel(Random& random, std::size_t num_leaves, std::size_t num_inputs) {
  std::vector<const BaseKernel*> kernels;
  for (const BaseKernel* kernel : all_base_kernels()) kernels.push_back(kernel);
  if (num_leaves == 1) {
    BoundKernel leaf{kernels[random.index(kernels.size())], random.index(num_inputs)};
    if (leaf.kernel->calendar_unit != CalendarUnit::none) leaf.period = 0.17;
    return leaf;
  }
  const std::size_t num_left = 1 + random.index(num_leaves - 1);
  const auto operators = all_operators();
  const BoundOperator op{operators[random.index(operators.size())], random.index(num_inputs)};
  const Expression left = random_kernel(random, num_left, num_inputs);
  return Expression::join(op, left, random_kernel(random, num_leaves - num_left, num_inputs));
}

double difference(std::span<const double> a, std::span<const double> b) {
  double size = 0.0;
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max(size, std::abs(b[i]));
    most = std::max(most, std::isfinite(a[i]) ? std::abs(a[i] - b[i]) : 1e300);
  }
  return size > 0.0 ? most / size : most;
}

void check(const Inference& device, std::size_t num_kernels, std::size_t n, std::size_t seed) {
  Random random(seed);
  const Problem problem = make_problem(n, 2, random);
  double worst_value = 0.0;
  double worst_gradient = 0.0;
  double worst_information = 0.0;
  double worst_repeat = 0.0;
  std::size_t num_unequal = 0;
  std::vector<Expression> kernels;
  std::vector<Numbers> places;
  std::vector<Numbers> alone;
  const TrainingRows rows = problem.rows(1.0);
  for (std::size_t i = 0; i < num_kernels; ++i) {
    const Expression kernel = i < all_base_kernels().size()
                                  ? Expression(BoundKernel{all_base_kernels()[i], 0, 0.3})
                                  : random_kernel(random, 1 + random.index(7), 2);
    const Numbers place = moderate_parameters(kernel, random);
    const std::size_t size = place.size();
    const auto mine = device.likelihood(kernel, rows, {});
    const auto theirs = exact_inference().likelihood(kernel, rows);
    const double value = mine->value(place, {});
    const double expected = theirs->value(place, {});
    if (!std::isfinite(expected)) {
      if (std::isfinite(value)) ++num_unequal;
      continue;
    }
    Numbers gradient(size);
    Numbers wanted(size);
    Matrix information(size, size);
    Matrix wanted_information(size, size);
    mine->gradient_and_information(gradient, information);
    theirs->gradient_and_information(wanted, wanted_information);
    const double v = std::abs(value - expected) / std::abs(expected);
    const double g = difference(gradient, wanted);
    const double h =
        difference({information.data(), size * size}, {wanted_information.data(), size * size});
    if (!(v < 1e-9) || !(g < 1e-8) || !(h < 1e-8)) {
      std::string text = to_string(kernel);
      fmt::print("  differs: {} value {:.1e} gradient {:.1e} information {:.1e}\n", text, v, g, h);
    }
    worst_value = std::max(worst_value, v);
    worst_gradient = std::max(worst_gradient, g);
    worst_information = std::max(worst_information, h);
    kernels.push_back(kernel);
    places.push_back(place);
    alone.push_back(gradient);
    alone.back().push_back(value);
  }
  // All of them in one batch.
  std::vector<Look> looks;
  std::vector<Walk> walks;
  looks.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    looks.emplace_back(places[i], i % 2 == 0 ? Want::gradient : Want::gradient_and_curvature);
    walks.push_back({&kernels[i], &rows, &looks.back()});
  }
  device.lead(walks, 1, {});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Numbers together = looks[i].gradient();
    together.push_back(looks[i].value());
    worst_repeat = std::max(worst_repeat, difference(together, alone[i]));
    if (together != alone[i]) ++num_unequal;
  }
  fmt::print(
      "n {:5} {} kernels: relative differences: value {:.1e}, gradient {:.1e}, information "
      "{:.1e}; of a batch to each alone {:.1e}, not equal {}\n",
      n, kernels.size(), worst_value, worst_gradient, worst_information, worst_repeat, num_unequal);
  std::fflush(stdout);
}

// SE, RQ, PER and LIN on three inputs, as searches have them.
void time_small(const Inference& device, std::size_t n, std::size_t batch) {
  Random random(1);
  const Problem problem = make_problem(n, 5, random);
  const TrainingRows rows = problem.rows();
  const InputNames names = InputNames::unnamed(5);
  const std::vector<Expression> kernels = {parse_expression("SE_1*SE_2 + SE_3*LIN_4", names),
                                           parse_expression("RQ_1 + PER_2*SE_5", names),
                                           parse_expression("SE_1*SE_2*SE_3*SE_4*SE_5", names),
                                           parse_expression("SE_1 + MAT32_2 + LIN_3*SE_4", names)};
  std::vector<Numbers> places;
  for (std::size_t i = 0; i < batch; ++i) {
    places.push_back(moderate_parameters(kernels[i % 4], random));
  }
  for (const Want want : {Want::nothing, Want::gradient, Want::gradient_and_curvature}) {
    double best = 1e300;
    for (int repeat = 0; repeat < 4; ++repeat) {
      std::vector<Look> looks;
      std::vector<Walk> walks;
      looks.reserve(batch);
      for (std::size_t i = 0; i < batch; ++i) {
        looks.emplace_back(places[i], want);
        walks.push_back({&kernels[i % 4], &rows, &looks.back()});
      }
      const double start = now();
      device.lead(walks, 1, {});
      best = std::min(best, now() - start);
    }
    const char* what = want == Want::nothing    ? "value"
                       : want == Want::gradient ? "value+gradient"
                                                : "value+gradient+information";
    fmt::print("n {:5} x {:4} {:27}: {:8.3f} ms, {:.4f} ms each\n", n, batch, what, 1e3 * best,
               1e3 * best / static_cast<double>(batch));
    std::fflush(stdout);
  }
}

void time_large(const DeviceInference& device, std::size_t n, bool compares) {
  Random random(2);
  const Problem problem = make_problem(n, 8, random);
  const TrainingRows rows = problem.rows();
  const InputNames names = InputNames::unnamed(8);
  const std::vector<std::string> texts = {"SE_1*SE_2*SE_3*SE_4*SE_5*SE_6*SE_7*SE_8",
                                          "SE_1*SE_2 + SE_3*RQ_4 + MAT32_5*SE_6 + SE_7*SE_8"};
  for (const std::string& text : texts) {
    const Expression kernel = parse_expression(text, names);
    const Numbers place = moderate_parameters(kernel, random);
    const auto likelihood = device.likelihood(kernel, rows, {});
    Numbers gradient(place.size());
    Matrix information(place.size(), place.size());
    double value_time = 1e300;
    double gradient_time = 1e300;
    double information_time = 1e300;
    double value = 0.0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const double start = now();
      value = likelihood->value(place, {});
      const double middle = now();
      if (!std::isfinite(value)) break;
      likelihood->gradient(gradient);
      const double end = now();
      value_time = std::min(value_time, middle - start);
      gradient_time = std::min(gradient_time, end - middle);
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
      likelihood->value(place, {});
      const double start = now();
      likelihood->gradient_and_information(gradient, information);
      information_time = std::min(information_time, now() - start);
    }
    fmt::print(
        "n {:6} {}: value {:.1f} ms, gradient {:.1f} ms, together {:.1f} ms; gradient with "
        "information {:.1f} ms; value {:.6f}\n",
        n, text, 1e3 * value_time, 1e3 * gradient_time, 1e3 * (value_time + gradient_time),
        1e3 * information_time, value);
    std::fflush(stdout);
    if (!compares) continue;
    const auto host = exact_inference().likelihood(kernel, rows);
    Numbers expected(place.size());
    Matrix expected_information(place.size(), place.size());
    const double start = now();
    const double host_value = host->value(place, {});
    host->gradient_and_information(expected, expected_information);
    const std::size_t size = place.size() * place.size();
    fmt::print(
        "  the host takes {:.2f} s; relative differences: value {:.1e}, gradient {:.1e}, "
        "information {:.1e}\n",
        now() - start, std::abs(value - host_value) / std::abs(host_value),
        difference(gradient, expected),
        difference({information.data(), size}, {expected_information.data(), size}));
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  std::string path;
  std::vector<std::function<void(const DeviceInference&, DeviceConnection&)>> steps;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    const std::string text = argv[i + 1];
    const auto number = static_cast<std::size_t>(std::atol(text.c_str()));
    const std::size_t comma = text.find(',');
    const auto second = comma == std::string::npos
                            ? std::size_t{0}
                            : static_cast<std::size_t>(std::atol(text.c_str() + comma + 1));
    if (flag == "--library") path = text;
    if (flag == "--check") {
      steps.emplace_back([=](const DeviceInference& d, DeviceConnection&) {
        check(d, second, number, 7 + number);
      });
    }
    if (flag == "--small") {
      steps.emplace_back(
          [=](const DeviceInference& d, DeviceConnection&) { time_small(d, number, second); });
    }
    if (flag == "--large" || flag == "--compare") {
      steps.emplace_back([=](const DeviceInference& d, DeviceConnection&) {
        time_large(d, number, flag == "--compare");
      });
    }
    if (flag == "--factor") {
      steps.emplace_back([=](const DeviceInference&, DeviceConnection& c) {
        const double seconds = c.factor_seconds(number);
        fmt::print("n {:6} dpotrf alone {:.1f} ms\n", number, 1e3 * seconds);
        std::fflush(stdout);
      });
    }
  }
  std::string why;
  const auto library = DeviceLibrary::load(path, why);
  const auto connection =
      library != nullptr ? DeviceConnection::open(library->api(), 0, why) : nullptr;
  if (connection == nullptr) {
    fmt::print("no device: {}\n", why);
    return 1;
  }
  fmt::print("{} by {}, {:.1f} GB free\n", connection->description().name,
             connection->description().library, 1e-9 * connection->description().free_bytes);
  std::fflush(stdout);
  const DeviceInference device(connection);
  for (const auto& step : steps) step(device, *connection);
  if (!connection->what().empty()) fmt::print("the device said: {}\n", connection->what());
  return 0;
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) { return covary::run(argc, argv); }
