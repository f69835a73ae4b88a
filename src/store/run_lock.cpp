#include "store/run_lock.h"

#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "store/whole_file.h"

namespace covary {
namespace {

// Longer than any holder's line; the file may be anybody's.
constexpr std::size_t max_holder_bytes = 200;

std::string holder_text() {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  const std::string name = shortened(host, 64);
  return fmt::format("process {} on {} since {}", getpid(), name.empty() ? "this machine" : name,
                     utc_now());
}

std::string read_holder(int file) {
  char text[max_holder_bytes];
  const ssize_t size = pread(file, text, sizeof text, 0);
  // Empty for the moment between taking the lock and signing it.
  if (size <= 0) return "another process";
  return shown(std::string_view(text, static_cast<std::size_t>(size)), max_holder_bytes);
}

[[noreturn]] void fail(const std::string& path, int error) {
  const bool is_not_ours = error == EACCES || error == EPERM || error == EROFS;
  throw Error(
      kind_of_write_error(error),
      fmt::format("{}: it cannot be written: {}{}", shown_source(path),
                  std::generic_category().message(error),
                  is_not_ours ? fmt::format("; with {}, name a place of your own, or a copy "
                                            "of this run to go on with",
                                            option_text("out"))
                              : ""));
}

int lock_now(int file) {
  int result = 0;
  do {
    result = flock(file, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(now));
}

RunLock::RunLock(const std::string& folder)
    // O_NOFOLLOW: a link would let somebody choose the file that is written to.
    : file_(open((folder + "/run.lock").c_str(),
                 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644)) {
  const std::string path = folder + "/run.lock";
  if (file_ < 0) fail(path, errno);
  struct stat status {};
  int error = fstat(file_, &status) != 0 ? errno : 0;
  if (error == 0 && !S_ISREG(status.st_mode)) error = EEXIST;
  if (error == 0) error = lock_now(file_);
  if (error != 0) {
    const std::string holder = error == EWOULDBLOCK ? read_holder(file_) : std::string();
    close(file_);
    if (error != EWOULDBLOCK) fail(path, error);
    throw Error(ErrorKind::in_use,
                fmt::format("the run in {} is in use by {}; wait until it ends, or choose another "
                            "folder with {}",
                            shown_source(folder), holder, option_text("out")));
  }
  const std::string holder = holder_text();
  // The lock holds without the text too, for example on a full disk.
  if (ftruncate(file_, 0) == 0) {
    [[maybe_unused]] const ssize_t size = pwrite(file_, holder.data(), holder.size(), 0);
  }
}

RunLock::RunLock(RunLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

RunLock::~RunLock() {
  if (file_ < 0) return;
  [[maybe_unused]] const int result = ftruncate(file_, 0);
  close(file_);
}

}  // namespace covary
