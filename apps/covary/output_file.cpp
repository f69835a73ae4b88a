#include "output_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "interrupt.h"

namespace covary::app {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (is_stdout()) {
    file_ = stdout;
    return;
  }
  struct stat status = {};
  const bool is_device = stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (!is_device) {
    beside_ = path_ + ".part";
    unlink(beside_.c_str());
    set_unfinished_file(beside_);
  }
  // x: a new file, never one that somebody has put there.
  file_ = std::fopen((is_device ? path_ : beside_).c_str(), is_device ? "we" : "wxe");
  if (file_ == nullptr) {
    const int error = errno;
    beside_.clear();
    throw_trouble(error);
  }
}

OutputFile::~OutputFile() {
  if (!is_stdout() && file_ != nullptr) static_cast<void>(std::fclose(file_));
  if (!beside_.empty()) unlink(beside_.c_str());
  set_unfinished_file("");
}

void OutputFile::write_line(const std::string& line) {
  const bool is_written = std::fwrite(line.data(), 1, line.size(), file_) == line.size() &&
                          std::putc('\n', file_) != EOF;
  // That of standard output is told in the end.
  if (!is_written && !is_stdout()) throw_trouble(errno);
}

void OutputFile::finish() {
  if (is_stdout()) return;
  const bool is_whole = std::fflush(file_) == 0 && (beside_.empty() || fsync(fileno(file_)) == 0);
  const int error = is_whole ? 0 : errno;
  std::FILE* file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0 || error != 0) throw_trouble(error != 0 ? error : errno);
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) throw_trouble(errno);
  beside_.clear();
}

void OutputFile::throw_trouble(int error) const {
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  throw Error(is_full ? ErrorKind::disk : ErrorKind::cannot_write,
              fmt::format("{}: it cannot be written: {}", shown_source(path_),
                          std::generic_category().message(error)));
}

}  // namespace covary::app
