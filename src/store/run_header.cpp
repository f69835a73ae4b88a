#include "store/run_header.h"

#include <algorithm>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

namespace covary {
namespace {

std::string value_of(const RunHeader& header, const std::string& name) {
  for (const auto& [setting, value] : header.settings) {
    if (setting == name) return value;
  }
  return {};
}

[[noreturn]] void refuse(const std::string& folder, const std::string& name,
                         const std::string& then, const std::string& now) {
  throw Error(ErrorKind::usage,
              fmt::format("the run in {} was made {}, now it is {}; give the settings it was made "
                          "with, or replace it with {}",
                          shown_source(folder),
                          then.empty() ? "without " + option_text(shown(name))
                                       : "with " + option_text(shown(name), shown(then)),
                          now.empty() ? "not given" : shown(now), switch_text("force")));
}

}  // namespace

void check_matches(const RunHeader& run, const RunHeader& now, const std::string& folder,
                   std::span<const std::string> may_differ) {
  if (run.data_fingerprint != now.data_fingerprint) {
    throw Error(
        ErrorKind::bad_data,
        fmt::format("the run in {} was made with other data (fingerprint {}, now it is {}); "
                    "give the data it was made with, or replace it with {}",
                    shown_source(folder), shown(run.data_fingerprint), shown(now.data_fingerprint),
                    switch_text("force")));
  }
  if (run.is_scaled && now.is_scaled && *run.is_scaled != *now.is_scaled) {
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "the run in {} was made {}, or replace it with {}", shown_source(folder),
            *now.is_scaled
                ? "without scaling, now the data are scaled; give " + switch_text("no_scale")
                : "with scaled data, now they are not; leave out " + option_text("no_scale"),
            switch_text("force")));
  }
  if (run.seed != now.seed) {
    refuse(folder, "seed", std::to_string(run.seed), std::to_string(now.seed));
  }
  const auto compare = [&](const RunHeader& names) {
    for (const auto& [name, value] : names.settings) {
      if (std::find(may_differ.begin(), may_differ.end(), name) != may_differ.end()) continue;
      const std::string then = value_of(run, name);
      const std::string today = value_of(now, name);
      if (then != today) refuse(folder, name, then, today);
    }
  };
  compare(run);
  compare(now);  // settings that the run does not know
  // Last: another number or seed of the rows has been named by now.
  if (run.rows_fingerprint && run.rows_fingerprint != now.rows_fingerprint) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the run in {} was made with other rows of these data; give the rows "
                            "it was made with, or replace it with {}",
                            shown_source(folder), switch_text("force")));
  }
}

}  // namespace covary
