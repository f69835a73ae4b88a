#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/settings.h>

namespace covary::app {

inline std::string flag_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

// --preset, which sets all options at once; add it before the single ones, so that flags given
// beside it have the last word.
template <class Options>
void add_preset(CLI::App& command, Options& options) {
  command
      .add_option_function<std::string>(
          "--preset",
          [&options](const std::string& name) {
            if (name != "default" && name != "paper") {
              throw Error(ErrorKind::usage,
                          "--preset must be default or paper, not " + covary::quoted(name));
            }
            options = name == "paper" ? Options::paper() : Options{};
          },
          "Settings as a whole: the best we know, or the paper's to the letter. Default: default.")
      ->type_name("default|paper");
}

// One command-line option for every setting of the table but those named in `except`; `options`
// must outlive the parsing.
template <class Options>
void add_settings(CLI::App& command, Options& options, const std::vector<Setting<Options>>& table,
                  const std::vector<std::string>& except = {}) {
  for (const Setting<Options>& setting : table) {
    if (std::find(except.begin(), except.end(), setting.name) != except.end()) continue;
    const std::string flag = flag_of(setting.name);
    const auto set = [&options, &setting, flag](const std::string& text) {
      // A variable of a shell script that was never set would otherwise mean the default.
      if (text.empty() && !setting.placeholder.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{0} needs a value, as in {0} {1}", flag, setting.placeholder));
      }
      try {
        setting.set(options, text);
      } catch (const Error& error) {
        throw Error(error.kind(), flag + " " + error.what());
      }
    };
    if (setting.placeholder.empty()) {
      command.add_flag_callback(
          flag, [set] { set(""); }, setting.help);
      continue;
    }
    const std::string standard = setting.get(options);
    command
        .add_option_function<std::string>(
            flag, set, setting.help + (standard.empty() ? "" : " Default: " + standard + "."))
        ->type_name(setting.placeholder);
  }
}

}  // namespace covary::app
