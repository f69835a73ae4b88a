#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/model.h>

#include "base/checkpoint.h"
#include "base/parallel.h"
#include "covariance/compiled_kernel.h"
#include "covariance/parameter_space.h"
#include "evidence/memory.h"
#include "evidence/overflow.h"
#include "evidence/support_model.h"
#include "evidence/training_rows.h"
#include "gp/gaussian_draws.h"
#include "gp/posterior.h"
#include "inference/inference.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

// Of new points: bounds memory, not the result. Of a model of many rows a thread takes a block, so
// that there should be enough of them.
std::size_t points_at_a_time(bool is_small) { return is_small ? 512 : 128; }

}  // namespace

struct FittedModel::State {
  Expression kernel;
  std::vector<double> parameters;
  Dataset data;
  MeanFunction mean_function;
  CompiledKernel compiled;
  std::unique_ptr<const Posterior> posterior;
  // Of the rows that new points are predicted from: the data's own, or copies of some of them.
  InputColumns inputs;
  std::vector<std::vector<double>> support_inputs;
  double log_jacobian = 0.0;  // of all rows that it was conditioned on

  State(Expression expression, std::vector<double> values, Dataset dataset, MeanFunction mean)
      : kernel(std::move(expression)),
        parameters(std::move(values)),
        data(std::move(dataset)),
        mean_function(mean),
        compiled(kernel) {}

  std::span<const double> kernel_parameters() const {
    return {parameters.data(), compiled.num_parameters()};
  }
  // What an unknown constant adds to every covariance.
  double constant_variance() const {
    return mean_function == MeanFunction::constant ? constant_mean_variance : 0.0;
  }

  void check_parameters() const;
  void condition(const LongWork& work);
  void restore(const SparseState& state, const LongWork& work);
  void choose_inputs();
  bool is_small() const { return !posterior->support() && data.num_rows() <= many_rows; }
  std::size_t num_support() const { return inputs[0].size(); }
  Matrix cross(const InputColumns& points) const;
  Prediction predict(const InputColumns& scaled_points, const LongWork& work) const;

  // Of the scaled target at some points.
  struct Gaussians {
    std::vector<double> mean;
    std::vector<double> variance;  // of the function
    std::vector<double> white;     // what the kernel has of noise
  };
  Gaussians gaussians(const InputColumns& points, const LongWork& work) const;
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

void FittedModel::State::condition(const LongWork& work) {
  const std::size_t n = data.num_rows();
  const Inference& inference = inference_for(n);
  if (n > many_rows) {
    check_models_memory(n);
    if (work.starting) {
      work.starting(
          {n, inference.posterior_seconds(n, work.num_threads()), inference.posterior_bytes(n)});
    }
  }
  posterior = inference.posterior(kernel, parameters, training_rows(data, mean_function), work);
  if (posterior == nullptr) {
    throw Error(ErrorKind::bad_data,
                "the covariance matrix cannot be factored with these parameters");
  }
  log_jacobian = data.log_jacobian();
  choose_inputs();
}

void FittedModel::State::restore(const SparseState& state, const LongWork& work) {
  posterior =
      restored_posterior(kernel, parameters, training_rows(data, mean_function), state, work);
  if (posterior == nullptr) {
    throw Error(ErrorKind::bad_data, "what is kept of its rows does not fit its kernel");
  }
  choose_inputs();
}

void FittedModel::State::choose_inputs() {
  const auto support = posterior->support();
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    if (!support) {
      inputs.push_back(data.input(i));
      continue;
    }
    std::vector<double>& values = support_inputs.emplace_back();
    for (const std::size_t row : *support) values.push_back(data.input(i)[row]);
  }
  if (support) inputs.assign(support_inputs.begin(), support_inputs.end());
}

// Covariances of the rows that new points are predicted from with such points.
Matrix FittedModel::State::cross(const InputColumns& points) const {
  Matrix result(num_support(), points[0].size());
  compiled.cross(kernel_parameters(), inputs, points, result);
  if (constant_variance() > 0.0) {
    std::for_each_n(result.data(), result.num_rows() * result.num_columns(),
                    [&](double& k) { k += constant_variance(); });
  }
  return result;
}

