#include "inference.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include <covary/ensemble.h>
#include <covary/evidence.h>
#include <covary/model.h>
#include <covary/search.h>

#include "evidence/curvature.h"
#include "evidence/log_posterior.h"
#include "evidence/posterior_points.h"
#include "evidence/prior_scales.h"
#include "evidence/training_rows.h"
#include "linalg/symmetric.h"
#include "search/averaged_model.h"
#include "whole_posterior.h"

namespace covary::calibration {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t num_whole_models = 100;  // that stand for a whole posterior in predictions
// Kernels of less than this share of the best one's probability are left to Laplace's word.
constexpr double least_share = 1e-3;

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

Predictive nothing_of(const Dataset& unseen) {
  return {Numbers(unseen.num_rows(), 0.0), Numbers(unseen.num_rows(), 0.0)};
}

void add(Predictive& sum, double weight, const Predictive& part) {
  for (std::size_t i = 0; i < sum.cdf.size(); ++i) {
    sum.cdf[i] += weight * part.cdf[i];
    sum.density[i] += weight * part.density[i];
  }
}

Predictive said_by(const Ensemble& ensemble, const Dataset& unseen) {
  Predictive said = nothing_of(unseen);
  for (std::size_t m = 0; m < ensemble.size(); ++m) {
    const Prediction prediction = ensemble.members()[m].predict_rows(unseen);
    for (std::size_t i = 0; i < unseen.num_rows(); ++i) {
      const double z = (unseen.target()[i] - prediction.mean[i]) / prediction.sd[i];
      said.cdf[i] += ensemble.weights()[m] * normal_cdf(z);
      said.density[i] += ensemble.weights()[m] * normal_density(z) / prediction.sd[i];
    }
  }
  return said;
}

Ensemble mixture_of(const Expression& kernel, const Dataset& rows,
                    const std::vector<PosteriorPoint>& points) {
  std::vector<FittedModel> members;
  Numbers log_weights;
  for (const PosteriorPoint& point : points) {
    members.emplace_back(kernel, point.parameters, rows);
    log_weights.push_back(std::log(point.weight));
  }
  return {std::move(members), log_weights};
}

std::string_view kind_of(const ParameterSpace::Entry& entry) {
  if (entry.owner == "noise") return "noise variance";
  if (is_period(entry.parameter)) return "period";
  switch (entry.parameter.quantity) {
    case Quantity::target_variance:
      return entry.parameter.name == "constant_variance" ? "variance of a constant" : "variance";
    case Quantity::slope_variance:
      return "variance of a slope";
    case Quantity::variance_rate:
      return "variance of a step";
    case Quantity::input_length:
      return "length";
    case Quantity::input_location:
      return "place";
    case Quantity::shape:
      return "shape";
  }
  return "";
}

// The Gaussian that averaging starts from: no wider than the prior along any principal axis.
Bell laplace_bell(LogPosterior& posterior, Numbers centre) {
  const std::size_t d = centre.size();
  const Numbers precision = prior_precision(posterior.space());
  const std::optional<Matrix> hessian =
      negative_hessian(centre, [&](std::span<Stepper* const> walks) {
        for (Stepper* walk : walks) lead(*walk, posterior);
      });
  Matrix scaled(d, d);
  if (hessian) {
    scaled = in_prior_units(*hessian, precision);
  } else {  // what is not known is as wide as the prior
    std::fill_n(scaled.data(), d * d, 0.0);
    for (std::size_t i = 0; i < d; ++i) scaled(i, i) = 1.0;
  }
  const Eigen eigen = symmetric_eigen(scaled);
  Bell bell = {std::move(centre), Matrix(d, d)};
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < d; ++k) {
        sum += eigen.vectors(i, k) * eigen.vectors(j, k) / std::max(eigen.values[k], 1.0);
      }
      bell.covariance(i, j) = sum / std::sqrt(precision[i] * precision[j]);
    }
  }
  return bell;
}

// Of one free number, by the mean and variance of weighted places.
template <class Place>
double gaussian_rank(const std::vector<PosteriorPoint>& points, double value, Place place) {
  double mean = 0.0;
  double square = 0.0;
  for (const PosteriorPoint& point : points) {
    mean += point.weight * place(point);
    square += point.weight * place(point) * place(point);
  }
  const double variance = square - mean * mean;
  return variance > 0.0 ? normal_cdf((value - mean) / std::sqrt(variance)) : (value > mean);
}

