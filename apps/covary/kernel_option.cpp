#include <fmt/format.h>

#include <covary/message_text.h>

#include "commands.h"

namespace covary::app {

Expression parse_kernel_option(const std::string& text, const InputNames& inputs) {
  try {
    return parse_expression(text, inputs);
  } catch (const ParseError& error) {
    throw Error(error.kind(), fmt::format("kernel {}, {}", covary::quoted(text), error.what()));
  }
}

void add_preset(CLI::App& command, EvidenceOptions& options) {
  command
      .add_option_function<std::string>(
          "--preset",
          [&options](const std::string& name) {
            if (name != "default" && name != "paper") {
              throw Error(ErrorKind::usage,
                          fmt::format("--preset must be default or paper, not \"{}\"", name));
            }
            options = name == "paper" ? EvidenceOptions::paper() : EvidenceOptions{};
          },
          "Settings as a whole: the best we know, or the paper's to the letter. Default: default.")
      ->type_name("default|paper");
}

}  // namespace covary::app
