#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/model.h>

#include "covariance/compiled_kernel.h"
#include "covariance/parameter_space.h"
#include "evidence/training_rows.h"
#include "gp/gaussian_draws.h"
#include "gp/posterior.h"
#include "inference/inference.h"

namespace covary {
namespace {

constexpr std::size_t rows_at_a_time = 512;  // of new points: bounds memory, not the result

}  // namespace

struct FittedModel::State {
  Expression kernel;
  std::vector<double> parameters;
  Dataset data;
  MeanFunction mean_function;
  CompiledKernel compiled;
  InputColumns inputs;
  std::unique_ptr<const Posterior> posterior;

  State(Expression expression, std::vector<double> values, Dataset dataset, MeanFunction mean)
      : kernel(std::move(expression)),
        parameters(std::move(values)),
        data(std::move(dataset)),
        mean_function(mean),
        compiled(kernel) {
    for (std::size_t i = 0; i < data.num_inputs(); ++i) inputs.push_back(data.input(i));
  }

  std::span<const double> kernel_parameters() const {
    return {parameters.data(), compiled.num_parameters()};
  }
  // What an unknown constant adds to every covariance.
  double constant_variance() const {
    return mean_function == MeanFunction::constant ? constant_mean_variance : 0.0;
  }

  void check_parameters() const;
  void condition();
  Prediction predict(const InputColumns& scaled_points) const;
};

void FittedModel::State::check_parameters() const {
  const ParameterSpace space(kernel);
  if (parameters.size() != space.size()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the kernel has {} parameters with the noise variance, not {}",
                            space.size(), parameters.size()));
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    const bool is_fine = std::isfinite(parameters[i]) &&
                         (!space[i].parameter.prior.is_positive() || parameters[i] > 0.0);
    if (!is_fine) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("parameter {} ({} of {}) is {}, which is out of its range", i + 1,
                              space[i].parameter.name, space[i].owner, parameters[i]));
    }
  }
}

void FittedModel::State::condition() {
  posterior = inference_for(data.num_rows())
                  .posterior(kernel, parameters, training_rows(data, mean_function));
  if (posterior == nullptr) {
    throw Error(ErrorKind::bad_data,
                "the covariance matrix cannot be factored with these parameters");
  }
}

Prediction FittedModel::State::predict(const InputColumns& scaled_points) const {
  const Scaling& unit = data.target_scaling();
  const double noise = parameters.back();
  const std::size_t num_points = scaled_points[0].size();
  Prediction prediction;
  prediction.transform = unit.transform;
  if (unit.transform != TargetTransform::none) prediction.parts.resize(1);
  for (std::size_t first = 0; first < num_points; first += rows_at_a_time) {
    const std::size_t size = std::min(rows_at_a_time, num_points - first);
    InputColumns points;
    for (const auto& column : scaled_points) points.push_back(column.subspan(first, size));
    Matrix cross(data.num_rows(), size);
    compiled.cross(kernel_parameters(), inputs, points, cross);
    std::vector<double> prior(size);
    compiled.diagonal(kernel_parameters(), points, prior);
    const std::vector<double> white = compiled.noise(kernel_parameters(), points);
    for (std::size_t i = 0; i < size; ++i) prior[i] -= white[i];
    if (constant_variance() > 0.0) {
      std::for_each_n(cross.data(), data.num_rows() * size,
                      [&](double& k) { k += constant_variance(); });
      for (double& k : prior) k += constant_variance();
    }
    const std::vector<double> mean = posterior->mean(cross);
    const std::vector<double> variance = posterior->variance(cross, prior);
    for (std::size_t i = 0; i < size; ++i) {
      const double sd = std::sqrt(variance[i] + white[i] + noise);
      const Moments moments = unit.raw_moments(mean[i], sd);
      prediction.mean.push_back(moments.mean);
      prediction.sd.push_back(moments.sd);
      prediction.latent_sd.push_back(unit.raw_moments(mean[i], std::sqrt(variance[i])).sd);
      for (Prediction::Part& part : prediction.parts) {
        part.mean.push_back(unit.to_transformed(mean[i]));
        part.sd.push_back(sd * unit.factor);
      }
    }
  }
  return prediction;
}

FittedModel::FittedModel(const Expression& kernel, std::vector<double> parameters,
                         const Dataset& data, MeanFunction mean) {
  auto state = std::make_shared<State>(bound_to(data, kernel), std::move(parameters), data, mean);
  state->check_parameters();
  state->condition();
  state_ = std::move(state);
}

const Expression& FittedModel::kernel() const { return state_->kernel; }
std::string FittedModel::kernel_text() const { return to_string(kernel(), inputs_of(data())); }
const std::vector<double>& FittedModel::parameters() const { return state_->parameters; }
double FittedModel::noise_variance() const { return parameters().back(); }
const Dataset& FittedModel::data() const { return state_->data; }
MeanFunction FittedModel::mean_function() const { return state_->mean_function; }
const Posterior& FittedModel::posterior() const { return *state_->posterior; }
double FittedModel::jitter() const { return posterior().jitter(); }
double FittedModel::log_marginal_likelihood() const {
  return posterior().log_marginal_likelihood() + data().log_jacobian();
}

