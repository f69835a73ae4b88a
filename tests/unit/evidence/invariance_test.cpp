// What must not change the evidence, and what no data may do to it.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/model.h>
#include <covary/random.h>
#include <covary/table.h>

#include "covariance/parameter_space.h"
#include "evidence/log_posterior.h"
#include "evidence/start_values.h"
#include "evidence/training_rows.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

struct Raw {
  std::vector<Numbers> inputs;
  Numbers target;
};

Raw random_raw(std::size_t num_rows, std::size_t num_inputs, Random& random) {
  Raw raw;
  raw.inputs.resize(num_inputs);
  for (std::size_t i = 0; i < num_rows; ++i) {
    double sum = 0.3 * random.normal();
    for (std::size_t c = 0; c < num_inputs; ++c) {
      raw.inputs[c].push_back(random.uniform());
      sum += std::sin((4.0 + 3.0 * static_cast<double>(c)) * raw.inputs[c].back());
    }
    raw.target.push_back(sum);
  }
  return raw;
}

Column column_of(const std::string& name, const Numbers& values) {
  Column column;
  column.name = name;
  column.values = values;
  return column;
}

// Through the door that users' tables take, scaling included.
Dataset scaled_dataset(const Raw& raw) {
  Table table;
  table.source = "test";
  table.num_rows = raw.target.size();
  table.line_steps = {{}};
  for (std::size_t c = 0; c < raw.inputs.size(); ++c) {
    table.columns.push_back(column_of(fmt::format("x{}", c + 1), raw.inputs[c]));
  }
  table.columns.push_back(column_of("y", raw.target));
  return make_dataset(table, {.target = "y"});
}

Expression parse(const std::string& text, std::size_t num_inputs = 1) {
  return parse_expression(text, InputNames::unnamed(num_inputs));
}

Evidence evaluate(const std::string& kernel, const Dataset& data, std::size_t threads = 1) {
  EvidenceOptions options;
  options.threads = threads;
  return make_oracle(data, options)->evaluate(parse(kernel, data.num_inputs()));
}

Numbers parameters_from_priors(const Expression& kernel, Random& random) {
  const ParameterSpace space(kernel);
  return space.natural(start_from_priors(space, random));
}

// −(n/2) log(2πσ²): y'K⁻¹y ≥ 0, and every eigenvalue of K is at least σ². Plus rounding.
double likelihood_bound(double noise_variance, std::size_t num_rows) {
  const auto n = static_cast<double>(num_rows);
  return -0.5 * n * std::log(2.0 * std::numbers::pi * noise_variance) + 1e-6;
}

// A line without slope is a constant: k = σ² x x' + σ_c² with σ² → 0 and σ_c² the constant's
// variance.
TEST(ConstantMean, IsTheKernelOfALineWithoutSlope) {
  Random random(31);
  for (int i = 0; i < 50; ++i) {
    const Raw raw = random_raw(25, 2, random);
    const Dataset data = scaled_dataset(raw);
    const Expression kernel = random_expression(random, 1 + random.index(4), 2);
    const Numbers parameters = parameters_from_priors(kernel, random);
    const FittedModel constant(kernel, parameters, data, MeanFunction::constant);
    Numbers with_line(parameters.begin(), parameters.end() - 1);
    with_line.insert(with_line.end(), {1e-18, constant_mean_variance, parameters.back()});
    const FittedModel line(kernel + parse("LIN_1", 2), with_line, data);
    EXPECT_NEAR(constant.log_marginal_likelihood(), line.log_marginal_likelihood(), 1e-7) << kernel;
    LogPosterior posterior(kernel, training_rows(data, MeanFunction::constant),
                           Laplace::consistent);
    posterior.value(posterior.space().free(parameters));
    EXPECT_NEAR(posterior.log_likelihood(), line.log_marginal_likelihood(), 1e-7) << kernel;
    const Prediction a = constant.predict(raw.inputs);
    const Prediction b = line.predict(raw.inputs);
    const Numbers covariance = constant.covariance(raw.inputs);
    for (std::size_t r = 0; r < a.mean.size(); ++r) {
      EXPECT_NEAR(a.mean[r], b.mean[r], 1e-7) << kernel;
      EXPECT_NEAR(a.sd[r], b.sd[r], 1e-7) << kernel;
      EXPECT_NEAR(covariance[r * a.mean.size() + r], a.latent_sd[r] * a.latent_sd[r], 1e-7);
    }
  }
}

