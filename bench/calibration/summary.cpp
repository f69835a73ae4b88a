#include "summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace covary::calibration {
namespace {

using Numbers = std::vector<double>;

const Numbers& log_probabilities(const Inferred& draw, Evidences by) {
  return by == Evidences::whole ? draw.whole_log_probability : draw.log_probability;
}

const Predictive& prediction(const Inferred& draw, Way way) {
  return draw.predictions[static_cast<std::size_t>(way)];
}

double mean_log_density(const Inferred& draw, Way way) {
  double sum = 0.0;
  const Numbers& density = prediction(draw, way).density;
  for (const double value : density) sum += std::log(value);
  return sum / static_cast<double>(density.size());
}

}  // namespace

Estimate estimate_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : values) sum += value;
  double squares = 0.0;
  for (const double value : values) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, std::sqrt(squares / (n - 1.0) / n)};
}

Uniformity uniformity_of(Numbers values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  Uniformity result = {.count = values.size()};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double below = static_cast<double>(i) / n;
    const double above = static_cast<double>(i + 1) / n;
    result.distance = std::max({result.distance, values[i] - below, above - values[i]});
  }
  const double t = result.distance * (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n));
  constexpr double nearly_certain = 0.3;  // below it the series converges slowly, to 1
  if (t < nearly_certain) return result;
  result.p_value = 0.0;
  for (int k = 1; k <= 100; ++k) {
    result.p_value += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * t * t);
  }
  result.p_value = std::clamp(result.p_value, 0.0, 1.0);
  return result;
}

std::vector<std::string> kinds_of(const std::vector<Inferred>& draws) {
  std::map<std::string, std::size_t> counts;
  for (const Inferred& draw : draws) {
    for (const Rank& rank : draw.ranks) ++counts[std::string(rank.kind)];
  }
  std::vector<std::string> kinds;
  kinds.reserve(counts.size());
  for (const auto& [kind, count] : counts) kinds.push_back(kind);
  std::stable_sort(kinds.begin(), kinds.end(), [&](const std::string& a, const std::string& b) {
    return counts[a] > counts[b];
  });
  return kinds;
}

Numbers ranks_of(const std::vector<Inferred>& draws, const std::string& kind, Belief belief) {
  Numbers ranks;
  for (const Inferred& draw : draws) {
    for (const Rank& rank : draw.ranks) {
      if (rank.kind == kind) ranks.push_back(rank.cdf[static_cast<std::size_t>(belief)]);
    }
  }
  return ranks;
}

Estimate coverage(const std::vector<Inferred>& draws, const Setting& setting, Way way, Where where,
                  double level) {
  Numbers shares;
  for (const Inferred& draw : draws) {
    const Numbers& cdf = prediction(draw, way).cdf;
    const std::size_t from = where == Where::ahead ? setting.num_inside : 0;
    const std::size_t to = where == Where::inside ? setting.num_inside : cdf.size();
    double held = 0.0;
    for (std::size_t i = from; i < to; ++i) {
      if (std::abs(cdf[i] - 0.5) < 0.5 * level) held += 1.0;
    }
    shares.push_back(held / static_cast<double>(to - from));
  }
  return estimate_of(shares);
}

Estimate log_score(const std::vector<Inferred>& draws, Way way) {
  Numbers scores;
  for (const Inferred& draw : draws) scores.push_back(mean_log_density(draw, way));
  return estimate_of(scores);
}

Estimate log_score(const std::vector<Inferred>& draws, Way way, Way other) {
  Numbers scores;
  for (const Inferred& draw : draws) {
    scores.push_back(mean_log_density(draw, way) - mean_log_density(draw, other));
  }
  return estimate_of(scores);
}

std::vector<ReliabilityBin> reliability(const std::vector<Inferred>& draws, Evidences by) {
  const Numbers edges = {0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
  std::vector<ReliabilityBin> bins;
  for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
    ReliabilityBin bin = {.from = edges[b], .to = edges[b + 1]};
    double excess = 0.0;
    double squares = 0.0;
    for (const Inferred& draw : draws) {
      const Numbers& log_probability = log_probabilities(draw, by);
      double own = 0.0;
      for (std::size_t k = 0; k < log_probability.size(); ++k) {
        const double p = std::exp(log_probability[k]);
        const bool is_last = b + 2 == edges.size();
        if (p < bin.from || (p >= bin.to && !is_last)) continue;
        ++bin.count;
        bin.said += p;
        own += (k == draw.truth ? 1.0 : 0.0) - p;
      }
      excess += own;
      squares += own * own;
    }
    if (bin.count > 0) {
      const auto count = static_cast<double>(bin.count);
      bin.said /= count;
      bin.excess = {excess / count, std::sqrt(squares) / count};
    }
    bins.push_back(bin);
  }
  return bins;
}

KernelScore kernel_score(const std::vector<Inferred>& draws, Evidences by) {
  Numbers scores;
  Numbers surprises;
  for (const Inferred& draw : draws) {
    const Numbers& log_probability = log_probabilities(draw, by);
    double expected = 0.0;
    for (const double value : log_probability) {
      if (std::exp(value) > 0.0) expected += std::exp(value) * value;
    }
    scores.push_back(log_probability[draw.truth]);
    surprises.push_back(log_probability[draw.truth] - expected);
  }
  return {estimate_of(scores), estimate_of(surprises)};
}

}  // namespace covary::calibration
