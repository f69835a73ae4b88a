#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <covary/settings.h>

namespace covary::app {

inline std::string flag_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

// One command-line option for every setting of the table; `options` must outlive the parsing.
template <class Options>
void add_settings(CLI::App& command, Options& options, const std::vector<Setting<Options>>& table) {
  for (const Setting<Options>& setting : table) {
    const std::string flag = flag_of(setting.name);
    const auto set = [&options, &setting, flag](const std::string& text) {
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
    const std::string standard = setting.get(Options{});
    command
        .add_option_function<std::string>(
            flag, set, setting.help + (standard.empty() ? "" : " Default: " + standard + "."))
        ->type_name(setting.placeholder);
  }
}

}  // namespace covary::app
