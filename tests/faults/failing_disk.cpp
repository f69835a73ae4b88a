// Loaded into a program before all else (LD_PRELOAD), this lets one of its calls that change what
// is on disk fail. Such calls are counted from 1: opening to write, making and removing, renaming,
// writing, syncing and closing.
//
//   COVARY_FAIL_LOG    each of them is told there, one line a call
//   COVARY_FAIL_CALL   the number of the one that fails
//   COVARY_FAIL_HOW    once: it fails with EIO.
//                      dead: and so do all after it.
//                      full: it writes half of what it was given; then there is no room (ENOSPC).
//                      short: it writes half.
//                      killed: it writes half and the process is killed.
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr int max_files = 1024;

std::mutex mutex;
bool is_written[max_files];  // files that are open to be written to
long num_calls = 0;
int log_file = -1;

template <class Function>
Function* real(Function* /*like*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

enum class Fate { works, fails, half };

bool needs_room(const char* call) {
  for (const char* name : {"open", "mkdir", "write", "fsync", "truncate"}) {
    if (std::strcmp(call, name) == 0) return true;
  }
  return false;
}

// Of one call more; errno is set where it fails.
Fate fate_of(const char* call, const char* path, std::size_t size = 0) {
  const std::lock_guard lock(mutex);
  const int error = errno;
  ++num_calls;
  static const char* const fail_call = std::getenv("COVARY_FAIL_CALL");
  static const char* const fail_how = std::getenv("COVARY_FAIL_HOW");
  if (log_file < 0) {
    const char* log = std::getenv("COVARY_FAIL_LOG");
    const auto open_file = real(&::open, "open");
    log_file = open_file(log == nullptr ? "/dev/null" : log,
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  if (log_file >= 0) dprintf(log_file, "%s %zu %s\n", call, size, path);
  errno = error;
  const long failing = fail_call == nullptr ? 0 : std::strtol(fail_call, nullptr, 10);
  const std::string_view how = fail_how == nullptr ? "once" : fail_how;
  if (failing == 0 || num_calls < failing) return Fate::works;
  const bool is_write = std::strcmp(call, "write") == 0 && size > 1;
  if (num_calls == failing) {
    if (how == "killed" && !is_write) raise(SIGKILL);
    if (how == "killed" || how == "short" || how == "full") {
      if (is_write) return Fate::half;
    }
    if (how == "short") return Fate::works;
  } else if (how == "killed") {
    raise(SIGKILL);
  } else if (how == "once" || how == "short") {
    return Fate::works;
  }
  if (how == "full" && !needs_room(call)) return Fate::works;
  errno = how == "full" ? ENOSPC : EIO;
  return Fate::fails;
}

bool is_ours(int file) {
  return file == STDOUT_FILENO || (file >= 0 && file < max_files && is_written[file]);
}

// Killed in the middle of a write: what was to be written in one piece is there in half.
void end_if_killed() {
  const char* how = std::getenv("COVARY_FAIL_HOW");
  if (how != nullptr && std::strcmp(how, "killed") == 0) raise(SIGKILL);
}

template <class Write>
ssize_t write_with(int file, std::size_t size, Write write) {
  if (!is_ours(file)) return write(size);
  const Fate fate = fate_of("write", file == STDOUT_FILENO ? "stdout" : "", size);
  if (fate == Fate::fails) return -1;
  if (fate == Fate::works) return write(size);
  const ssize_t count = write(size / 2);
  end_if_killed();
  return count;
}

template <class Open>
int open_with(const char* path, int flags, Open open_file) {
  const bool is_to_write = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
  if (is_to_write && fate_of("open", path) == Fate::fails) return -1;
  const int file = open_file();
  if (file >= 0 && file < max_files) is_written[file] = is_to_write;
  return file;
}

// ---- streams of the C library, whose own writes no other library sees ----

struct Stream {
  FILE* stream = nullptr;
  int file = -1;
};
constexpr int max_streams = 64;
Stream streams[max_streams];

ssize_t write_stream(void* to, const char* bytes, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = write(static_cast<Stream*>(to)->file, bytes + done, size - done);
    if (count < 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(done);  // fewer than asked for is an error
}

int close_stream(void* to) {
  Stream& entry = *static_cast<Stream*>(to);
  entry.stream = nullptr;
  return close(entry.file);
}

FILE* stream_of(int file) {
  for (Stream& entry : streams) {
    if (entry.stream != nullptr) continue;
    entry.file = file;
    entry.stream = fopencookie(&entry, "w", {nullptr, write_stream, nullptr, close_stream});
    return entry.stream;
  }
  errno = EMFILE;
  return nullptr;
}

// Standard output is written to through such a stream, too.
__attribute__((constructor)) void begin() { stdout = stream_of(STDOUT_FILENO); }

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return open_with(path, flags, [&] { return real(&::open, "open")(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return open_with(path, flags, [&] { return real(&::open, "open64")(path, flags, mode); });
}

FILE* fopen(const char* path, const char* mode) {
  if (std::strchr(mode, 'w') == nullptr) return real(&::fopen, "fopen")(path, mode);
  const int flags =
      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (std::strchr(mode, 'x') != nullptr ? O_EXCL : 0);
  const int file = open(path, flags, 0666);
  return file < 0 ? nullptr : stream_of(file);
}

FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

int fileno(FILE* stream) {
  for (const Stream& entry : streams) {
    if (entry.stream == stream && stream != nullptr) return entry.file;
  }
  return real(&::fileno, "fileno")(stream);
}

int close(int file) {
  const bool is_counted = file >= 0 && file < max_files && is_written[file];
  const bool fails = is_counted && fate_of("close", "") == Fate::fails;
  if (is_counted) is_written[file] = false;
  const int error = errno;
  const int result = real(&::close, "close")(file);
  if (!fails) return result;
  errno = error;
  return -1;
}

ssize_t write(int file, const void* bytes, size_t size) {
  return write_with(file, size,
                    [&](size_t some) { return real(&::write, "write")(file, bytes, some); });
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return write_with(file, size,
                    [&](size_t some) { return real(&::pwrite, "pwrite")(file, bytes, some, at); });
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  return write_with(file, size, [&](size_t some) {
    return real(&::pwrite64, "pwrite64")(file, bytes, some, at);
  });
}

ssize_t writev(int file, const iovec* parts, int num_parts) {
  if (is_ours(file) && fate_of("write", "") == Fate::fails) return -1;
  return real(&::writev, "writev")(file, parts, num_parts);
}

int fsync(int file) {
  return fate_of("fsync", "") == Fate::fails ? -1 : real(&::fsync, "fsync")(file);
}

int fdatasync(int file) {
  return fate_of("fsync", "") == Fate::fails ? -1 : real(&::fdatasync, "fdatasync")(file);
}

int ftruncate(int file, off_t size) {
  return fate_of("truncate", "") == Fate::fails ? -1 : real(&::ftruncate, "ftruncate")(file, size);
}

int ftruncate64(int file, off64_t size) {
  return fate_of("truncate", "") == Fate::fails ? -1
                                                : real(&::ftruncate64, "ftruncate64")(file, size);
}

int mkdir(const char* path, mode_t mode) {
  return fate_of("mkdir", path) == Fate::fails ? -1 : real(&::mkdir, "mkdir")(path, mode);
}

int rename(const char* from, const char* to) {
  return fate_of("rename", to) == Fate::fails ? -1 : real(&::rename, "rename")(from, to);
}

int unlink(const char* path) {
  return fate_of("unlink", path) == Fate::fails ? -1 : real(&::unlink, "unlink")(path);
}

}  // extern "C"
