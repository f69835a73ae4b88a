#include "table/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>

namespace covary {
namespace {

[[noreturn]] void throw_no_input(const std::string& path, int error) {
  const std::string why = error == ENOENT   ? "there is no such file"
                          : error == EACCES ? "no permission to read this file"
                                            : fmt::format("this file cannot be opened ({})",
                                                          std::generic_category().message(error));
  throw Error(ErrorKind::no_input, fmt::format("{}: {}", shown_source(path), why));
}

}  // namespace

std::string name_of_source(const std::string& path) {
  return path == standard_input ? "standard input" : path;
}

std::size_t TextSource::read(char* to, std::size_t size) {
  const std::size_t count = std::min(size, rest_.size());
  if (count > 0) std::memcpy(to, rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

FileSource::FileSource(std::string path) : path_(std::move(path)) {
  if (path_ == standard_input) {
    descriptor_ = ::dup(STDIN_FILENO);
    path_ = name_of_source(path_);
    if (descriptor_ < 0) throw_no_input(path_, errno);
    return;
  }
  // A NUL would cut the name short and open another file.
  if (path_.find('\0') != std::string::npos) throw_no_input(path_, ENOENT);
  do {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) throw_no_input(path_, errno);
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw Error(ErrorKind::no_input,
                fmt::format("{}: this is a directory, not a file", shown_source(path_)));
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
}

FileSource::~FileSource() { ::close(descriptor_); }

std::size_t FileSource::read(char* to, std::size_t size) {
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, to, size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw Error(ErrorKind::disk,
                fmt::format("{}: reading failed after {} bytes ({})", shown_source(path_),
                            num_read_, std::generic_category().message(errno)));
  }
  num_read_ += static_cast<std::uint64_t>(count);
  return static_cast<std::size_t>(count);
}

}  // namespace covary
