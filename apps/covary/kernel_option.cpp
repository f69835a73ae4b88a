#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/settings.h>

#include "commands.h"

namespace covary::app {

Expression parse_kernel_option(const std::string& text, const InputNames& inputs) {
  try {
    return parse_expression(text, inputs);
  } catch (const ParseError& error) {
    throw Error(error.kind(), fmt::format("kernel {}, {}", covary::quoted(text), error.what()));
  }
}

InputNames parse_inputs(const std::string& text) {
  const bool is_number = !text.empty() && std::all_of(text.begin(), text.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  try {
    if (is_number) return InputNames::unnamed(settings::parse_whole_number(text, {1, most_inputs}));
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("--inputs {}", error.what()));
  }
  std::vector<std::string> names = settings::split_list(text);
  if (names.empty()) throw Error(ErrorKind::usage, "--inputs must be a number or a list of names");
  return InputNames(std::move(names));
}

}  // namespace covary::app