// One kernel, everything that is said of it.
struct Looked {
  double log_evidence = 0.0;
  double whole_log_evidence = 0.0;
  double effective_size = 0.0;
  Predictive best;
  Predictive points;
  Predictive whole;
  std::vector<Rank> ranks;  // of the true parameters, if this is the true kernel
};

class Look {
 public:
  Look(const Expression& kernel, const Evidence& evidence, const Truth& truth,
       const EvidenceOptions& options)
      : kernel_(bound_to(truth.rows, kernel)),
        truth_(truth),
        scales_(prior_scales(truth.rows, options.priors)),
        posterior_(kernel_, training_rows(truth.rows, options.mean),
                   LogPrior(kernel_, options.laplace, scales_)),
        points_(posterior_points(truth.rows, kernel, evidence.parameters, options)),
        bell_(laplace_bell(posterior_, posterior_.space().free(evidence.parameters))) {
    looked_.log_evidence = *evidence.value;
    looked_.best =
        said_by(Ensemble(FittedModel(kernel, evidence.parameters, truth.rows)), truth.unseen);
    looked_.points = said_by(mixture_of(kernel, truth.rows, points_), truth.unseen);
  }

  void look_at_whole(std::size_t num_places, Random& random) {
    whole_ = whole_posterior(posterior_, bell_, num_places, random);
    looked_.whole_log_evidence = whole_->log_evidence;
    looked_.effective_size = whole_->effective_size;
    std::vector<PosteriorPoint> models;
    for (const Numbers& place : whole_->resampled(num_whole_models, random)) {
      models.push_back({posterior_.space().natural(place), 1.0});
    }
    looked_.whole = said_by(mixture_of(kernel_, truth_.rows, models), truth_.unseen);
  }

  void rank_true_parameters() {
    const ParameterSpace& space = posterior_.space();
    for (std::size_t i = 0; i < space.size(); ++i) {
      const double value = space.free(i, truth_.parameters[i]);
      Rank rank = {kind_of(space[i]), {}};
      rank.cdf[0] = normal_cdf((value - bell_.centre[i]) / std::sqrt(bell_.covariance(i, i)));
      rank.cdf[1] = gaussian_rank(points_, value, [&](const PosteriorPoint& point) {
        return space.free(i, point.parameters[i]);
      });
      for (std::size_t s = 0; whole_ && s < whole_->places.size(); ++s) {
        if (whole_->places[s][i] < value) rank.cdf[2] += whole_->weights[s];
      }
      looked_.ranks.push_back(rank);
    }
  }

  Looked take() { return std::move(looked_); }

 private:
  Expression kernel_;
  const Truth& truth_;
  std::vector<InputScale> scales_;
  LogPosterior posterior_;
  std::vector<PosteriorPoint> points_;
  Bell bell_;
  std::optional<WholePosterior> whole_;
  Looked looked_;
};

Numbers normalised(Numbers log_values) {
  const double most = *std::max_element(log_values.begin(), log_values.end());
  double sum = 0.0;
  for (const double value : log_values) sum += std::exp(value - most);
  for (double& value : log_values) value -= most + std::log(sum);
  return log_values;
}

// The mixture of the kernels that were looked at.
Predictive mixed(const std::vector<std::pair<std::size_t, Looked>>& looked,
                 const Numbers& log_probability, Predictive Looked::*part, const Dataset& unseen) {
  Predictive sum = nothing_of(unseen);
  double total = 0.0;
  for (const auto& [k, one] : looked) total += std::exp(log_probability[k]);
  for (const auto& [k, one] : looked) add(sum, std::exp(log_probability[k]) / total, one.*part);
  return sum;
}

// Every kernel that has a value, the best first, as a search ends with.
std::vector<Finalist> finalists_of(const Candidates& candidates,
                                   const std::vector<Evidence>& evidences) {
  std::vector<Finalist> finalists;
  for (std::size_t k = 0; k < evidences.size(); ++k) {
    if (!evidences[k].value) continue;
    Finalist finalist = {candidates.kernels[k], evidences[k]};
    finalist.evidence.log_structure_prior = candidates.log_probability[k];
    *finalist.evidence.value += candidates.log_probability[k];
    finalists.push_back(std::move(finalist));
  }
  std::stable_sort(finalists.begin(), finalists.end(), [](const Finalist& a, const Finalist& b) {
    return *a.evidence.value > *b.evidence.value;
  });
  return finalists;
}

