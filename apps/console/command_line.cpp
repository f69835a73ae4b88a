#include "command_line.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/settings.h>

namespace covary::app {
namespace {

// The command whose words were read last, or the program itself.
const CLI::App& command_of(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

std::vector<std::string> commands_of(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string no_command(const CLI::App& program) {
  const std::vector<std::string> commands = commands_of(program);
  const std::vector<std::string> words = program.remaining();
  if (words.empty() || words.front().starts_with('-')) {
    return fmt::format("name a command first: {}", fmt::join(commands, ", "));
  }
  const std::string nearest = did_you_mean(words.front(), commands);
  return fmt::format(
      "there is no command {}{}", covary::quoted(words.front()),
      nearest.empty() ? fmt::format("; there are {}", fmt::join(commands, ", ")) : nearest);
}

bool is_flag(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::string word_too_many(const CLI::App& command, const std::vector<std::string>& words) {
  std::vector<std::string> flags;
  std::vector<std::string> others;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    if (option->get_positional()) others.push_back(option->get_name(true));
  }
  const auto flag = std::find_if(words.begin(), words.end(), is_flag);
  if (flag != words.end()) {
    const std::string name = flag->substr(0, flag->find('='));
    if (std::find(flags.begin(), flags.end(), name) != flags.end()) {
      return fmt::format("{} stands after --, where no options are read", shown(name));
    }
    return fmt::format("there is no option {}{}", shown(name), did_you_mean(name, flags));
  }
  return fmt::format("{} is a word too many beside {}; what has blanks in it goes into quotes",
                     words.empty() ? "there" : covary::quoted(words.front()),
                     fmt::join(others, " and "));
}

// CLI11 says it for programmers.
std::string value_complaint(const std::string& words) {
  const std::string many = ": At Most 1 required but received ";
  const std::string none = ": 1 required ";
  const std::string missing = " missing";
  if (const std::size_t at = words.find(many); at != std::string::npos) {
    return fmt::format("{} is given {} times; give it once", words.substr(0, at),
                       words.substr(at + many.size()));
  }
  if (const std::size_t at = words.find(none);
      at != std::string::npos && words.ends_with(missing)) {
    const std::string flag = words.substr(0, at);
    const std::size_t begin = at + none.size();
    return fmt::format("{} needs a value, as in {} {}", flag, flag,
                       words.substr(begin, words.size() - missing.size() - begin));
  }
  return shown(words, 200);
}

}  // namespace

std::string complaint_about(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = command_of(program);
  const bool is_program = &command == &program;
  const std::string name =
      is_program ? program.get_name() : program.get_name() + " " + command.get_name();
  std::string what;
  if (is_program && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    what = no_command(program);
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    what = word_too_many(command, program.remaining(true));
  } else {
    what = value_complaint(error.what());
  }
  return fmt::format("{}; see '{} --help'", what, name);
}

CLI::Option* add_named(CLI::App& command, const std::string& flag, std::string& value,
                       const std::string& needs, const std::string& help) {
  const auto set = [&value, flag, needs](const std::string& text) {
    if (text.empty()) throw Error(ErrorKind::usage, fmt::format("{} needs {}", flag, needs));
    value = text;
  };
  return command.add_option_function<std::string>(flag, set, help);
}

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help) {
  const auto set = [&seed](const std::string& text) {
    try {
      seed = settings::parse_whole_number(text, 0);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("--seed {}", error.what()));
    }
  };
  return command.add_option_function<std::string>("--seed", set, help)->type_name("N");
}

void check_is_none_of(const std::string& path, const std::string& flag,
                      const std::vector<std::string>& others) {
  std::error_code ignored;  // what is not there is not the same
  if (!std::filesystem::is_regular_file(path, ignored)) return;
  for (const std::string& other : others) {
    if (!std::filesystem::equivalent(path, other, ignored)) continue;
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: it is read from and would be lost; choose another name with {}",
                            shown_source(path), flag));
  }
}

}  // namespace covary::app
