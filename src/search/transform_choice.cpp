#include "search/transform_choice.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <covary/kernels.h>

#include "base/parallel.h"

namespace covary {
namespace {

// The first base kernel of a role on an input; of periodic ones, rather one of the calendar.
std::optional<Expression> first_of(const SearchSpace& space, std::size_t column, KernelRole role) {
  std::optional<BoundKernel> found;
  for (const BoundKernel& bound : space.base_kernels) {
    if (bound.column != column || bound.kernel->role != role) continue;
    const bool is_known = bound.kernel->calendar_unit != CalendarUnit::none;
    if (!found || (is_known && found->kernel->calendar_unit == CalendarUnit::none)) found = bound;
  }
  return found ? std::optional<Expression>(*found) : std::nullopt;
}

// Joined by an operator, as far as they are there and the space allows.
std::optional<Expression> joined(const SearchSpace& space, std::string_view op,
                                 const std::vector<std::optional<Expression>>& terms) {
  const auto found =
      std::find_if(space.operators.begin(), space.operators.end(),
                   [&](const BoundOperator& bound) { return bound.op->symbol == op; });
  std::optional<Expression> whole;
  for (const std::optional<Expression>& term : terms) {
    if (!term) continue;
    if (!whole) {
      whole = term;
    } else if (found != space.operators.end() &&
               whole->num_leaves() + term->num_leaves() <= space.max_leaves) {
      whole = Expression::join(*found, *whole, *term);
    }
  }
  return whole;
}

}  // namespace

std::vector<Expression> probe_kernels(const SearchSpace& space) {
  std::vector<std::size_t> columns;
  for (const BoundKernel& bound : space.base_kernels) {
    if (std::find(columns.begin(), columns.end(), bound.column) == columns.end()) {
      columns.push_back(bound.column);
    }
  }
  std::vector<std::optional<Expression>> probes;
  if (columns.size() == 1) {
    const auto smooth = first_of(space, columns[0], KernelRole::smooth);
    const auto periodic = first_of(space, columns[0], KernelRole::periodic);
    const auto line = first_of(space, columns[0], KernelRole::polynomial);
    probes = {joined(space, "+", {line, smooth}),
              joined(space, "+", {line, joined(space, "*", {periodic, smooth})})};
  } else {
    std::vector<std::optional<Expression>> smooth;
    smooth.reserve(columns.size());
    for (const std::size_t column : columns) {
      smooth.push_back(first_of(space, column, KernelRole::smooth));
      if (!smooth.back()) smooth.back() = first_of(space, column, KernelRole::plain);
    }
    probes = {joined(space, "+", smooth), joined(space, "*", smooth)};
  }
  std::vector<Expression> kernels;
  for (const std::optional<Expression>& probe : probes) {
    const bool is_new = probe && std::none_of(kernels.begin(), kernels.end(), [&](const auto& one) {
                          return same_tree(one, *probe);
                        });
    if (is_new) kernels.push_back(*probe);
  }
  if (kernels.empty()) kernels.emplace_back(space.base_kernels.front());
  return kernels;
}

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
