#include "search/averaged_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evidence/judged_rows.h"
#include "evidence/posterior_points.h"
#include "evidence/stacking.h"
#include "search/first_sentences.h"
#include "store/model_text.h"

namespace covary {
namespace {

constexpr std::size_t usual_kernels = 5;  // of one input
constexpr double least_weight = 0.01;     // of a kernel there, against the best
// Of the matrices that members keep: so predicting a row takes no longer than with one model of
// 2,800 rows, where it is for several kernels, and of 1,400 where it is for parameters besides.
constexpr double most_bytes_of_kernels = 64e6;
constexpr double most_bytes_of_points = 16e6;
// Weights are asked of no more rows: they are a few numbers.
constexpr std::size_t most_weighed_rows = 2'000;

// As far as that goes, and a model file.
std::size_t most_members(const Dataset& data, double most_bytes) {
  const auto rows = static_cast<double>(data.num_rows());
  const double room = most_bytes / (sizeof(double) * rows * rows);
  const double most = std::clamp(room, 1.0, static_cast<double>(Ensemble::max_members));
  return can_be_kept(data, static_cast<std::size_t>(most)) ? static_cast<std::size_t>(most) : 1;
}

struct Candidate {
  const Expression* kernel;
  const Evidence* evidence;
  double log_weight = 0.0;
};

// A mixture has one transform, as a search has; who evaluates elsewhere may mix them.
std::vector<Candidate> of_one_transform(const std::vector<Finalist>& finalists) {
  std::vector<Candidate> found;
  for (const Finalist& finalist : finalists) {
    if (finalist.evidence.transform != finalists.front().evidence.transform) continue;
    if (finalist.evidence.rows != finalists.front().evidence.rows) continue;  // chosen from these
    found.push_back({&finalist.kernel, &finalist.evidence});
  }
  return found;
}

void add_sentences(std::vector<Candidate>& candidates, const std::vector<SearchRecord>& history,
                   const SearchSpace& space) {
  const std::vector<Expression> sentences = first_sentences(space).usual;
  for (const SearchRecord& record : history) {
    const auto is_same = [&](const Expression& kernel) {
      return same_polynomial(kernel, record.kernel);
    };
    const bool counts =
        record.evidence.value.has_value() &&
        record.evidence.transform == candidates.front().evidence->transform &&
        record.evidence.rows == candidates.front().evidence->rows &&
        std::any_of(sentences.begin(), sentences.end(), is_same) &&
        std::none_of(candidates.begin(), candidates.end(),
                     [&](const Candidate& candidate) { return is_same(*candidate.kernel); });
    if (counts) candidates.push_back({&record.kernel, &record.evidence});
  }
}

void weigh_by_probability(std::vector<Candidate>& candidates) {
  const double best = *candidates.front().evidence->value;
  for (Candidate& candidate : candidates) candidate.log_weight = *candidate.evidence->value - best;
}

void weigh_by_prediction(std::vector<Candidate>& candidates, const Dataset& data,
                         MeanFunction mean) {
  std::vector<std::vector<double>> log_densities;
  log_densities.reserve(candidates.size());
  const Dataset weighed = data.rows(judged_rows(data, most_weighed_rows));
  for (const Candidate& candidate : candidates) {
    const FittedModel model(*candidate.kernel, candidate.evidence->parameters, weighed, mean);
    log_densities.push_back(model.leave_one_out_log_density());
  }
  const std::vector<double> weights = stacked_weights(log_densities);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    candidates[k].log_weight = std::log(weights[k]);
  }
  std::stable_sort(
      candidates.begin() + 1, candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.log_weight > b.log_weight; });
}

// The best one first.
std::vector<Candidate> weighed_kernels(const std::vector<Finalist>& finalists,
                                       const std::vector<SearchRecord>& history,
                                       const Dataset& data, const SearchOptions& options,
                                       SearchEnd end) {
  std::vector<Candidate> candidates = of_one_transform(finalists);
  std::size_t most = most_kernels(data, options);
  if (data.num_inputs() > 1 && most > 1 && end != SearchEnd::interrupted) {
    if (are_sentences_averaged(data, options)) {
      add_sentences(candidates, history, make_search_space(options.space, inputs_of(data)));
    }
    weigh_by_prediction(candidates, data, options.evidence.mean);
  } else {
    weigh_by_probability(candidates);
    if (!options.ensemble) {
      most = std::min(most, usual_kernels);
      std::erase_if(candidates, [](const Candidate& candidate) {
        return candidate.log_weight <= std::log(least_weight);
      });
    }
  }
  if (candidates.size() > most) {
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(most), candidates.end());
  }
  return candidates;
}

}  // namespace

bool are_sentences_averaged(const Dataset& data, const SearchOptions& options) {
  return data.num_inputs() > 1 && options.unique == Uniqueness::family &&
         most_kernels(data, options) > 1 && most_members(data, most_bytes_of_kernels) > 1;
}

std::size_t most_kernels(const Dataset& data, const SearchOptions& options) {
  return options.ensemble.value_or(most_members(data, most_bytes_of_kernels));
}

Ensemble averaged_model(const std::vector<Finalist>& finalists,
                        const std::vector<SearchRecord>& history, const Dataset& data,
                        const SearchOptions& options, SearchEnd end, const LongWork& work) {
  const std::vector<Candidate> kernels = weighed_kernels(finalists, history, data, options, end);
  std::size_t room = most_members(data, most_bytes_of_points);
  room -= std::min(room, kernels.size());
  std::vector<FittedModel> members;
  std::vector<double> log_weights;
  for (const Candidate& candidate : kernels) {
    std::vector<PosteriorPoint> points = {{candidate.evidence->parameters, 1.0}};
    if (options.average == Average::parameters && end != SearchEnd::interrupted &&
        num_posterior_points(data, points.front().parameters.size()) <= room + 1) {
      points =
          posterior_points(data, *candidate.kernel, points.front().parameters, options.evidence);
      room -= points.size() - 1;
    }
    for (PosteriorPoint& point : points) {
      members.emplace_back(*candidate.kernel, std::move(point.parameters), data,
                           options.evidence.mean, work);
      log_weights.push_back(candidate.log_weight + std::log(point.weight));
    }
  }
  return {std::move(members), log_weights};
}

}  // namespace covary
