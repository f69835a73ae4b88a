#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <covary/error.h>

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
};

namespace settings {

// "a, b, c" as three trimmed words; empty words are left out.
std::vector<std::string> split_list(std::string_view text);
std::string join_list(const std::vector<std::string>& words);

std::uint64_t parse_whole_number(std::string_view text, std::uint64_t at_least);

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
Setting<Options> whole_number(std::string name, Number Options::*member, std::uint64_t at_least,
                              std::string help) {
  return {std::move(name), "N", std::move(help),
          [member, at_least](Options& o, std::string_view value) {
            o.*member = static_cast<Number>(parse_whole_number(value, at_least));
          },
          [member](const Options& o) { return std::to_string(o.*member); }};
}

template <class Options, class Number>
Setting<Options> whole_number(std::string name, std::optional<Number> Options::*member,
                              std::uint64_t at_least, std::string help) {
  return {std::move(name), "N", std::move(help),
          [member, at_least](Options& o, std::string_view value) {
            o.*member = static_cast<Number>(parse_whole_number(value, at_least));
          },
          [member](const Options& o) {
            return (o.*member).has_value() ? std::to_string(*(o.*member)) : std::string();
          }};
}

double parse_seconds(std::string_view text);
std::string number_text(double number);  // the shortest that reads back as the same number

// A duration in seconds, zero or more.
template <class Options>
Setting<Options> seconds(std::string name, double Options::*member, std::string help) {
  return {std::move(name), "SECONDS", std::move(help),
          [member](Options& o, std::string_view value) { o.*member = parse_seconds(value); },
          [member](const Options& o) { return number_text(o.*member); }};
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
  return {std::move(name), placeholder, std::move(help),
          [member, words, placeholder](Options& o, std::string_view text) {
            for (const auto& [word, value] : words) {
              if (word == text) {
                o.*member = value;
                return;
              }
            }
            throw Error(ErrorKind::usage,
                        "must be one of " + placeholder + ", not \"" + std::string(text) + "\"");
          },
          [member, words](const Options& o) {
            for (const auto& [word, value] : words) {
              if (value == o.*member) return word;
            }
            return std::string();
          }};
}

}  // namespace settings
}  // namespace covary
