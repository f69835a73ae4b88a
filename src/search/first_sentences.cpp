#include "search/first_sentences.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include <covary/kernels.h>

#include "base/checkpoint.h"

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

bool has_calendar(const SearchSpace& space, std::size_t column) {
  return std::any_of(
      space.base_kernels.begin(), space.base_kernels.end(), [&](const BoundKernel& bound) {
        return bound.column == column && bound.kernel->calendar_unit != CalendarUnit::none;
      });
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

// Joined by an operator, as far as they are there and there is room.
std::optional<Expression> joined(const SearchSpace& space, std::string_view op,
                                 const Sentences& terms, std::size_t room) {
  const auto found =
      std::find_if(space.operators.begin(), space.operators.end(),
                   [&](const BoundOperator& bound) { return bound.op->symbol == op; });
  std::optional<Expression> whole;
  for (const std::optional<Expression>& term : terms) {
    if (!term) continue;
    if (!whole) {
      whole = term;
    } else if (found != space.operators.end() && whole->num_leaves() + term->num_leaves() <= room) {
      whole = Expression::join(*found, *whole, *term);
    }
  }
  return whole;
}

std::optional<Expression> joined(const SearchSpace& space, std::string_view op,
                                 const Sentences& terms) {
  return joined(space, op, terms, space.max_leaves);
}

// The same if nothing is left out.
std::optional<Expression> all_joined(const SearchSpace& space, std::string_view op,
                                     const Sentences& terms, std::size_t room) {
  std::size_t num_leaves = 0;
  for (const std::optional<Expression>& term : terms) {
    if (!term) return std::nullopt;
    num_leaves += term->num_leaves();
  }
  std::optional<Expression> whole = joined(space, op, terms, room);
  return whole->num_leaves() == num_leaves ? whole : std::nullopt;
}

std::optional<Expression> all_joined(const SearchSpace& space, std::string_view op,
                                     const Sentences& terms) {
  return all_joined(space, op, terms, space.max_leaves);
}

std::vector<std::size_t> columns_of(const SearchSpace& space) {
  std::vector<std::size_t> columns;
  for (const BoundKernel& bound : space.base_kernels) {
    StopPoint::pass();
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
    StopPoint::pass();
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

// One kernel for each column: what is looked for, or what there is for categories.
template <class Find>
Sentences each_of(const SearchSpace& space, const Find& find) {
  Sentences kernels;
  for (const std::size_t column : columns_of(space)) {
    StopPoint::pass();
    kernels.push_back(find(space, column));
    if (!kernels.back()) kernels.back() = first_of(space, column, KernelRole::plain);
  }
  return kernels;
}

Sentences each_smooth(const SearchSpace& space) {
  return each_of(space, [](const SearchSpace& of, std::size_t column) {
    return first_of(of, column, KernelRole::smooth);
  });
}

Sentences each_rough(const SearchSpace& space) { return each_of(space, roughest_of); }

Sentences each_line(const SearchSpace& space) {
  return each_of(space, [](const SearchSpace& of, std::size_t column) {
    return first_of(of, column, KernelRole::polynomial);
  });
}

// What is said of every input alike counts once; but of very many inputs, fits would take too long.
std::size_t room_of_many(const SearchSpace& space) {
  constexpr std::size_t most_base_kernels = 48;
  return std::min(space.max_leaves * columns_of(space).size(), most_base_kernels);
}

// The inputs each by itself, or all together, or both.
Sentences usual_of_many(const SearchSpace& space) {
  const std::size_t room = room_of_many(space);
  const auto sum = [&](const Sentences& terms) { return joined(space, "+", terms, room); };
  const auto product = [&](const Sentences& factors) { return joined(space, "*", factors, room); };
  const auto both = [&](const std::optional<Expression>& one,
                        const std::optional<Expression>& two) {
    return all_joined(space, "+", {one, two}, room);
  };
  const auto lines = sum(each_line(space));
  const auto smooth_sum = sum(each_smooth(space));
  const auto smooth = product(each_smooth(space));
  const auto rough = product(each_rough(space));
  Sentences usual = {smooth_sum,
                     smooth,
                     both(lines, smooth),
                     sum(each_rough(space)),
                     rough,
                     both(lines, rough),
                     both(smooth_sum, rough)};
  const bool is_rough_another = smooth && rough && !same_tree(*smooth, *rough);
  if (is_rough_another) usual.push_back(both(smooth, rough));
  return usual;
}

// Periods of the calendar that rows can show, from the shortest on.
Sentences cycles_of(const SearchSpace& space, std::size_t column) {
  std::vector<BoundKernel> found;
  std::copy_if(space.base_kernels.begin(), space.base_kernels.end(), std::back_inserter(found),
               [&](const BoundKernel& bound) {
                 return bound.column == column && bound.kernel->calendar_unit != CalendarUnit::none;
               });
  std::sort(found.begin(), found.end(), [](const BoundKernel& a, const BoundKernel& b) {
    return in_years(a.kernel->calendar_unit) < in_years(b.kernel->calendar_unit);
  });
  Sentences cycles;
  for (const BoundKernel& bound : found) cycles.emplace_back(bound);
  return cycles;
}

// Days, weeks and years that go on beside each other: each as it is, each changing slowly, the
// shortest with a shape that goes with the longest, as days do with the seasons, or all together.
Sentences usual_of_cycles(const SearchSpace& space, std::size_t column) {
  const Sentences cycles = cycles_of(space, column);
  if (cycles.size() < 2) return {};
  const auto line = first_of(space, column, KernelRole::polynomial);
  Sentences sentences;
  for (const BoundKernel& bound : space.base_kernels) {
    if (bound.kernel->role != KernelRole::smooth) continue;
    const std::optional<Expression> smooth = Expression(bound);
    Sentences fixed = cycles;
    Sentences changing;
    for (const auto& cycle : cycles) changing.push_back(joined(space, "*", {cycle, smooth}));
    Sentences seasonal = cycles;
    seasonal.push_back(all_joined(space, "*", {cycles.front(), cycles.back(), smooth}));
    Sentences together = {joined(space, "*", cycles)};
    for (Sentences* terms : {&fixed, &changing, &seasonal, &together}) {
      terms->push_back(smooth);
      terms->push_back(line);
      sentences.push_back(all_joined(space, "+", *terms));
    }
  }
  return sentences;
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
    sentences.push_back(joined(space, "+", {line, periodic}));
    sentences.push_back(periodic);
  }
  const Sentences of_cycles = usual_of_cycles(space, column);
  sentences.insert(sentences.end(), of_cycles.begin(), of_cycles.end());
  sentences.push_back(line);
  // Of time, what is said without a trend is seldom what comes next.
  if (!has_calendar(space, column)) {
    sentences.push_back(first_of(space, column, KernelRole::smooth));
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
    const Sentences usual = usual_of_many(space);
    return distinct_of(space, {usual[0], usual[1]});
  }
  const auto smooth = first_of(space, columns[0], KernelRole::smooth);
  const auto periodic = first_of(space, columns[0], KernelRole::periodic);
  const auto line = first_of(space, columns[0], KernelRole::polynomial);
  return distinct_of(space, {joined(space, "+", {line, smooth}),
                             joined(space, "+", {line, joined(space, "*", {periodic, smooth})})});
}

FirstSentences first_sentences(const SearchSpace& space) {
  const std::vector<std::size_t> columns = columns_of(space);
  if (columns.size() > 1) return {.usual = distinct_of(space, usual_of_many(space)), .rare = {}};
  Sentences usual;
  for (const Expression& probe : probe_kernels(space)) usual.emplace_back(probe);
  const Sentences more = usual_of_one(space, columns[0]);
  usual.insert(usual.end(), more.begin(), more.end());
  return {.usual = distinct(usual), .rare = distinct(rare_of_one(space, columns[0]))};
}

std::optional<Expression> with_rough_rest(const SearchSpace& space, const Expression& kernel) {
  if (columns_of(space).size() < 2) return std::nullopt;
  const std::size_t room = room_of_many(space);
  const auto rest = joined(space, "*", each_rough(space), room);
  if (!rest) return std::nullopt;
  std::optional<Expression> both = all_joined(space, "+", {kernel, rest}, room);
  if (both && shortest_form(*both).num_leaves() < both->num_leaves()) both.reset();
  return both;
}

}  // namespace covary