TEST(Invariance, NoLikelihoodExceedsThatOfItsNoiseAlone) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Expression kernel = random_expression(random, 1 + random.index(8), 3);
    const Dataset data = scaled_dataset(random_raw(3 + random.index(30), 3, random));
    const FittedModel model(kernel, parameters_from_priors(kernel, random), data);
    EXPECT_LE(model.log_marginal_likelihood(),
              likelihood_bound(model.noise_variance(), data.num_rows()))
        << kernel;
  }
}

TEST(Invariance, EvidenceDoesNotDependOnTheOrderOfRows) {
  Random random(2);
  for (const char* kernel : {"SE_1 + LIN_2", "PER_1*SE_1", "CP_1(SE_1, RQ_2)", "MAT32_1*LIN_2"}) {
    const Raw raw = random_raw(40, 2, random);
    Raw reversed = raw;
    for (Numbers& column : reversed.inputs) std::reverse(column.begin(), column.end());
    std::reverse(reversed.target.begin(), reversed.target.end());
    const Evidence a = evaluate(kernel, scaled_dataset(raw));
    const Evidence b = evaluate(kernel, scaled_dataset(reversed));
    ASSERT_TRUE(a.value && b.value) << kernel;
    EXPECT_NEAR(*a.value, *b.value, 1e-6 * std::max(1.0, std::abs(*a.value))) << kernel;
  }
}

TEST(Invariance, SwappingTheSidesOfASumOrProductLeavesTheLikelihood) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Expression left = random_expression(random, 1 + random.index(3), 2);
    const Expression right = random_expression(random, 1 + random.index(3), 2);
    const Dataset data = scaled_dataset(random_raw(25, 2, random));
    const Numbers of_left = parameters_from_priors(left, random);
    const Numbers of_right = parameters_from_priors(right, random);
    constexpr double noise_variance = 0.01;
    const auto likelihood = [&](const Expression& kernel, Numbers first, const Numbers& second) {
      first.pop_back();  // the noise
      first.insert(first.end(), second.begin(), second.end());
      first.back() = noise_variance;
      return FittedModel(kernel, first, data).log_marginal_likelihood();
    };
    const double sum = likelihood(left + right, of_left, of_right);
    const double product = likelihood(left * right, of_left, of_right);
    EXPECT_NEAR(likelihood(right + left, of_right, of_left), sum, 1e-10 * std::abs(sum));
    EXPECT_NEAR(likelihood(right * left, of_right, of_left), product, 1e-10 * std::abs(product));
  }
}

// The numbers are multiples of 2^-10, so that none loses a digit when it is moved to 1e12; the mean
// of the target, the origin of the scaled one, is rounded to 1e-4 there.
TEST(Invariance, UnitsAndOriginsOfTheDataDoNotChangeTheEvidence) {
  Random random(4);
  Raw raw = random_raw(30, 1, random);
  for (Numbers* numbers : {raw.inputs.data(), &raw.target}) {
    for (double& value : *numbers) value = std::round(value * 1024.0) / 1024.0;
  }
  for (const char* kernel : {"SE", "LIN + SE", "PER"}) {
    const Evidence plain = evaluate(kernel, scaled_dataset(raw));
    ASSERT_TRUE(plain.value) << kernel;
    for (const double size : {1e9, 1e12}) {
      Raw shifted = raw;
      Raw stretched = raw;
      Raw shrunk = raw;
      for (std::size_t i = 0; i < raw.target.size(); ++i) {
        shifted.inputs[0][i] += size;
        shifted.target[i] -= size;
        stretched.inputs[0][i] = (raw.inputs[0][i] - 3.0) * size;
        stretched.target[i] = (raw.target[i] + 5.0) * size;
        shrunk.inputs[0][i] /= size;
        shrunk.target[i] /= size;
      }
      for (const Raw* moved : {&shifted, &stretched, &shrunk}) {
        const Evidence other = evaluate(kernel, scaled_dataset(*moved));
        ASSERT_TRUE(other.value) << kernel;
        EXPECT_NEAR(*other.value / 30.0, *plain.value / 30.0, 1e-5)
            << kernel << ", size " << size << ", variant "
            << (moved == &shifted     ? "shifted"
                : moved == &stretched ? "stretched"
                                      : "shrunk");
      }
    }
  }
}

