#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <covary/ensemble.h>
#include <covary/error.h>

#include "base/checkpoint.h"
#include "evidence/gaussian_mixture.h"

namespace covary {
namespace {

// What weights may differ from 1 by: the rounding of a sum of max_members of them, and no more.
constexpr double sum_tolerance = 1e-12;

// From small to large: exact enough, and the same for every order.
double sum_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

std::vector<double> normalized(const std::vector<double>& log_weights) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double largest = -infinity;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    if (std::isnan(log_weights[i]) || log_weights[i] == infinity) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("log weight {} of the ensemble is {}; it must be a number, or -inf",
                              i + 1, log_weights[i]));
    }
    largest = std::max(largest, log_weights[i]);
  }
  if (largest == -infinity) {
    throw Error(ErrorKind::bad_data, "no member of the ensemble has a weight above zero");
  }
  std::vector<double> weights;
  weights.reserve(log_weights.size());
  for (const double log_weight : log_weights) weights.push_back(std::exp(log_weight - largest));
  const double sum = sum_of(weights);
  for (double& weight : weights) weight /= sum;
  return weights;
}

void check_weights(const std::vector<double>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0.0) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("weight {} of the ensemble is {}; it must not be negative", i + 1,
                              weights[i]));
    }
  }
  const double sum = sum_of(weights);
  if (!(std::abs(sum - 1.0) <= sum_tolerance)) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the weights of the ensemble add up to {}, not 1", sum));
  }
}

// Also where a member's moments are infinite, as those of a far exponential may be.
double spread_of(const std::vector<WeightedGaussian>& members) {
  const bool are_finite = std::all_of(members.begin(), members.end(), [](const auto& member) {
    return std::isfinite(member.mean) && std::isfinite(member.sd);
  });
  return are_finite ? GaussianMixture(members).sd() : std::numeric_limits<double>::infinity();
}

}  // namespace

Ensemble::Ensemble(FittedModel model) : members_{std::move(model)}, weights_{1.0} {}

Ensemble::Ensemble(std::vector<FittedModel> members, const std::vector<double>& log_weights)
    : Ensemble(WithWeights(), std::move(members), normalized(log_weights)) {}

Ensemble Ensemble::from_weights(std::vector<FittedModel> members, std::vector<double> weights) {
  check_weights(weights);
  return {WithWeights(), std::move(members), std::move(weights)};
}

Ensemble::Ensemble(WithWeights /*tag*/, std::vector<FittedModel> members,
                   std::vector<double> weights)
    : members_(std::move(members)), weights_(std::move(weights)) {
  if (members_.size() != weights_.size()) {
    throw Error(ErrorKind::bad_data, fmt::format("the ensemble has {} members and {} weights",
                                                 members_.size(), weights_.size()));
  }
  if (members_.empty() || members_.size() > max_members) {
    throw Error(ErrorKind::bad_data, fmt::format("an ensemble has 1 to {} members, not {}",
                                                 max_members, members_.size()));
  }
  for (std::size_t i = 1; i < members_.size(); ++i) {
    if (!(members_[i].data() == data())) {
      throw Error(
          ErrorKind::bad_data,
          fmt::format("member {} of the ensemble was fitted to other data than the first", i + 1));
    }
  }
}

std::vector<Ensemble::Kernel> Ensemble::kernels() const {
  std::vector<Kernel> kernels;
  std::map<std::string, std::size_t> place_of;
  for (std::size_t k = 0; k < size(); ++k) {
    const auto [found, is_new] = place_of.emplace(members_[k].kernel_text(), kernels.size());
    if (is_new) kernels.push_back({.member = k});
    Kernel& kernel = kernels[found->second];
    if (weights_[k] > weights_[kernel.member]) kernel.member = k;
    kernel.weight += weights_[k];
  }
  std::stable_sort(kernels.begin() + 1, kernels.end(),
                   [](const Kernel& a, const Kernel& b) { return a.weight > b.weight; });
  return kernels;
}

