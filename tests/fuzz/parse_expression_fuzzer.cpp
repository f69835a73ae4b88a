// Any text either parses, and then prints to text that parses to the identical tree, or is refused
// with a column inside it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <covary/expression.h>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<covary::InputNames> all_inputs = {
      covary::InputNames::unnamed(1), covary::InputNames::unnamed(3),
      covary::InputNames({"cement", "wind speed", "a`b"})};
  if (size == 0) return 0;
  const covary::InputNames& inputs = all_inputs[data[0] % all_inputs.size()];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const covary::Expression tree = covary::parse_expression(text, inputs);
    const std::string printed = covary::to_string(tree, inputs);
    require(covary::identical(covary::parse_expression(printed, inputs), tree));
    require(tree.num_inputs_needed() <= inputs.size());
    require(covary::same_tree(tree, tree) && covary::same_polynomial(tree, tree));
  } catch (const covary::ParseError& error) {
    require(error.column() >= 1 && error.column() <= text.size() + 1);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
