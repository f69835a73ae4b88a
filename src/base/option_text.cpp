#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>

#include <covary/option_text.h>

namespace covary {
namespace {

std::atomic<Reader> reader_of_messages{Reader::command_line};

bool is_python() { return reader_of_messages == Reader::python; }

// What is not called the same everywhere. Where Python has no such option, it has another way, in
// words that stand where the option would; {} is the value.
struct Exception {
  std::string_view name;
  std::string_view on_command_line;
  std::string_view in_python;
  std::string_view in_python_with_value = {};
};
constexpr std::array exceptions = {
    Exception{"transform", "--transform", "target_transform"},
    Exception{"seed", "--seed", "random_state"},
    Exception{"rows", "--rows", "a sample of the rows", "a sample of {} rows"},
    Exception{"day_order", "--day-order", "pandas.to_datetime", "pandas.to_datetime, {}"},
    Exception{"overwrite", "--force", "overwrite"},
    Exception{"continue", "covary search --resume", "resume"},
};

const Exception* exception_of(std::string_view name) {
  const auto* found = std::find_if(exceptions.begin(), exceptions.end(),
                                   [&](const Exception& one) { return one.name == name; });
  return found != exceptions.end() ? found : nullptr;
}

std::string flag_of(std::string_view name) {
  std::string flag = fmt::format("--{}", name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string value_in_python(std::string_view value) {
  if (value == "yes") return "True";
  if (value == "no") return "False";
  const bool is_number =
      !value.empty() && value.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_number ? std::string(value) : fmt::format("\"{}\"", value);
}

}  // namespace

void set_reader(Reader reader) { reader_of_messages = reader; }

std::string option_text(std::string_view name) {
  const Exception* exception = exception_of(name);
  if (exception == nullptr) return is_python() ? std::string(name) : flag_of(name);
  return std::string(is_python() ? exception->in_python : exception->on_command_line);
}

std::string option_text(std::string_view name, std::string_view value) {
  if (!is_python()) return fmt::format("{} {}", option_text(name), value);
  const Exception* exception = exception_of(name);
  if (exception != nullptr && !exception->in_python_with_value.empty()) {
    return fmt::format(fmt::runtime(exception->in_python_with_value), value);
  }
  return fmt::format("{}={}", option_text(name), value_in_python(value));
}

std::string switch_text(std::string_view name) {
  return is_python() ? fmt::format("{}=True", option_text(name)) : option_text(name);
}

}  // namespace covary