TEST(Invariance, TheNumberOfThreadsDoesNotChangeABit) {
  Random random(5);
  const Dataset data = scaled_dataset(random_raw(50, 2, random));
  for (const char* kernel : {"SE_1*LIN_2 + PER_1", "CP_2(SE_1, MAT52_2)"}) {
    const Evidence one = evaluate(kernel, data, 1);
    const Evidence two = evaluate(kernel, data, 2);
    EXPECT_EQ(one.value, two.value) << kernel;
    EXPECT_EQ(one.parameters, two.parameters) << kernel;
    EXPECT_EQ(one.log_posterior, two.log_posterior) << kernel;
    EXPECT_EQ(one.gradient_evaluations, two.gradient_evaluations) << kernel;
  }
}

struct Hard {
  std::string name;
  Raw raw;
};

std::vector<Hard> hard_data() {
  Random random(6);
  const Raw usual = random_raw(25, 2, random);

  Raw duplicates = usual;
  for (std::size_t i = 1; i < 20; ++i) {
    for (Numbers& column : duplicates.inputs) column[i] = column[0];
  }
  Raw noise_free = usual;
  Raw line = usual;
  Raw two_values = usual;
  Raw outlier = usual;
  for (std::size_t i = 0; i < usual.target.size(); ++i) {
    noise_free.target[i] = std::sin(6.0 * usual.inputs[0][i]) + usual.inputs[1][i];
    line.target[i] = 3.0 * usual.inputs[0][i] - 1.0;
    for (Numbers& column : two_values.inputs) column[i] = column[i] < 0.5 ? 0.0 : 1.0;
  }
  outlier.target[7] += 1e6;
  Raw one_step = usual;
  for (std::size_t i = 0; i < one_step.target.size(); ++i) one_step.target[i] = i == 3 ? 1.0 : 0.0;

  return {{"duplicate inputs", duplicates},
          {"noise-free", noise_free},
          {"an exact line", line},
          {"inputs of two values", two_values},
          {"an outlier", outlier},
          {"all rows equal but one", one_step},
          {"three rows", random_raw(3, 2, random)}};
}

void expect_sound(const Evidence& evidence, std::size_t num_rows, const std::string& what) {
  EXPECT_FALSE(evidence.message.empty()) << what;
  if (!evidence.value) {
    EXPECT_NE(evidence.outcome, FitOutcome::converged) << what << ": " << evidence.message;
    return;
  }
  EXPECT_TRUE(std::isfinite(*evidence.value)) << what;
  EXPECT_TRUE(std::isfinite(evidence.log_marginal_likelihood)) << what;
  EXPECT_LE(evidence.log_marginal_likelihood,
            likelihood_bound(evidence.parameters.back(), num_rows))
      << what;
  EXPECT_TRUE(std::isfinite(evidence.log_prior)) << what;
  for (const double parameter : evidence.parameters) EXPECT_TRUE(std::isfinite(parameter)) << what;
}

void expect_sound(const Prediction& prediction, double noise_sd, const std::string& what) {
  for (std::size_t i = 0; i < prediction.mean.size(); ++i) {
    EXPECT_TRUE(std::isfinite(prediction.mean[i])) << what;
    EXPECT_GE(prediction.latent_sd[i], 0.0) << what;
    EXPECT_GE(prediction.sd[i], prediction.latent_sd[i]) << what;
    EXPECT_GE(prediction.sd[i], noise_sd * (1.0 - 1e-12)) << what;
  }
}

TEST(Invariance, HardDataGiveANumberOrAReasonAndNeverNaN) {
  for (const Hard& hard : hard_data()) {
    const Dataset data = scaled_dataset(hard.raw);
    for (const char* kernel :
         {"SE_1", "LIN_1", "PER_1", "SE_1*SE_2 + LIN_1*PER_2", "CP_1(RQ_1, MAT32_2)"}) {
      const std::string what = fmt::format("{} on {}", kernel, hard.name);
      const Evidence evidence = evaluate(kernel, data);
      expect_sound(evidence, data.num_rows(), what);
      if (!evidence.value) continue;
      const FittedModel model(parse(kernel, 2), evidence.parameters, data);
      const double noise_sd = std::sqrt(model.noise_variance()) * data.target_scaling().factor;
      expect_sound(model.predict(hard.raw.inputs), noise_sd, what);
      expect_sound(model.predict({{-5.0, 0.5, 20.0}, {0.0, 0.5, -100.0}}), noise_sd, what);
      for (const double density : model.leave_one_out_log_density()) {
        EXPECT_TRUE(std::isfinite(density)) << what;
      }
    }
  }
}

}  // namespace
}  // namespace covary
