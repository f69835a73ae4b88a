#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <covary/grammar.h>

namespace covary {
namespace {

template <class Item>
void check_distinct(std::string_view option, const std::vector<Item>& items,
                    const InputNames& inputs) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::count(items.begin(), items.end(), items[i]) > 1) {
      throw Error(ErrorKind::usage,
                  fmt::format("--{} names {} twice", option, to_string(items[i], inputs)));
    }
  }
}

// The same mistake is told in the same way wherever the text came from.
template <class Parse>
auto parse_option(std::string_view option, const Parse& parse) {
  try {
    return parse();
  } catch (const ParseError& error) {
    throw Error(ErrorKind::usage, fmt::format("--{}, {}", option, error.what()));
  }
}

// What stands for the space's name in terms of the inputs' kinds: base kernels of numbers on all
// numbers, and on categories those of categories, unless some are listed.
std::vector<BoundKernel> with_categories(std::vector<BoundKernel> listed,
                                         const InputNames& inputs) {
  const bool has_some = std::any_of(listed.begin(), listed.end(), [](const BoundKernel& bound) {
    return bound.kernel->acts_on == InputKind::category;
  });
  if (has_some || !inputs.has_kinds()) return listed;
  for (const std::size_t column : inputs.columns(InputKind::category)) {
    for (const BaseKernel* kernel : all_base_kernels()) {
      if (kernel->acts_on == InputKind::category) listed.push_back({kernel, column});
    }
  }
  return listed;
}

std::string base_kernels_of(const std::string& space) {
  if (space == "paper-small") return "SE,LIN,PER,RQ";
  if (space == "paper-large") return "SE,RQ";
  return space;
}

}  // namespace

const std::vector<Setting<SearchSpaceOptions>>& search_space_settings() {
  static const std::vector<Setting<SearchSpaceOptions>> table = {
      settings::text("space", &SearchSpaceOptions::space, "LIST",
                     "Base kernels to search over: paper-small (SE, LIN, PER, RQ per input), "
                     "paper-large (SE, RQ per input), or a list such as SE,PER(month); categories "
                     "have CAT and ALIKE unless the list has kernels for them."),
      settings::text("operators", &SearchSpaceOptions::operators, "LIST",
                     "Operators that join kernels: any of +, * and CP (change point)."),
      settings::whole_number("max_leaves", &SearchSpaceOptions::max_leaves, 1,
                             "Largest number of base kernels in one kernel expression."),
  };
  return table;
}

SearchSpace make_search_space(const SearchSpaceOptions& options, const InputNames& inputs) {
  check_settings(options, search_space_settings());
  SearchSpace space;
  space.base_kernels = parse_option("space", [&] {
    return with_categories(parse_base_kernels(base_kernels_of(options.space), inputs), inputs);
  });
  space.operators =
      parse_option("operators", [&] { return parse_operators(options.operators, inputs); });
  space.max_leaves = std::min(options.max_leaves, Expression::max_leaves);
  check_distinct("space", space.base_kernels, inputs);
  check_distinct("operators", space.operators, inputs);
  return space;
}

}  // namespace covary
