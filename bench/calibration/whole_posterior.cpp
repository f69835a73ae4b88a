#include "whole_posterior.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "linalg/symmetric.h"
#include "process.h"

namespace covary::calibration {
namespace {

using Numbers = std::vector<double>;

class Proposal {
 public:
  virtual ~Proposal() = default;
  virtual Numbers draw(Random& random) const = 0;
  virtual double log_density(const Numbers& place) const = 0;
};

class FromPrior final : public Proposal {
 public:
  explicit FromPrior(const ParameterSpace& space) : space_(space) {}

  Numbers draw(Random& random) const override {
    return space_.free(draw_parameters(space_, random));
  }
  double log_density(const Numbers& place) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < place.size(); ++i) {
      sum += covary::log_density(space_[i].parameter.prior, space_.natural(i, place[i])).value +
             space_.log_slope(i, place[i]).value;
    }
    return sum;
  }

 private:
  const ParameterSpace& space_;
};

// Student's t: a Gaussian with tails that a posterior's do not outrun.
class AroundCentre final : public Proposal {
 public:
  explicit AroundCentre(const Bell& bell)
      : centre_(bell.centre), eigen_(symmetric_eigen(bell.covariance)) {
    constexpr double least = 1e-12;  // of the largest: a degenerate covariance has no density
    for (double& value : eigen_.values) value = std::max(value, least * eigen_.values.back());
    const auto d = static_cast<double>(centre_.size());
    log_norm_ = std::lgamma(0.5 * (freedom + d)) - std::lgamma(0.5 * freedom) -
                0.5 * d * std::log(freedom * std::numbers::pi);
    for (const double value : eigen_.values) log_norm_ -= 0.5 * std::log(value);
  }

  Numbers draw(Random& random) const override {
    double square = 0.0;
    for (int k = 0; k < static_cast<int>(freedom); ++k) square += std::pow(random.normal(), 2);
    const double stretch = std::sqrt(freedom / square);
    Numbers place = centre_;
    for (std::size_t k = 0; k < place.size(); ++k) {
      const double step = stretch * std::sqrt(eigen_.values[k]) * random.normal();
      for (std::size_t i = 0; i < place.size(); ++i) place[i] += step * eigen_.vectors(i, k);
    }
    return place;
  }
  double log_density(const Numbers& place) const override {
    double square = 0.0;
    for (std::size_t k = 0; k < place.size(); ++k) {
      double along = 0.0;
      for (std::size_t i = 0; i < place.size(); ++i) {
        along += eigen_.vectors(i, k) * (place[i] - centre_[i]);
      }
      square += along * along / eigen_.values[k];
    }
    const auto d = static_cast<double>(place.size());
    return log_norm_ - 0.5 * (freedom + d) * std::log1p(square / freedom);
  }

 private:
  static constexpr double freedom = 5.0;
  Numbers centre_;
  Eigen eigen_;
  double log_norm_ = 0.0;
};

double log_sum_exp(const Numbers& values) {
  const double most = *std::max_element(values.begin(), values.end());
  if (!std::isfinite(most)) return most;
  double sum = 0.0;
  for (const double value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

// Rounds of equal size from one proposal after the other, each place weighed against the mixture
// of all rounds so far.
class Rounds {
 public:
  Rounds(LogPosterior& posterior, std::size_t size, Random& random)
      : posterior_(posterior), size_(size), random_(random) {}

  void add(std::unique_ptr<Proposal> proposal) {
    for (std::size_t s = 0; s < places_.size(); ++s) {
      log_proposals_[s].push_back(proposal->log_density(places_[s]));
    }
    proposals_.push_back(std::move(proposal));
    for (std::size_t s = 0; s < size_; ++s) {
      places_.push_back(proposals_.back()->draw(random_));
      log_posterior_.push_back(posterior_.value(places_.back()));
      Numbers& densities = log_proposals_.emplace_back();
      for (const auto& one : proposals_) densities.push_back(one->log_density(places_.back()));
    }
  }

  WholePosterior result() const {
    WholePosterior whole;
    whole.places = places_;
    for (std::size_t s = 0; s < places_.size(); ++s) {
      const double log_mixture =
          log_sum_exp(log_proposals_[s]) - std::log(static_cast<double>(proposals_.size()));
      whole.weights.push_back(log_posterior_[s] - log_mixture);
    }
    const double log_sum = log_sum_exp(whole.weights);
    whole.log_evidence = log_sum - std::log(static_cast<double>(places_.size()));
    double squares = 0.0;
    for (double& weight : whole.weights) {
      weight = std::exp(weight - log_sum);
      squares += weight * weight;
    }
    whole.effective_size = 1.0 / squares;
    return whole;
  }

 private:
  LogPosterior& posterior_;
  std::size_t size_;
  Random& random_;
  std::vector<std::unique_ptr<Proposal>> proposals_;
  std::vector<Numbers> places_;
  Numbers log_posterior_;
  std::vector<Numbers> log_proposals_;  // of each place, under each proposal
};

// Mean and covariance; of a few places of much weight, no narrower than some share of `least`.
Bell moments_of(const WholePosterior& whole, const Matrix& least) {
  const std::size_t d = whole.places.front().size();
  Bell bell = {Numbers(d, 0.0), Matrix(d, d)};
  for (std::size_t s = 0; s < whole.places.size(); ++s) {
    for (std::size_t i = 0; i < d; ++i) {
      bell.centre[i] += whole.weights[s] * whole.places[s][i];
    }
  }
  const double share = 1.0 / (1.0 + 0.1 * whole.effective_size);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      double sum = share * least(i, j);
      for (std::size_t s = 0; s < whole.places.size(); ++s) {
        sum += whole.weights[s] * (whole.places[s][i] - bell.centre[i]) *
               (whole.places[s][j] - bell.centre[j]);
      }
      bell.covariance(i, j) = sum;
    }
  }
  return bell;
}

}  // namespace

std::vector<Numbers> WholePosterior::resampled(std::size_t count, Random& random) const {
  std::vector<Numbers> chosen;
  const double offset = random.uniform();
  double sum = 0.0;
  for (std::size_t s = 0; s < places.size(); ++s) {
    sum += weights[s] * static_cast<double>(count);
    while (chosen.size() < count && sum > offset + static_cast<double>(chosen.size())) {
      chosen.push_back(places[s]);
    }
  }
  return chosen;
}

WholePosterior whole_posterior(LogPosterior& posterior, const Bell& laplace, std::size_t num_places,
                               Random& random) {
  constexpr std::size_t num_rounds = 4;
  Rounds rounds(posterior, std::max<std::size_t>(num_places / num_rounds, 1), random);
  rounds.add(std::make_unique<FromPrior>(posterior.space()));
  rounds.add(std::make_unique<AroundCentre>(laplace));
  for (std::size_t r = 2; r < num_rounds; ++r) {
    rounds.add(std::make_unique<AroundCentre>(moments_of(rounds.result(), laplace.covariance)));
  }
  return rounds.result();
}

}  // namespace covary::calibration
