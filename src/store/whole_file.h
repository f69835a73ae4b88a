#pragma once

#include <string>

#include <covary/error.h>

namespace covary {

// Writes beside the file first and then renames, so that no half-written file is ever seen; a pipe
// or a device is written to directly. Throws Error: cannot_write, disk.
void write_whole_file(const std::string& path, const std::string& text);

// Of an errno: whether the disk is in trouble, or the place is none to write to.
ErrorKind kind_of_write_error(int error);

}  // namespace covary