FittedModel::State::Gaussians FittedModel::State::gaussians(const InputColumns& points,
                                                            const LongWork& work) const {
  const std::size_t size = points[0].size();
  Matrix covariances = cross(points);
  std::vector<double> prior(size);
  compiled.diagonal(kernel_parameters(), points, prior);
  Gaussians result;
  result.white = compiled.noise(kernel_parameters(), points);
  for (std::size_t i = 0; i < size; ++i) {
    prior[i] = prior[i] - result.white[i] + constant_variance();
  }
  result.mean = posterior->mean(covariances);
  result.variance = posterior->variance(covariances, prior, work);
  return result;
}

Prediction FittedModel::State::predict(const InputColumns& scaled_points,
                                       const LongWork& work) const {
  const std::size_t num_points = scaled_points[0].size();
  const std::size_t block_size = points_at_a_time(is_small());
  std::vector<Gaussians> blocks((num_points + block_size - 1) / block_size);
  const std::size_t num_threads = is_small() ? 1 : work.num_threads();
  Checkpoint checkpoint(work, static_cast<double>(num_points));
  LongWork inside;
  inside.should_stop = [&] { return checkpoint.should_stop(); };
  parallel_for(num_threads, blocks.size(), [&](std::size_t block, std::size_t /*worker*/) {
    const std::size_t first = block * block_size;
    const std::size_t size = std::min(block_size, num_points - first);
    InputColumns points;
    for (const auto& column : scaled_points) points.push_back(column.subspan(first, size));
    blocks[block] = gaussians(points, inside);
    checkpoint.pass(static_cast<double>(size));
  });

  const Scaling& unit = data.target_scaling();
  Prediction prediction;
  prediction.transform = unit.transform;
  if (unit.transform != TargetTransform::none) prediction.parts.resize(1);
  for (const Gaussians& block : blocks) {
    for (std::size_t i = 0; i < block.mean.size(); ++i) {
      const double sd = std::sqrt(block.variance[i] + block.white[i] + parameters.back());
      const Moments moments = unit.raw_moments(block.mean[i], sd);
      prediction.mean.push_back(moments.mean);
      prediction.sd.push_back(moments.sd);
      prediction.latent_sd.push_back(
          unit.raw_moments(block.mean[i], std::sqrt(block.variance[i])).sd);
      for (Prediction::Part& part : prediction.parts) {
        part.mean.push_back(unit.to_transformed(block.mean[i]));
        part.sd.push_back(sd * unit.factor);
      }
    }
  }
  check_is_finite(prediction, data, scaled_points);
  return prediction;
}

FittedModel::FittedModel(const Expression& kernel, std::vector<double> parameters,
                         const Dataset& data, MeanFunction mean, const LongWork& work) {
  auto state = std::make_shared<State>(bound_to(data, kernel), std::move(parameters), data, mean);
  state->check_parameters();
  state->condition(work);
  state_ = std::move(state);
}

FittedModel restored_model(const Expression& kernel, std::vector<double> parameters,
                           const Dataset& support, MeanFunction mean, const SparseState& state,
                           const LongWork& work) {
  auto made = std::make_shared<FittedModel::State>(bound_to(support, kernel), std::move(parameters),
                                                   support, mean);
  made->check_parameters();
  made->restore(state, work);
  return FittedModel(std::move(made));
}

SparseState state_of(const FittedModel& model) {
  SparseState state = state_of(model.posterior());
  const FittedModel::Interval interval = model.log_marginal_likelihood_interval();
  state.log_marginal_likelihood = {interval.lower, interval.upper};
  return state;
}

FittedModel::FittedModel(std::shared_ptr<const State> state) : state_(std::move(state)) {}

