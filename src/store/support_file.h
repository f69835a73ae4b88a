#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evidence/support_model.h"

namespace covary {

// The file beside that of a model which is not exact: what follows from rows that are not kept, as
// numbers of eight bytes, member by member. Its checksum is in the model's own file.
std::string support_file_of(const std::string& model_path);

std::string support_to_bytes(const std::vector<SparseState>& states);
std::size_t num_support_bytes(std::size_t num_members, std::size_t num_support);
std::string support_checksum(const std::string& bytes);

// The images and triangles of the members. Throws Error with one sentence if it is another file.
std::vector<SparseState> support_from_bytes(const std::string& bytes, std::size_t num_members,
                                            std::size_t num_support);

}  // namespace covary
