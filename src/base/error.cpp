#include <covary/error.h>

namespace covary {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::bad_data:
      return 65;
    case ErrorKind::no_input:
      return 66;
    case ErrorKind::cannot_write:
      return 73;
    case ErrorKind::disk:
      return 74;
    case ErrorKind::in_use:
      return 75;
    case ErrorKind::memory:
      return 71;
  }
  return 70;
}

}  // namespace covary
