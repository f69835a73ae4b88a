#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <covary/error.h>
#include <covary/message_text.h>

namespace covary {

// One field of an options struct. A struct's table of settings drives the command line's flags,
// their help and checks, and every place that lists or stores settings.
template <class Options>
struct Setting {
  std::string name;         // "max_evaluations"; on the command line --max-evaluations
  std::string placeholder;  // "N"; empty for a switch
  std::string help;
  // Both directions as text. `set` throws Error(usage) with a sentence that does not repeat the
  // name, since each surface spells it in its own way.
  std::function<void(Options&, std::string_view)> set;
  std::function<std::string(const Options&)> get;
  // Throws the same unless the value that is there now is one that `set` could have put there.
  // Without one, any value may be there.
  std::function<void(const Options&)> check = {};
};

// Throws Error(usage) that begins with the name of the first setting whose value is impossible. For
// options that were filled in by a program, which no text was read for.
template <class Options>
void check_settings(const Options& options, const std::vector<Setting<Options>>& table) {
  for (const Setting<Options>& setting : table) {
    if (!setting.check) continue;
    try {
      setting.check(options);
    } catch (const Error& error) {
      throw Error(error.kind(), setting.name + " " + error.what());
    }
  }
}

namespace settings {

// "a, b, c" as three trimmed words; empty words are left out.
std::vector<std::string> split_list(std::string_view text);
std::string join_list(const std::vector<std::string>& words);

// The numbers that a whole number may be; a plain one is the least.
struct WholeNumbers {
  constexpr WholeNumbers(std::uint64_t least,
                         std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : at_least(least), at_most(most) {}
  std::uint64_t at_least;
  std::uint64_t at_most;
};

std::uint64_t parse_whole_number(std::string_view text, const WholeNumbers& allowed);
void check_whole_number(std::uint64_t number, const WholeNumbers& allowed);

template <class Options>
Setting<Options> text(std::string name, std::string Options::*member, std::string placeholder,
                      std::string help) {
  return {std::move(name), std::move(placeholder), std::move(help),
          [member](Options& o, std::string_view value) { o.*member = std::string(value); },
          [member](const Options& o) { return o.*member; }};
}

template <class Options>
Setting<Options> list(std::string name, std::vector<std::string> Options::*member,
                      std::string placeholder, std::string help) {
  return {std::move(name), std::move(placeholder), std::move(help),
          [member](Options& o, std::string_view value) { o.*member = split_list(value); },
          [member](const Options& o) { return join_list(o.*member); }};
}

template <class Options, class Number>
Setting<Options> whole_number(std::string name, Number Options::*member,
                              const WholeNumbers& allowed, std::string help) {
  static_assert(std::is_unsigned_v<Number>);
  return {std::move(name),
          "N",
          std::move(help),
          [member, allowed](Options& o, std::string_view value) {
            o.*member = static_cast<Number>(parse_whole_number(value, allowed));
          },
          [member](const Options& o) { return std::to_string(o.*member); },
          [member, allowed](const Options& o) { check_whole_number(o.*member, allowed); }};
}

template <class Options, class Number>
Setting<Options> whole_number(std::string name, std::optional<Number> Options::*member,
                              const WholeNumbers& allowed, std::string help) {
  static_assert(std::is_unsigned_v<Number>);
  return {std::move(name),
          "N",
          std::move(help),
          [member, allowed](Options& o, std::string_view value) {
            o.*member = static_cast<Number>(parse_whole_number(value, allowed));
          },
          [member](const Options& o) {
            return (o.*member).has_value() ? std::to_string(*(o.*member)) : std::string();
          },
          [member, allowed](const Options& o) {
            if ((o.*member).has_value()) check_whole_number(*(o.*member), allowed);
          }};
}

double parse_seconds(std::string_view text);
void check_seconds(double number);
std::string number_text(double number);  // the shortest that reads back as the same number

// A duration in seconds, zero or more.
template <class Options>
Setting<Options> seconds(std::string name, double Options::*member, std::string help) {
  return {std::move(name),
          "SECONDS",
          std::move(help),
          [member](Options& o, std::string_view value) { o.*member = parse_seconds(value); },
          [member](const Options& o) { return number_text(o.*member); },
          [member](const Options& o) { check_seconds(o.*member); }};
}

// A switch that puts `value_when_given` into a bool.
template <class Options>
Setting<Options> flag(std::string name, bool Options::*member, bool value_when_given,
                      std::string help) {
  return {
      std::move(name), "", std::move(help),
      [member, value_when_given](Options& o, std::string_view) { o.*member = value_when_given; },
      [member, value_when_given](const Options& o) {
        return std::string(o.*member == value_when_given ? "yes" : "no");
      }};
}

template <class Options, class Enum>
Setting<Options> choice(std::string name, Enum Options::*member,
                        std::vector<std::pair<std::string, Enum>> words, std::string help) {
  std::string placeholder;
  for (const auto& [word, value] : words) placeholder += (placeholder.empty() ? "" : "|") + word;
  return {std::move(name),
          placeholder,
          std::move(help),
          [member, words, placeholder](Options& o, std::string_view text) {
            for (const auto& [word, value] : words) {
              if (word == text) {
                o.*member = value;
                return;
              }
            }
            throw Error(ErrorKind::usage,
                        "must be one of " + placeholder + ", not " + quoted(text));
          },
          [member, words](const Options& o) {
            for (const auto& [word, value] : words) {
              if (value == o.*member) return word;
            }
            return std::string();
          },
          [member, words, placeholder](const Options& o) {
            for (const auto& [word, value] : words) {
              if (value == o.*member) return;
            }
            std::string other = "something else";
            if constexpr (std::is_enum_v<Enum>) {
              other = "the enumerator " + std::to_string(static_cast<std::int64_t>(o.*member));
            }
            throw Error(ErrorKind::usage, "must be one of " + placeholder + ", not " + other);
          }};
}

}  // namespace settings
}  // namespace covary
