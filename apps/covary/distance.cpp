// covary distance: how far apart two kernels are as symbols.
#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"
#include "terminal.h"

namespace covary::app {
namespace {

struct DistanceOptions {
  std::string first;
  std::string second;
  std::string inputs;
  bool json = false;
};

// The largest input that a text binds to by number, at least 1. Numbers that nobody means are left
// for the parser to complain of.
std::size_t largest_input_number(std::string_view text) {
  constexpr std::size_t most = most_inputs;
  std::size_t largest = 1;
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    std::size_t number = 0;
    std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    if (number <= most) largest = std::max(largest, number);
  }
  return largest;
}

InputNames inputs_of(const DistanceOptions& options) {
  if (!options.inputs.empty()) return parse_inputs(options.inputs);
  return InputNames::unnamed(
      std::max(largest_input_number(options.first), largest_input_number(options.second)));
}

void run_distance(const DistanceOptions& options) {
  const InputNames inputs = inputs_of(options);
  const Expression first = parse_kernel_option(options.first, inputs);
  const Expression second = parse_kernel_option(options.second, inputs);
  const TransportDistances distances = transport_distances(first, second);
  if (options.json) {
    const nlohmann::ordered_json out = {
        {"base", distances.base}, {"paths", distances.paths}, {"subtrees", distances.subtrees}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print(
      "{}",
      format_table(
          {{"part", "distance", "compares"},
           {"base", fmt::format("{:.6f}", distances.base), "which base kernels act on each input"},
           {"paths", fmt::format("{:.6f}", distances.paths), "by which operators they are reached"},
           {"subtrees", fmt::format("{:.6f}", distances.subtrees), "what is joined with what"}}));
}

}  // namespace

void add_distance(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "distance", "Measure how far apart two kernel expressions are as symbols.");
  const auto options = std::make_shared<DistanceOptions>();
  command->add_option("EXPR1", options->first, "Kernel expression such as \"LIN + SE*PER\".")
      ->required();
  command->add_option("EXPR2", options->second, "The other kernel expression.")->required();
  add_named(*command, "--inputs", options->inputs, "a number of inputs, or a list of names",
            "Number of inputs, or their names as a list. Default: as many as the kernels name by "
            "number.")
      ->type_name("N|LIST");
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->callback([options] { run_distance(*options); });
}

}  // namespace covary::app