std::vector<ParameterValue> FittedModel::named_parameters() const {
  const ParameterSpace space(kernel());
  std::vector<ParameterValue> values;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const bool is_noise = i + 1 == space.size();
    ParameterValue value{std::string(space[i].owner), "", std::string(space[i].parameter.name),
                         parameters()[i]};
    if (!is_noise) {
      const Expression owner = subtree(kernel(), space[i].node);
      const bool uses_input = !owner.is_leaf() || owner.base_kernel().kernel->uses_input;
      const Scaling& input = data().input_scaling(space[i].column);
      if (uses_input) value.column = input.name;
      const Quantity quantity = space[i].parameter.quantity;
      if (quantity == Quantity::input_length) value.in_data_units = value.value * input.factor;
      if (quantity == Quantity::input_location) value.in_data_units = input.to_raw(value.value);
    }
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<double> FittedModel::leave_one_out_mean() const {
  const Posterior::LeaveOneOut& loo = posterior().leave_one_out();
  std::vector<double> mean;
  for (std::size_t i = 0; i < loo.residual.size(); ++i) {
    const double scaled = data().target()[i] - loo.residual[i];
    mean.push_back(data().target_scaling().raw_moments(scaled, std::sqrt(loo.variance[i])).mean);
  }
  return mean;
}

std::vector<double> FittedModel::leave_one_out_log_density() const {
  const Posterior::LeaveOneOut& loo = posterior().leave_one_out();
  std::vector<double> density(data().num_rows());
  for (std::size_t i = 0; i < density.size(); ++i) {
    density[i] = -0.5 * (std::log(2.0 * std::numbers::pi * loo.variance[i]) +
                         loo.residual[i] * loo.residual[i] / loo.variance[i]) +
                 data().target_scaling().log_jacobian(data().target()[i]);
  }
  return density;
}

Prediction FittedModel::predict(const std::vector<std::vector<double>>& inputs) const {
  const std::vector<std::vector<double>> scaled = scaled_inputs(data(), inputs);
  return state_->predict({scaled.begin(), scaled.end()});
}

Prediction FittedModel::predict_rows(const Dataset& rows) const {
  if (!rows.has_input_scalings_of(data())) {
    throw Error(ErrorKind::bad_data, "the rows are scaled otherwise than those of the model");
  }
  InputColumns points;
  for (std::size_t i = 0; i < rows.num_inputs(); ++i) points.push_back(rows.input(i));
  return state_->predict(points);
}

std::vector<double> FittedModel::covariance(const std::vector<std::vector<double>>& inputs,
                                            Predicted what) const {
  const std::vector<std::vector<double>> scaled = scaled_inputs(data(), inputs);
  const std::size_t size = scaled[0].size();
  const InputColumns points(scaled.begin(), scaled.end());
  Matrix cross(data().num_rows(), size);
  state_->compiled.cross(state_->kernel_parameters(), state_->inputs, points, cross);
  Matrix covariance(size, size);
  state_->compiled.gram(state_->kernel_parameters(), points, covariance);
  const double constant = state_->constant_variance();
  if (constant > 0.0) {
    std::for_each_n(cross.data(), data().num_rows() * size, [&](double& k) { k += constant; });
    add_to_lower_triangle(covariance, constant);
  }
  state_->posterior->covariance(cross, covariance);
  const double factor = data().target_scaling().factor;
  std::vector<double> values(covariance.data(), covariance.data() + size * size);
  const std::vector<double> white = state_->compiled.noise(state_->kernel_parameters(), points);
  for (std::size_t i = 0; i < size; ++i) {
    values[i * size + i] += what == Predicted::target ? noise_variance() : -white[i];
  }
  for (double& value : values) value *= factor * factor;
  return values;
}

std::vector<std::vector<double>> FittedModel::sample(const std::vector<std::vector<double>>& inputs,
                                                     std::size_t num_samples, Random& random,
                                                     Predicted what) const {
  const Prediction prediction = predict(inputs);
  const std::vector<double>& mean =
      prediction.parts.empty() ? prediction.mean : prediction.parts.front().mean;
  const std::vector<double> values = covariance(inputs, what);
  const std::size_t size = mean.size();
  Matrix matrix(size, size);
  std::copy(values.begin(), values.end(), matrix.data());
  const Matrix draws = sample_gaussian(mean, matrix, num_samples, random);
  std::vector<std::vector<double>> samples;
  for (std::size_t s = 0; s < num_samples; ++s) {
    samples.emplace_back(draws.column(s), draws.column(s) + size);
    for (double& y : samples.back()) y = untransformed(prediction.transform, y);
  }
  return samples;
}

}  // namespace covary
