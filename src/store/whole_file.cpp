#include "store/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>

namespace covary {
namespace {

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

ErrorKind kind_of_write_error(int error) {
  const bool is_disk = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  return is_disk ? ErrorKind::disk : ErrorKind::cannot_write;
}

void write_whole_file(const std::string& path, const std::string& text) {
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
  throw Error(kind_of_write_error(error),
              fmt::format("{}: it cannot be written: {}", shown_source(path),
                          std::generic_category().message(error)));
}

}  // namespace covary
