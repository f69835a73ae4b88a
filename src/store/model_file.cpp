#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/evidence.h>
#include <covary/message_text.h>
#include <covary/model_file.h>

#include "base/hash.h"

namespace covary {
namespace {

using Json = nlohmann::ordered_json;

constexpr char format_name[] = "covary-model";
constexpr int format_version = 1;
// More is no model of ours: the exact GP ends at some ten thousand rows.
constexpr std::size_t max_file_bytes = 32'000'000;
constexpr std::size_t max_values = 1'500'000;
constexpr int max_depth = 16;

std::string checksum_of(const Json& model) {
  Fingerprint fingerprint;
  fingerprint.add(std::string_view(model.dump()));
  return fingerprint.digits();
}

Json to_json(const Scaling& scaling, std::span<const double> values) {
  return {{"name", scaling.name},
          {"type", to_string(scaling.type)},
          {"offset", scaling.offset},
          {"factor", scaling.factor},
          {"scaled_values", std::vector<double>(values.begin(), values.end())}};
}

Json parameters_to_json(const FittedModel& model) {
  Json parameters = Json::array();
  for (const ParameterValue& parameter : model.named_parameters()) {
    parameters.push_back({{"kernel", parameter.kernel},
                          {"column", parameter.column},
                          {"name", parameter.name},
                          {"value", parameter.value}});
  }
  return parameters;
}

Json to_json(const FittedModel& model) {
  const Dataset& data = model.data();
  Json inputs = Json::array();
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    inputs.push_back(to_json(data.input_scaling(i), data.input(i)));
  }
  return {{"kernel", model.kernel_text()},
          {"mean", model.mean_function() == MeanFunction::constant ? "constant" : "zero"},
          {"parameters", parameters_to_json(model)},
          {"fingerprint", data.fingerprint()},
          {"rows", data.num_rows()},
          {"target", to_json(data.target_scaling(), data.target())},
          {"inputs", inputs}};
}

// ---- reading: every value is checked before it is used ----

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::bad_data, message); }

const Json& member(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) fail(fmt::format("\"{}\" is missing", name));
  return object.at(name);
}

std::string text_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) fail(fmt::format("\"{}\" is not text", name));
  return value.get<std::string>();
}

double finite_number(const Json& value, const char* name) {
  if (!value.is_number()) fail(fmt::format("\"{}\" has something that is not a number", name));
  const double number = value.get<double>();
  if (!std::isfinite(number)) fail(fmt::format("\"{}\" has a number that is not finite", name));
  return number;
}

ColumnType column_type(const std::string& word) {
  for (const ColumnType type : {ColumnType::number, ColumnType::date, ColumnType::date_time}) {
    if (to_string(type) == word) return type;
  }
  fail(fmt::format("\"type\" is {}, not number, date or date_time", covary::quoted(word)));
}

Scaling scaling_from(const Json& column) {
  Scaling scaling;
  scaling.name = text_of(column, "name");
  scaling.type = column_type(text_of(column, "type"));
  scaling.offset = finite_number(member(column, "offset"), "offset");
  scaling.factor = finite_number(member(column, "factor"), "factor");
  if (!(scaling.factor > 0.0)) fail("\"factor\" is not positive");
  return scaling;
}

std::vector<double> values_from(const Json& column) {
  const Json& array = member(column, "scaled_values");
  if (!array.is_array() || array.empty()) fail("\"scaled_values\" is not a list of numbers");
  std::vector<double> values;
  values.reserve(array.size());
  for (const Json& value : array) values.push_back(finite_number(value, "scaled_values"));
  return values;
}

Dataset dataset_from(const Json& model) {
  const Json& target = member(model, "target");
  const Json& inputs = member(model, "inputs");
  if (!inputs.is_array() || inputs.empty()) fail("\"inputs\" is not a list of columns");
  const std::vector<double> target_values = values_from(target);
  const Json& rows = member(model, "rows");
  if (!rows.is_number_unsigned() || rows.get<std::uint64_t>() != target_values.size()) {
    fail("\"rows\" is not the length of its columns");
  }
  if (evaluation_bytes(target_values.size()) > machine_bytes()) {
    fail(fmt::format("its {} rows need more memory than this machine has", target_values.size()));
  }
  std::vector<std::vector<double>> columns;
  std::vector<Scaling> scalings;
  for (const Json& input : inputs) {
    scalings.push_back(scaling_from(input));
    columns.push_back(values_from(input));
    if (columns.back().size() != target_values.size()) fail("the columns differ in length");
    for (std::size_t i = 0; i + 1 < scalings.size(); ++i) {
      if (scalings[i].name == scalings.back().name) {
        fail(fmt::format("two inputs have the name {}", covary::quoted(scalings[i].name)));
      }
    }
  }
  const std::string fingerprint = text_of(model, "fingerprint");
  if (fingerprint.size() != 32 ||
      fingerprint.find_first_not_of("0123456789abcdef") != std::string::npos) {
    fail("\"fingerprint\" is not 32 hexadecimal digits");
  }
  return {std::move(columns),   target_values, std::move(scalings),
          scaling_from(target), fingerprint,   {}};
}

