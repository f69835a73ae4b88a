#include "search/transform_choice.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/parallel.h"
#include "search/first_sentences.h"

namespace covary {

TransformChoice choose_transform(const Dataset& data, const SearchSpace& space,
                                 const EvidenceOptions& options, std::size_t num_threads,
                                 const std::atomic<bool>* interrupted) {
  const std::vector<TargetTransform> transforms = suitable_transforms(raw_target(data));
  TransformChoice choice;
  if (transforms.size() < 2) return choice;
  std::vector<std::unique_ptr<Oracle>> oracles;
  for (const TargetTransform transform : transforms) {
    EvidenceOptions one = options;
    one.transform = transform;
    oracles.push_back(make_oracle(data, one, interrupted));
  }
  const std::vector<Expression> probes = probe_kernels(space);
  std::vector<std::optional<double>> values(probes.size() * oracles.size());
  parallel_for(num_threads, values.size(), [&](std::size_t i, std::size_t) {
    values[i] = oracles[i % oracles.size()]->evaluate(probes[i / oracles.size()]).value;
  });
  choice.num_evaluations = values.size();
  if (interrupted != nullptr && interrupted->load()) return choice;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || *values[i] <= best) continue;
    best = *values[i];
    choice.transform = transforms[i % oracles.size()];
  }
  return choice;
}

}  // namespace covary
