#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/model_file.h>

#include "store/model_text.h"
#include "store/whole_file.h"

namespace covary {
namespace {

constexpr std::size_t max_file_bytes = 32'000'000;

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

}  // namespace

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

void save_model(const Ensemble& model, const std::string& path, bool overwrite) {
  check_model_path(path, overwrite);
  const std::string text = model_to_text(model);
  if (text.size() > max_file_bytes || !can_be_read_back(model)) {
    const std::string what =
        model.size() == 1 ? "a model" : fmt::format("an ensemble of {} models", model.size());
    throw Error(
        ErrorKind::cannot_write,
        fmt::format("{}: {} of {} rows and {} inputs is too large for a model file; "
                    "train on fewer rows with --rows",
                    shown_source(path), what, model.data().num_rows(), model.data().num_inputs()));
  }
  write_whole_file(path, text);
}

Ensemble load_model(const std::string& path) { return model_from_text(read_whole(path), path); }

}  // namespace covary