template <class Predict>
Prediction Ensemble::mixture_of(Predict predict, const LongWork& work) const {
  std::vector<Prediction> predictions;
  std::vector<double> weights;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!(weights_[k] > 0.0)) continue;
    const auto members = static_cast<double>(size());
    predictions.push_back(predict(members_[k], part_of(work, static_cast<double>(k) / members,
                                                       static_cast<double>(k + 1) / members)));
    weights.push_back(weights_[k]);
  }
  if (predictions.size() == 1) return std::move(predictions.front());
  Prediction whole;
  std::vector<WeightedGaussian> target(weights.size());
  std::vector<WeightedGaussian> latent(weights.size());
  for (std::size_t i = 0; i < predictions.front().mean.size(); ++i) {
    for (std::size_t k = 0; k < weights.size(); ++k) {
      target[k] = {predictions[k].mean[i], predictions[k].sd[i], weights[k]};
      latent[k] = {predictions[k].mean[i], predictions[k].latent_sd[i], weights[k]};
    }
    const GaussianMixture mixture(target);
    whole.mean.push_back(mixture.mean());
    whole.sd.push_back(spread_of(target));
    whole.latent_sd.push_back(spread_of(latent));
  }
  whole.transform = predictions.front().transform;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (whole.transform != TargetTransform::none) {
      whole.parts.push_back(std::move(predictions[k].parts.front()));
      whole.parts.back().weight = weights[k];
      continue;
    }
    whole.parts.push_back(
        {weights[k], std::move(predictions[k].mean), std::move(predictions[k].sd)});
  }
  return whole;
}

Prediction Ensemble::predict(const std::vector<std::vector<double>>& inputs,
                             const LongWork& work) const {
  return mixture_of(
      [&](const FittedModel& member, const LongWork& part) { return member.predict(inputs, part); },
      work);
}

Prediction Ensemble::predict_rows(const Dataset& rows, const LongWork& work) const {
  return mixture_of([&](const FittedModel& member,
                        const LongWork& part) { return member.predict_rows(rows, part); },
                    work);
}

std::vector<double> Ensemble::covariance(const std::vector<std::vector<double>>& inputs,
                                         Predicted what) const {
  if (size() == 1) return members_.front().covariance(inputs, what);
  // Of the transformed target, where it is transformed.
  const auto mean_of = [](const Prediction& prediction) {
    if (prediction.transform == TargetTransform::none) return prediction.mean;
    std::vector<double> mean(prediction.mean.size(), 0.0);
    for (const Prediction::Part& part : prediction.parts) {
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += part.weight * part.mean[i];
    }
    return mean;
  };
  const std::vector<double> mean = mean_of(predict(inputs));
  const std::size_t n = mean.size();
  std::vector<double> whole(n * n, 0.0);
  for (std::size_t k = 0; k < size(); ++k) {
    if (!(weights_[k] > 0.0)) continue;
    const std::vector<double> own_mean = mean_of(members_[k].predict(inputs));
    const std::vector<double> own = members_[k].covariance(inputs, what);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) {
        const double between = (own_mean[i] - mean[i]) * (own_mean[j] - mean[j]);
        whole[j * n + i] += weights_[k] * (own[j * n + i] + between);
      }
    }
  }
  return whole;
}

std::vector<std::vector<double>> Ensemble::sample(const std::vector<std::vector<double>>& inputs,
                                                  std::size_t num_samples, Random& random,
                                                  Predicted what) const {
  if (size() == 1) return members_.front().sample(inputs, num_samples, random, what);
  std::vector<std::size_t> member_of(num_samples);
  std::vector<std::size_t> num_of(size(), 0);
  for (std::size_t& member : member_of) {
    double rest = random.uniform();
    while (member + 1 < size() && rest >= weights_[member]) rest -= weights_[member++];
    ++num_of[member];
  }
  std::vector<std::vector<std::vector<double>>> draws(size());
  for (std::size_t k = 0; k < size(); ++k) {
    if (num_of[k] > 0) draws[k] = members_[k].sample(inputs, num_of[k], random, what);
  }
  std::vector<std::vector<double>> samples;
  for (const std::size_t member : member_of) {
    samples.push_back(std::move(draws[member].back()));
    draws[member].pop_back();
  }
  return samples;
}

}  // namespace covary
