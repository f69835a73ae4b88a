#pragma once

#include <stdexcept>
#include <string>

namespace covary {

// What went wrong, by who can mend it. The program's exit codes follow from it.
enum class ErrorKind {
  usage,         // an option or a kernel expression is wrong
  bad_data,      // the table was read but cannot be used as it is
  no_input,      // the file to read is missing or not readable
  cannot_write,  // the place to write to is taken or not writable
  disk,          // the disk failed or is full
  in_use,        // another process holds the run
  memory,        // this machine has too little of it
};

// Bad input. The message is one sentence that names the file, row, column or option, and says
// what to do. Expected numerical failure is never an Error: it is a value in a result.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// The exit code (sysexits.h) that a program ends with after this kind of error.
int exit_code(ErrorKind kind);

}  // namespace covary