FittedModel model_from(const Json& model) {
  const Dataset data = dataset_from(model);
  const Json& list = member(model, "parameters");
  if (!list.is_array()) fail("\"parameters\" is not a list");
  std::vector<double> parameters;
  for (const Json& parameter : list) {
    parameters.push_back(finite_number(member(parameter, "value"), "parameters"));
  }
  const std::string mean = text_of(model, "mean");
  if (mean != "zero" && mean != "constant") fail("\"mean\" is neither zero nor constant");
  const Expression kernel =
      parse_expression(text_of(model, "kernel"), InputNames(data.input_names()));
  FittedModel fitted(kernel, std::move(parameters), data,
                     mean == "constant" ? MeanFunction::constant : MeanFunction::zero);
  // What people read beside the values must be what the values are.
  if (parameters_to_json(fitted) != list) fail("\"parameters\" are not those of the kernel");
  return fitted;
}

// Nesting and size are bounded while parsing, so that a hostile file cannot fill the memory.
Json parse_bounded(const std::string& text) {
  std::size_t num_values = 0;
  const auto keep = [&](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    if (depth > max_depth) fail("its values are nested too deep");
    if (++num_values > max_values) fail("it has more values than any model");
    return true;
  };
  try {
    return Json::parse(text, keep);
  } catch (const nlohmann::json::parse_error& error) {
    fail(fmt::format("it is not JSON, or cut off, at byte {}", error.byte));
  } catch (const nlohmann::json::exception&) {
    fail("it has a number that is too large");
  }
}

std::string read_whole(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    throw Error(ErrorKind::no_input,
                errno == ENOENT ? fmt::format("{}: there is no such file", shown_source(path))
                                : fmt::format("{}: it cannot be read", shown_source(path)));
  }
  struct stat status {};
  const bool is_folder = fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
  std::string text;
  char buffer[1 << 16];
  std::size_t count = 0;
  while (!is_folder && text.size() <= max_file_bytes &&
         (count = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    text.append(buffer, count);
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);  // NOLINT(cert-err33-c): nothing was written
  if (is_folder) {
    throw Error(ErrorKind::no_input,
                fmt::format("{}: this is a directory, not a file", shown_source(path)));
  }
  if (failed) {
    throw Error(ErrorKind::disk, fmt::format("{}: it cannot be read", shown_source(path)));
  }
  if (text.size() > max_file_bytes) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: it is larger than 32 MB and no model file", shown_source(path)));
  }
  return text;
}

// The whole text on disk, or an errno.
int write_and_sync(const std::string& path, const std::string& text, int extra_flags) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | extra_flags, 0644);
  if (file < 0) return errno;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      close(file);
      return error;
    }
    done += static_cast<std::size_t>(count);
  }
  const bool is_synced = fsync(file) == 0 || errno == EINVAL || errno == EROFS;  // pipes cannot be
  const int error = is_synced ? 0 : errno;
  return close(file) == 0 ? error : errno;
}

}  // namespace

std::string model_to_text(const FittedModel& model) {
  const Json content = to_json(model);
  const Json file = {{"format", format_name},
                     {"version", format_version},
                     {"checksum", checksum_of(content)},
                     {"model", content}};
  return file.dump(1) + "\n";
}

FittedModel model_from_text(const std::string& text, const std::string& source) {
  try {
    const Json file = parse_bounded(text);
    if (!file.is_object() || !file.contains("format") || file["format"] != format_name) {
      fail("it is not a Covary model");
    }
    if (member(file, "version") != format_version) {
      fail(fmt::format("it is of format version {}, this program reads version {}",
                       shown(file["version"].dump()), format_version));
    }
    const Json& model = member(file, "model");
    if (text_of(file, "checksum") != checksum_of(model)) {
      fail("its checksum does not fit: the file was damaged or edited");
    }
    return model_from(model);
  } catch (const Error& error) {
    // Whatever is wrong in it, it is the file that is wrong.
    throw Error(ErrorKind::bad_data, fmt::format("{}: {}", shown_source(source), error.what()));
  }
}

void check_model_path(const std::string& path, bool overwrite) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: this is a directory; name a file in it", shown_source(path)));
  }
  if (exists && S_ISREG(status.st_mode) && !overwrite) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: it exists already; choose another name, or use --force",
                            shown_source(path)));
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK) != 0) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: it cannot be written: {}", shown_source(path),
                            std::generic_category().message(errno)));
  }
}

void save_model(const FittedModel& model, const std::string& path, bool overwrite) {
  check_model_path(path, overwrite);
  const std::string text = model_to_text(model);
  const std::size_t num_values = model.data().num_rows() * (model.data().num_inputs() + 1);
  if (text.size() > max_file_bytes || num_values > max_values - 10'000) {
    throw Error(
        ErrorKind::cannot_write,
        fmt::format("{}: a model of {} rows and {} inputs is too large for a model file; "
                    "train on fewer rows with --rows",
                    shown_source(path), model.data().num_rows(), model.data().num_inputs()));
  }
  const std::string beside = path + ".part";
  struct stat status {};
  int error = 0;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    error = write_and_sync(path, text, 0);  // a pipe or a device is written to, not replaced
  } else {
    unlink(beside.c_str());
    // O_EXCL: a new file, never one that somebody has put there.
    error = write_and_sync(beside, text, O_CREAT | O_EXCL);
    if (error == 0 && std::rename(beside.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) unlink(beside.c_str());
  }
  if (error == 0) return;
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  throw Error(is_full ? ErrorKind::disk : ErrorKind::cannot_write,
              fmt::format("{}: it cannot be written: {}", shown_source(path),
                          std::generic_category().message(error)));
}

FittedModel load_model(const std::string& path) { return model_from_text(read_whole(path), path); }

}  // namespace covary
