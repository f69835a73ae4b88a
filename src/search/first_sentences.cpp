#include "search/first_sentences.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <covary/kernels.h>

namespace covary {
namespace {

// Some of them the space may have no words for.
using Sentences = std::vector<std::optional<Expression>>;

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

std::optional<Expression> roughest_of(const SearchSpace& space, std::size_t column) {
  std::optional<BoundKernel> found;
  for (const BoundKernel& bound : space.base_kernels) {
    if (bound.column != column || bound.kernel->role != KernelRole::smooth) continue;
    if (!found || bound.kernel->roughness > found->kernel->roughness) found = bound;
  }
  return found ? std::optional<Expression>(*found) : std::nullopt;
}

std::optional<Expression> white_of(const SearchSpace& space) {
  const auto found = std::find_if(space.base_kernels.begin(), space.base_kernels.end(),
                                  [](const BoundKernel& bound) { return bound.kernel->is_white; });
  return found == space.base_kernels.end() ? std::nullopt : std::optional<Expression>(*found);
}

// Joined by an operator, as far as they are there and the space allows.
std::optional<Expression> joined(const SearchSpace& space, std::string_view op,
                                 const Sentences& terms) {
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

// The same if nothing is left out.
std::optional<Expression> all_joined(const SearchSpace& space, std::string_view op,
                                     const Sentences& terms) {
  std::size_t num_leaves = 0;
  for (const std::optional<Expression>& term : terms) {
    if (!term) return std::nullopt;
    num_leaves += term->num_leaves();
  }
  std::optional<Expression> whole = joined(space, op, terms);
  return whole->num_leaves() == num_leaves ? whole : std::nullopt;
}

std::vector<std::size_t> columns_of(const SearchSpace& space) {
  std::vector<std::size_t> columns;
  for (const BoundKernel& bound : space.base_kernels) {
    if (std::find(columns.begin(), columns.end(), bound.column) == columns.end()) {
      columns.push_back(bound.column);
    }
  }
  return columns;
}

// Those that are there, each once.
std::vector<Expression> distinct(const Sentences& sentences) {
  std::vector<Expression> kernels;
  for (const std::optional<Expression>& sentence : sentences) {
    const bool is_new =
        sentence && std::none_of(kernels.begin(), kernels.end(),
                                 [&](const auto& one) { return same_tree(one, *sentence); });
    if (is_new) kernels.push_back(*sentence);
  }
  return kernels;
}

// The same, never none.
std::vector<Expression> distinct_of(const SearchSpace& space, const Sentences& sentences) {
  std::vector<Expression> kernels = distinct(sentences);
  if (kernels.empty()) kernels.emplace_back(space.base_kernels.front());
  return kernels;
}

// One kernel for each column: of this role, or what there is for categories.
Sentences each_of(const SearchSpace& space, const std::vector<std::size_t>& columns,
                  KernelRole role) {
  Sentences kernels;
  kernels.reserve(columns.size());
  for (const std::size_t column : columns) {
    kernels.push_back(first_of(space, column, role));
    if (!kernels.back()) kernels.back() = first_of(space, column, KernelRole::plain);
  }
  return kernels;
}

Sentences usual_of_one(const SearchSpace& space, std::size_t column) {
  Sentences sentences;
  const auto line = first_of(space, column, KernelRole::polynomial);
  const auto periodic = first_of(space, column, KernelRole::periodic);
  for (const BoundKernel& bound : space.base_kernels) {
    if (bound.kernel->role != KernelRole::smooth) continue;
    const std::optional<Expression> smooth = Expression(bound);
    sentences.push_back(joined(space, "+", {smooth, line}));
    if (!periodic) continue;
    sentences.push_back(joined(space, "+", {joined(space, "*", {periodic, smooth}), smooth, line}));
  }
  if (const auto walk = first_of(space, column, KernelRole::wandering)) {
    sentences.push_back(joined(space, "+", {walk, line}));
    sentences.push_back(joined(space, "+", {periodic, walk, line}));
  }
  if (periodic) {
    const auto rough = roughest_of(space, column);
    const auto smooth = first_of(space, column, KernelRole::smooth);
    sentences.push_back(joined(space, "+", {line, periodic, smooth, rough}));
  }
  return sentences;
}

// Noise whose size grows, about a trend and what repeats; a line that breaks.
Sentences rare_of_one(const SearchSpace& space, std::size_t column) {
  const auto line = first_of(space, column, KernelRole::polynomial);
  const auto smooth = first_of(space, column, KernelRole::smooth);
  const auto season =
      all_joined(space, "*", {first_of(space, column, KernelRole::periodic), smooth});
  const auto growing = all_joined(space, "*", {line, white_of(space)});
  return {all_joined(space, "+", {growing, smooth, line}),
          all_joined(space, "+", {growing, season, smooth, line}),
          all_joined(space, "CP", {line, line})};
}

}  // namespace

std::vector<Expression> probe_kernels(const SearchSpace& space) {
  const std::vector<std::size_t> columns = columns_of(space);
  if (columns.size() > 1) {
    const auto smooth = each_of(space, columns, KernelRole::smooth);
    return distinct_of(space, {joined(space, "+", smooth), joined(space, "*", smooth)});
  }
  const auto smooth = first_of(space, columns[0], KernelRole::smooth);
  const auto periodic = first_of(space, columns[0], KernelRole::periodic);
  const auto line = first_of(space, columns[0], KernelRole::polynomial);
  return distinct_of(space, {joined(space, "+", {line, smooth}),
                             joined(space, "+", {line, joined(space, "*", {periodic, smooth})})});
}

FirstSentences first_sentences(const SearchSpace& space) {
  Sentences usual;
  for (const Expression& probe : probe_kernels(space)) usual.emplace_back(probe);
  const std::vector<std::size_t> columns = columns_of(space);
  if (columns.size() > 1) {
    const auto lines = each_of(space, columns, KernelRole::polynomial);
    const auto product = joined(space, "*", each_of(space, columns, KernelRole::smooth));
    usual.push_back(joined(space, "+", {joined(space, "+", lines), product}));
    return {.usual = distinct(usual), .rare = {}};
  }
  const Sentences more = usual_of_one(space, columns[0]);
  usual.insert(usual.end(), more.begin(), more.end());
  return {.usual = distinct(usual), .rare = distinct(rare_of_one(space, columns[0]))};
}

}  // namespace covary
