#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/model_file.h>
#include <covary/option_text.h>

#include "store/model_text.h"
#include "store/support_file.h"
#include "store/whole_file.h"

namespace covary {
namespace {

// Up to one byte more than `most`.
std::string read_whole(const std::string& path, std::size_t most) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    const int error = errno;
    throw Error(ErrorKind::no_input,
                error == ENOENT ? fmt::format("{}: there is no such file", shown_source(path))
                                : fmt::format("{}: it cannot be read: {}", shown_source(path),
                                              std::generic_category().message(error)));
  }
  struct stat status {};
  const bool is_folder = fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
  std::string text;
  char buffer[1 << 16];
  std::size_t count = 0;
  while (!is_folder && text.size() <= most &&
         (count = std::fread(buffer, 1, sizeof buffer, file)) > 0) {
    text.append(buffer, count);
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);  // NOLINT(cert-err33-c): nothing was written
  if (is_folder) {
    const bool is_run = access((path + "/model.json").c_str(), F_OK) == 0;
    throw Error(ErrorKind::no_input,
                fmt::format("{}: this is a directory, not a file{}", shown_source(path),
                            is_run ? "; its model is model.json in it" : ""));
  }
  if (failed) {
    throw Error(ErrorKind::disk, fmt::format("{}: it cannot be read", shown_source(path)));
  }
  return text;
}

std::string read_text(const std::string& path) {
  std::string text = read_whole(path, max_model_bytes);
  if (text.size() > max_model_bytes) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: it is larger than 32 MB and no model file", shown_source(path)));
  }
  return text;
}

[[noreturn]] void fail_as_too_large(const Dataset& data, std::size_t num_members,
                                    const std::string& path) {
  const std::string what =
      num_members == 1 ? "a model" : fmt::format("an ensemble of {} models", num_members);
  throw Error(ErrorKind::cannot_write,
              fmt::format("{}: {} of {} rows and {} inputs is too large for a model file; train on "
                          "fewer rows with {}, or on fewer inputs with {}",
                          shown_source(path), what, data.num_rows(), data.num_inputs(),
                          option_text("rows"), option_text("inputs")));
}

// Not a pipe or a device.
bool can_have_a_file_beside(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

}  // namespace

void check_model_path(const std::string& path, ExistingFile existing) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: this is a directory; name a file in it", shown_source(path)));
  }
  if (exists && S_ISREG(status.st_mode) && existing == ExistingFile::keep) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: it exists already; choose another name, or use {}",
                            shown_source(path), switch_text("overwrite")));
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK) != 0) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: it cannot be written: {}", shown_source(path),
                            std::generic_category().message(errno)));
  }
}

void save_model(const Ensemble& model, const std::string& path, ExistingFile existing) {
  check_model_path(path, existing);
  const ModelParts parts = model_parts(model);
  if (parts.text.size() > max_model_bytes || !can_be_read_back(model)) {
    fail_as_too_large(model.data(), model.size(), path);
  }
  // The one that is read first is written last.
  if (parts.support) {
    if (!can_have_a_file_beside(path)) {
      throw Error(ErrorKind::cannot_write,
                  fmt::format("{}: a model of so many rows is two files, and this is no place for "
                              "two; name a file",
                              shown_source(path)));
    }
    write_whole_file(support_file_of(path), *parts.support);
  }
  write_whole_file(path, parts.text);
}

void check_model_size(const Dataset& data, std::size_t num_members, const std::string& path) {
  if (!can_be_kept(data, num_members)) fail_as_too_large(data, num_members, path);
}

Ensemble load_model(const std::string& path, const LongWork& work) {
  return load_model_with_checksum(path, work).model;
}

ModelWithChecksum load_model_with_checksum(const std::string& path, const LongWork& work) {
  return model_with_checksum(read_text(path), path, work, [&](std::size_t num_bytes) {
    return read_whole(support_file_of(path), num_bytes);
  });
}

}  // namespace covary
