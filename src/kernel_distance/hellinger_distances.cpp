#include "kernel_distance/hellinger_distances.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/random/sobol.hpp>

#include "base/checkpoint.h"
#include "base/hash.h"
#include "covariance/compiled_kernel.h"
#include "covariance/parameter_space.h"

namespace covary {
namespace {

// The first points of Sobol's sequence, by dimension. A dimension's numbers do not depend on how
// many there are in all.
std::vector<std::vector<double>> sobol_draws(std::size_t num_dimensions, std::size_t count) {
  boost::random::sobol engine(num_dimensions);
  std::vector<std::vector<double>> draws(num_dimensions, std::vector<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < num_dimensions; ++d) {
      // Quantiles of 0 and 1 are not finite.
      const double u = std::ldexp(static_cast<double>(engine()), -64);
      draws[d][i] = std::clamp(u, 1e-6, 1.0 - 1e-6);
    }
  }
  return draws;
}

}  // namespace

HellingerDistances::HellingerDistances(std::vector<std::vector<double>> inputs,
                                       HellingerOptions options, std::vector<double> years)
    : inputs_(std::move(inputs)), options_(options), years_(std::move(years)) {}

std::uint64_t HellingerDistances::name_of(const Expression& kernel) {
  return hash64(to_string(kernel));
}

void HellingerDistances::add(const Expression& kernel) {
  listed_.push_back({kernel, name_of(kernel)});
}

void HellingerDistances::truncate(std::size_t size) {
  listed_.erase(listed_.begin() + static_cast<std::ptrdiff_t>(size), listed_.end());
}

// Kept, since a quantile takes longer than all else about one element of a Gram matrix.
const std::vector<double>& HellingerDistances::quantiles_of(const Prior& prior,
                                                            std::size_t parameter) const {
  std::vector<double>& quantiles = quantiles_[{prior.family, prior.first, prior.second, parameter}];
  if (quantiles.empty()) {
    for (const double u : draws_[parameter]) quantiles.push_back(quantile(prior, u));
  }
  return quantiles;
}

HellingerDistances::FunctionPrior HellingerDistances::computed_prior(
    const Expression& kernel) const {
  const ParameterSpace space(kernel);
  const std::size_t num_parameters = kernel.num_parameters();
  if (draws_.size() < num_parameters) {
    draws_ = sobol_draws(2 * num_parameters, options_.num_draws);
  }
  const CompiledKernel compiled(with_periods(kernel, years_));
  const InputColumns columns(inputs_.begin(), inputs_.end());
  const std::size_t n = inputs_.front().size();
  SymmetricBatch batch(n, options_.num_draws);
  Matrix gram(n, n);
  std::vector<double> parameters(num_parameters);
  std::vector<const std::vector<double>*> values;
  for (std::size_t p = 0; p < num_parameters; ++p) {
    values.push_back(&quantiles_of(space[p].parameter.prior, p));
  }
  for (std::size_t draw = 0; draw < options_.num_draws; ++draw) {
    for (std::size_t p = 0; p < num_parameters; ++p) {
      parameters[p] = (*values[p])[draw];
    }
    compiled.gram(parameters, columns, gram);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) batch(draw, i, j) = gram(i, j);
      batch(draw, i, i) += options_.jitter;
    }
  }
  return FunctionPrior(std::move(batch));
}

std::shared_ptr<const HellingerDistances::FunctionPrior> HellingerDistances::prior_of(
    const Named& named) const {
  std::shared_ptr<const FunctionPrior>& prior = priors_[named.name];
  if (!prior) prior = std::make_shared<const FunctionPrior>(computed_prior(named.kernel));
  prior->last_use = ++clock_;
  return prior;
}

void HellingerDistances::forget_old_priors() const {
  if (priors_.size() <= options_.max_kept) return;
  std::vector<std::uint64_t> uses;
  for (const auto& [name, prior] : priors_) uses.push_back(prior->last_use);
  const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
  std::nth_element(uses.begin(), middle, uses.end());
  std::erase_if(priors_, [&](const auto& entry) { return entry.second->last_use < *middle; });
}

double HellingerDistances::distance_between(const Named& a, const Named& b) const {
  if (a.name == b.name) return 0.0;
  const auto [known, is_new] =
      known_.emplace(combine64(std::min(a.name, b.name), std::max(a.name, b.name)), 0.0);
  if (!is_new) return known->second;
  const std::shared_ptr<const FunctionPrior> first = prior_of(a);
  const std::shared_ptr<const FunctionPrior> second = prior_of(b);
  const std::vector<double> of_mean = first->matrices.log_determinants(&second->matrices);
  double sum = 0.0;
  for (std::size_t i = 0; i < of_mean.size(); ++i) {
    const double log_affinity =
        0.25 * (first->log_determinants[i] + second->log_determinants[i]) - 0.5 * of_mean[i];
    sum += 1.0 - std::exp(std::min(log_affinity, 0.0));  // above 0 only by rounding
  }
  known->second = sum / static_cast<double>(of_mean.size());
  return known->second;
}

double HellingerDistances::distance(const Expression& a, const Expression& b) const {
  return distance_between({a, name_of(a)}, {b, name_of(b)});
}

std::vector<Matrix> HellingerDistances::distances(std::span<const Expression> kernels) const {
  std::vector<Matrix> result;
  Matrix& matrix = result.emplace_back(listed_.size(), kernels.size());
  for (std::size_t j = 0; j < kernels.size(); ++j) {
    StopPoint::pass();
    const Named kernel = {kernels[j], name_of(kernels[j])};
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      matrix(i, j) = distance_between(listed_[i], kernel);
    }
    forget_old_priors();
  }
  return result;
}

}  // namespace covary
