#pragma once

#include <cstdio>
#include <string>

namespace covary::app {

// Lines for standard output, or for a file that is written beside its place and is there once it
// is whole. A pipe or a device is written to directly.
class OutputFile {
 public:
  explicit OutputFile(std::string path);  // empty: standard output. Throws Error
  ~OutputFile();                          // nothing is left of a file that was not finished
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  bool is_stdout() const { return path_.empty(); }
  void write_line(const std::string& line);  // throws Error(disk)
  void finish();                             // throws Error

 private:
  [[noreturn]] void throw_trouble(int error) const;

  std::string path_;
  std::string beside_;  // where the lines are until then; empty where they are written directly
  std::FILE* file_ = nullptr;
};

}  // namespace covary::app