// As a search does: with every default but the transform of the target, which nothing drawn has.
SearchOptions search_options() {
  SearchOptions options;
  options.evidence.transform = TargetTransform::none;
  return options;
}

std::vector<Evidence> evaluated(const Candidates& candidates, const Dataset& rows) {
  const std::unique_ptr<Oracle> oracle = make_oracle(rows, search_options().evidence);
  std::vector<Evidence> evidences;
  evidences.reserve(candidates.kernels.size());
  for (const Expression& kernel : candidates.kernels) evidences.push_back(oracle->evaluate(kernel));
  return evidences;
}

using LookedKernels = std::vector<std::pair<std::size_t, Looked>>;

// Those that count for something, and the true one.
LookedKernels looked_at(const Candidates& candidates, const std::vector<Evidence>& evidences,
                        const Numbers& log_values, const Truth& truth,
                        const InferenceOptions& options) {
  const EvidenceOptions evidence_options = search_options().evidence;
  const double least =
      *std::max_element(log_values.begin(), log_values.end()) + std::log(least_share);
  Random random(options.seed);
  LookedKernels looked;
  for (std::size_t k = 0; k < candidates.kernels.size(); ++k) {
    const bool counts = k == truth.kernel || log_values[k] > least;
    if (!evidences[k].value || !counts) continue;
    Look look(candidates.kernels[k], evidences[k], truth, evidence_options);
    if (options.num_places > 0) look.look_at_whole(options.num_places, random);
    if (k == truth.kernel) look.rank_true_parameters();
    looked.emplace_back(k, look.take());
  }
  return looked;
}

void predict_as_searches_do(const Candidates& candidates, const std::vector<Evidence>& evidences,
                            const Truth& truth, Inferred& inferred) {
  const std::vector<Finalist> finalists = finalists_of(candidates, evidences);
  const Finalist& best = finalists.front();
  const auto predict_with = [&](Way way, const Ensemble& ensemble) {
    inferred.predictions[static_cast<std::size_t>(way)] = said_by(ensemble, truth.unseen);
  };
  predict_with(Way::truth,
               FittedModel(candidates.kernels[truth.kernel], truth.parameters, truth.rows));
  predict_with(Way::best, FittedModel(best.kernel, best.evidence.parameters, truth.rows));
  predict_with(Way::search,
               averaged_model(finalists, {}, truth.rows, search_options(), SearchEnd::exhausted));
}

void predict_by_all_kernels(const LookedKernels& looked, const Truth& truth, Inferred& inferred) {
  const auto predict_with = [&](Way way, const Numbers& log_probability, Predictive Looked::*part) {
    inferred.predictions[static_cast<std::size_t>(way)] =
        mixed(looked, log_probability, part, truth.unseen);
  };
  const Numbers& by_laplace = inferred.log_probability;
  predict_with(Way::laplace_best, by_laplace, &Looked::best);
  predict_with(Way::laplace_points, by_laplace, &Looked::points);
  const Numbers& by_whole = inferred.whole_log_probability;
  if (by_whole.empty()) return;
  predict_with(Way::laplace_whole, by_laplace, &Looked::whole);
  predict_with(Way::whole_points, by_whole, &Looked::points);
  predict_with(Way::whole, by_whole, &Looked::whole);
}

}  // namespace

Inferred infer(const Candidates& candidates, const Truth& truth, const InferenceOptions& options) {
  const std::vector<Evidence> evidences = evaluated(candidates, truth.rows);
  Numbers log_values;
  for (std::size_t k = 0; k < evidences.size(); ++k) {
    constexpr double none = -1e300;
    const std::optional<double>& value = evidences[k].value;
    log_values.push_back(value ? *value + candidates.log_probability[k] : none);
  }
  const LookedKernels looked = looked_at(candidates, evidences, log_values, truth, options);

  Inferred inferred;
  inferred.truth = truth.kernel;
  inferred.log_probability = normalised(log_values);
  for (const auto& [k, one] : looked) {
    if (k == truth.kernel) inferred.ranks = one.ranks;
    if (options.num_places == 0) continue;
    log_values[k] = one.whole_log_evidence + candidates.log_probability[k];
    inferred.wholes.push_back({k, one.log_evidence - one.whole_log_evidence, one.effective_size});
  }
  if (options.num_places > 0) inferred.whole_log_probability = normalised(log_values);
  predict_as_searches_do(candidates, evidences, truth, inferred);
  predict_by_all_kernels(looked, truth, inferred);
  return inferred;
}

}  // namespace covary::calibration
