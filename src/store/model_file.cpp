#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/model_file.h>

#include "store/model_text.h"

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

Ensemble load_model(const std::string& path) { return model_from_text(read_whole(path), path); }

}  // namespace covary