const Expression& FittedModel::kernel() const { return state_->kernel; }
std::string FittedModel::kernel_text() const { return to_string(kernel(), inputs_of(data())); }
const std::vector<double>& FittedModel::parameters() const { return state_->parameters; }
double FittedModel::noise_variance() const { return parameters().back(); }
const Dataset& FittedModel::data() const { return state_->data; }
MeanFunction FittedModel::mean_function() const { return state_->mean_function; }
const Posterior& FittedModel::posterior() const { return *state_->posterior; }
double FittedModel::jitter() const { return posterior().jitter(); }
std::size_t FittedModel::num_rows() const { return posterior().num_rows(); }
Dataset FittedModel::support_data() const {
  const auto support = posterior().support();
  return support && support->size() < data().num_rows() ? data().rows(*support) : data();
}
bool FittedModel::is_exact() const { return !posterior().support(); }
FittedModel::Interval FittedModel::log_marginal_likelihood_interval() const {
  const Posterior::Interval interval = posterior().log_marginal_likelihood_interval();
  return {interval.lower + state_->log_jacobian, interval.upper + state_->log_jacobian};
}
double FittedModel::log_marginal_likelihood() const {
  return posterior().log_marginal_likelihood() + state_->log_jacobian;
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

std::vector<double> FittedModel::leave_one_out_mean(const LongWork& work) const {
  const Posterior::LeaveOneOut& loo = posterior().leave_one_out(work);
  std::vector<double> mean;
  for (std::size_t i = 0; i < loo.residual.size(); ++i) {
    const double scaled = data().target()[i] - loo.residual[i];
    mean.push_back(data().target_scaling().raw_moments(scaled, std::sqrt(loo.variance[i])).mean);
  }
  return mean;
}

std::vector<double> FittedModel::leave_one_out_log_density(const LongWork& work) const {
  const Posterior::LeaveOneOut& loo = posterior().leave_one_out(work);
  std::vector<double> density(data().num_rows());
  for (std::size_t i = 0; i < density.size(); ++i) {
    density[i] = -0.5 * (std::log(2.0 * std::numbers::pi * loo.variance[i]) +
                         loo.residual[i] * loo.residual[i] / loo.variance[i]) +
                 data().target_scaling().log_jacobian(data().target()[i]);
  }
  return density;
}

Prediction FittedModel::predict(const std::vector<std::vector<double>>& inputs,
                                const LongWork& work) const {
  const std::vector<std::vector<double>> scaled = scaled_inputs(data(), inputs);
  return state_->predict({scaled.begin(), scaled.end()}, work);
}

Prediction FittedModel::predict_rows(const Dataset& rows, const LongWork& work) const {
  if (!rows.has_input_scalings_of(data())) {
    throw Error(ErrorKind::bad_data, "the rows are scaled otherwise than those of the model");
  }
  InputColumns points;
  for (std::size_t i = 0; i < rows.num_inputs(); ++i) points.push_back(rows.input(i));
  return state_->predict(points, work);
}

std::vector<double> FittedModel::covariance(const std::vector<std::vector<double>>& inputs,
                                            Predicted what) const {
  const std::vector<std::vector<double>> scaled = scaled_inputs(data(), inputs);
  const std::size_t size = scaled[0].size();
  const InputColumns points(scaled.begin(), scaled.end());
  Matrix cross = state_->cross(points);
  Matrix covariance(size, size);
  state_->compiled.gram(state_->kernel_parameters(), points, covariance);
  const double constant = state_->constant_variance();
  if (constant > 0.0) add_to_lower_triangle(covariance, constant);
  state_->posterior->covariance(cross, covariance);
  const double factor = data().target_scaling().factor;
  std::vector<double> values(covariance.data(), covariance.data() + size * size);
  const std::vector<double> white = state_->compiled.noise(state_->kernel_parameters(), points);
  for (std::size_t i = 0; i < size; ++i) {
    values[i * size + i] += what == Predicted::target ? noise_variance() : -white[i];
  }
  for (double& value : values) value *= factor * factor;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) throw_overflow(data(), points, i % size);
  }
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
