#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <covary/grammar.h>
#include <covary/option_text.h>

#include "base/checkpoint.h"

namespace covary {
namespace {

template <class Item>
void check_distinct(std::string_view option, const std::vector<Item>& items,
                    const InputNames& inputs) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    StopPoint::pass();
    if (std::count(items.begin(), items.end(), items[i]) > 1) {
      throw Error(ErrorKind::usage, fmt::format("{} names {} twice", option_text(option),
                                                to_string(items[i], inputs)));
    }
  }
}

// The same mistake is told in the same way wherever the text came from.
template <class Parse>
auto parse_option(std::string_view option, const Parse& parse) {
  try {
    return parse();
  } catch (const ParseError& error) {
    throw Error(ErrorKind::usage, fmt::format("{}, {}", option_text(option), error.what()));
  }
}

// REQUIRES of both: what the inputs are is known.
std::vector<BoundKernel> offered_kernels(const InputNames& inputs) {
  std::vector<BoundKernel> offered;
  for (const BaseKernel* kernel : all_base_kernels()) {
    const std::size_t num_columns = kernel->uses_input ? inputs.size() : 1;
    for (std::size_t column = 0; column < num_columns; ++column) {
      const InputTraits& traits = inputs.traits()[column];
      const bool is_offered = kernel->acts_on == traits.kind && kernel->is_offered != nullptr &&
                              kernel->is_offered(traits);
      if (is_offered) offered.push_back({kernel, column});
    }
  }
  return offered;
}

std::vector<BoundOperator> offered_operators(const InputNames& inputs) {
  std::vector<BoundOperator> offered;
  for (const Operator* op : all_operators()) {
    const std::size_t num_columns = op->acts_on_input ? inputs.size() : 1;
    for (std::size_t column = 0; column < num_columns; ++column) {
      const bool is_offered = op->is_offered != nullptr && op->is_offered(inputs.traits()[column]);
      if (is_offered) offered.push_back({op, column});
    }
  }
  return offered;
}

// Base kernels that are listed are of numbers nearly always: categories then have what suits them,
// unless some of theirs are listed too.
std::vector<BoundKernel> with_categories(std::vector<BoundKernel> listed,
                                         const InputNames& inputs) {
  const auto is_of_category = [](const BoundKernel& bound) {
    return bound.kernel->acts_on == InputKind::category;
  };
  if (inputs.traits().empty() || std::any_of(listed.begin(), listed.end(), is_of_category)) {
    return listed;
  }
  for (const BoundKernel& offered : offered_kernels(inputs)) {
    if (is_of_category(offered)) listed.push_back(offered);
  }
  return listed;
}

std::string base_kernels_of(const std::string& space) {
  if (space == "paper-small" || space == "auto") return "SE,LIN,PER,RQ";  // without data
  if (space == "paper-large") return "SE,RQ";
  return space;
}

}  // namespace

const std::vector<Setting<SearchSpaceOptions>>& search_space_settings() {
  static const std::vector<Setting<SearchSpaceOptions>> table = {
      settings::text("space", &SearchSpaceOptions::space, "LIST",
                     "Base kernels to search over: auto (what suits each input), paper-small (SE, "
                     "LIN, PER, RQ per input), paper-large (SE, RQ per input), or a list such as "
                     "SE,PER(month); categories have CAT and ALIKE unless the list has kernels for "
                     "them."),
      settings::text("operators", &SearchSpaceOptions::operators, "LIST",
                     "Operators that join kernels: any of +, * and CP (change point), or auto: "
                     "+ and *, and with " +
                         option_text("space", "auto") + " CP for series of 50 rows or more."),
      settings::whole_number(
          "max_leaves", &SearchSpaceOptions::max_leaves, 1,
          "Largest number of base kernels in one kernel expression; what a search "
          "says first of every input alike counts once."),
  };
  return table;
}

SearchSpace make_search_space(const SearchSpaceOptions& options, const InputNames& inputs) {
  check_settings(options, search_space_settings());
  SearchSpace space;
  const bool follows_data = options.space == "auto" && !inputs.traits().empty();
  const bool are_operators_open = options.operators == "auto";
  space.base_kernels = follows_data ? offered_kernels(inputs) : parse_option("space", [&] {
    return with_categories(parse_base_kernels(base_kernels_of(options.space), inputs), inputs);
  });
  space.operators =
      follows_data && are_operators_open
          ? offered_operators(inputs)
          : parse_option("operators", [&] {
              return parse_operators(are_operators_open ? "+,*" : options.operators, inputs);
            });
  space.max_leaves = std::min(options.max_leaves, Expression::max_leaves);
  check_distinct("space", space.base_kernels, inputs);
  check_distinct("operators", space.operators, inputs);
  return space;
}

}  // namespace covary
