// Exact GP numbers against those of tests/reference/make_reference.py, which shares no code with
// the library.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <covary/model.h>

#include "covariance/parameter_space.h"
#include "evidence/log_posterior.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

struct Case {
  std::string text;
  Expression kernel;
  std::vector<Numbers> inputs;
  Numbers target;
  Numbers parameters;
  std::vector<Numbers> new_inputs;
  double log_marginal_likelihood;
  double log_prior;
  Numbers mean;
  Numbers latent_variance;
  Numbers variance;
  Numbers leave_one_out_log_density;
};

std::vector<Case> all_cases() {
  std::ifstream file(COVARY_TESTS_DIR "/reference/gp_reference.json");
  std::vector<Case> cases;
  for (const nlohmann::json& json : nlohmann::json::parse(file)) {
    const std::string text = json.at("kernel");
    cases.push_back({text, parse_expression(text, InputNames::unnamed(json.at("num_inputs"))),
                     json.at("inputs"), json.at("target"), json.at("parameters"),
                     json.at("new_inputs"), json.at("log_marginal_likelihood"),
                     json.at("log_prior"), json.at("mean"), json.at("latent_variance"),
                     json.at("variance"), json.at("leave_one_out_log_density")});
  }
  return cases;
}

// The case's numbers as scaled ones, whose raw values are offset + factor * scaled.
Dataset dataset_of(const Case& c, double offset = 0.0, double factor = 1.0) {
  std::vector<Scaling> scalings;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    scalings.push_back({fmt::format("x{}", i + 1), ColumnType::number, offset, factor});
  }
  return {c.inputs, c.target, scalings, {"y", ColumnType::number, offset, factor}, "", {}};
}

constexpr double tolerance = 1e-8;

void expect_close(double value, double reference, const std::string& what) {
  EXPECT_NEAR(value, reference, tolerance * std::max(1.0, std::abs(reference))) << what;
}

void expect_close(const Numbers& values, const Numbers& references, const std::string& what) {
  ASSERT_EQ(values.size(), references.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    expect_close(values[i], references[i], fmt::format("{} of point {}", what, i + 1));
  }
}

Numbers squares(Numbers values) {
  for (double& value : values) value *= value;
  return values;
}

TEST(Reference, EveryBaseKernelAndOperatorHasACase) {
  std::string all_text;
  for (const Case& c : all_cases()) all_text += c.text + "\n";
  for (const BaseKernel* kernel : all_base_kernels()) {
    // Those are held to PER, which has cases (calendar_kernel_test.cpp).
    if (kernel->calendar_unit != CalendarUnit::none) continue;
    EXPECT_NE(all_text.find(std::string(kernel->name)), std::string::npos) << kernel->name;
  }
  for (const Operator* op : all_operators()) {
    EXPECT_NE(all_text.find(std::string(op->symbol)), std::string::npos) << op->symbol;
  }
}

TEST(Reference, LogMarginalLikelihoodIsThatOfIndependentCode) {
  for (const Case& c : all_cases()) {
    const FittedModel model(c.kernel, c.parameters, dataset_of(c));
    EXPECT_EQ(model.jitter(), 0.0) << c.text;
    expect_close(model.log_marginal_likelihood(), c.log_marginal_likelihood, c.text);
  }
}

TEST(Reference, LogPriorIsThatOfIndependentCode) {
  for (const Case& c : all_cases()) {
    expect_close(ParameterSpace(c.kernel).log_prior(c.parameters), c.log_prior, c.text);
  }
}

// The density of γ, and, with the Jacobian, that of u where γ = log(1 + eᵘ): dγ/du = 1 − e^−γ.
TEST(Reference, LogPosteriorIsLikelihoodTimesPriorTimesJacobian) {
  for (const Case& c : all_cases()) {
    const Dataset data = dataset_of(c);
    InputColumns columns;
    for (std::size_t i = 0; i < data.num_inputs(); ++i) columns.push_back(data.input(i));
    const ParameterSpace space(c.kernel);
    const Numbers place = space.free(c.parameters);
    double log_jacobian = 0.0;
    for (std::size_t i = 0; i < space.size(); ++i) {
      const double above_bound = c.parameters[i] - space[i].lower_bound;
      if (space[i].parameter.prior.is_positive()) {
        log_jacobian += std::log(-std::expm1(-above_bound));
      }
    }
    LogPosterior natural(c.kernel, {columns, data.target()}, Laplace::reference);
    LogPosterior free(c.kernel, {columns, data.target()}, Laplace::consistent);
    const double expected = c.log_marginal_likelihood + c.log_prior;
    expect_close(natural.value(place), expected, c.text);
    expect_close(free.value(place), expected + log_jacobian, c.text);
  }
}

TEST(Reference, PredictionsAreThoseOfIndependentCode) {
  for (const Case& c : all_cases()) {
    const FittedModel model(c.kernel, c.parameters, dataset_of(c));
    const Prediction prediction = model.predict(c.new_inputs);
    expect_close(prediction.mean, c.mean, c.text + ": mean");
    expect_close(squares(prediction.latent_sd), c.latent_variance, c.text + ": latent variance");
    expect_close(squares(prediction.sd), c.variance, c.text + ": variance");
  }
}

TEST(Reference, PredictionsComeInTheUnitsOfTheData) {
  constexpr double offset = -3.0;
  constexpr double factor = 2.5;
  for (Case c : all_cases()) {
    for (Numbers& column : c.new_inputs) {
      for (double& x : column) x = offset + factor * x;
    }
    for (double& mean : c.mean) mean = offset + factor * mean;
    for (double& variance : c.latent_variance) variance *= factor * factor;
    for (double& variance : c.variance) variance *= factor * factor;
    const FittedModel model(c.kernel, c.parameters, dataset_of(c, offset, factor));
    const Prediction prediction = model.predict(c.new_inputs);
    expect_close(model.log_marginal_likelihood(), c.log_marginal_likelihood, c.text);
    expect_close(prediction.mean, c.mean, c.text + ": mean");
    expect_close(squares(prediction.latent_sd), c.latent_variance, c.text + ": latent variance");
    expect_close(squares(prediction.sd), c.variance, c.text + ": variance");
  }
}

TEST(Reference, LeaveOneOutIsAsIfEachRowHadBeenLeftOut) {
  for (const Case& c : all_cases()) {
    const FittedModel model(c.kernel, c.parameters, dataset_of(c));
    expect_close(model.leave_one_out_log_density(), c.leave_one_out_log_density, c.text);
  }
}

}  // namespace
}  // namespace covary
