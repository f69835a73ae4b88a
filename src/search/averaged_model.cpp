#include "search/averaged_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evidence/posterior_points.h"
#include "store/model_text.h"

namespace covary {
namespace {

constexpr std::size_t usual_kernels = 5;
constexpr double least_weight = 0.01;  // of a kernel, against the best
constexpr double most_bytes = 16e6;

// As far as a model file goes, and the matrices that members keep: so predicting a row takes no
// longer than with one model of 1,400 rows.
std::size_t most_members(const Dataset& data) {
  const auto rows = static_cast<double>(data.num_rows());
  const double room = most_bytes / (sizeof(double) * rows * rows);
  const double most = std::clamp(room, 1.0, static_cast<double>(Ensemble::max_members));
  return can_be_kept(data, static_cast<std::size_t>(most)) ? static_cast<std::size_t>(most) : 1;
}

}  // namespace

Ensemble averaged_model(const std::vector<Finalist>& finalists, const Dataset& data,
                        const SearchOptions& options, SearchEnd end) {
  const double best = *finalists.front().evidence.value;
  std::size_t room = most_members(data);
  const std::size_t most_kernels = options.ensemble.value_or(std::min(usual_kernels, room));
  std::vector<const Finalist*> kernels;
  for (const Finalist& finalist : finalists) {
    // A mixture has one transform, as a search has; who evaluates elsewhere may mix them.
    const bool is_alike = finalist.evidence.transform == finalists.front().evidence.transform;
    const bool counts =
        options.ensemble.has_value() || *finalist.evidence.value - best > std::log(least_weight);
    if (is_alike && counts && kernels.size() < most_kernels) kernels.push_back(&finalist);
  }
  room -= std::min(room, kernels.size());
  std::vector<FittedModel> members;
  std::vector<double> log_weights;
  for (const Finalist* finalist : kernels) {
    std::vector<PosteriorPoint> points = {{finalist->evidence.parameters, 1.0}};
    if (options.average == Average::parameters && end != SearchEnd::interrupted &&
        num_posterior_points(points.front().parameters.size()) <= room + 1) {
      points =
          posterior_points(data, finalist->kernel, points.front().parameters, options.evidence);
      room -= points.size() - 1;
    }
    for (PosteriorPoint& point : points) {
      members.emplace_back(finalist->kernel, std::move(point.parameters), data,
                           options.evidence.mean);
      log_weights.push_back(*finalist->evidence.value - best + std::log(point.weight));
    }
  }
  return {std::move(members), log_weights};
}

}  // namespace covary
