#include "store/support_file.h"

#include <bit>
#include <cstring>
#include <string_view>

#include <covary/error.h>

#include "base/hash.h"

namespace covary {
namespace {

// Numbers are written as they are in memory, by machines of one byte order.
static_assert(std::endian::native == std::endian::little);
constexpr std::string_view heading = "covary-support 1\n";

void append(const std::vector<double>& values, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

void take(std::string_view& bytes, std::vector<double>& values) {
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  bytes.remove_prefix(values.size() * sizeof(double));
}

}  // namespace

std::string support_file_of(const std::string& model_path) { return model_path + ".support"; }

std::size_t num_support_bytes(std::size_t num_members, std::size_t num_support) {
  return heading.size() + num_members * sizeof(double) * (num_support + triangle_size(num_support));
}

std::string support_to_bytes(const std::vector<SparseState>& states) {
  std::string bytes(heading);
  if (!states.empty()) {
    bytes.reserve(num_support_bytes(states.size(), states.front().image.size()));
  }
  for (const SparseState& state : states) {
    append(state.image, bytes);
    append(state.triangle, bytes);
  }
  return bytes;
}

std::string support_checksum(const std::string& bytes) {
  Fingerprint fingerprint;
  fingerprint.add(std::string_view(bytes));
  return fingerprint.digits();
}

std::vector<SparseState> support_from_bytes(const std::string& bytes, std::size_t num_members,
                                            std::size_t num_support) {
  std::string_view rest = bytes;
  if (!rest.starts_with(heading) || rest.size() != num_support_bytes(num_members, num_support)) {
    throw Error(ErrorKind::bad_data, "the file of its support is cut off, or is another one");
  }
  rest.remove_prefix(heading.size());
  std::vector<SparseState> states(num_members);
  for (SparseState& state : states) {
    state.image.resize(num_support);
    state.triangle.resize(triangle_size(num_support));
    take(rest, state.image);
    take(rest, state.triangle);
  }
  return states;
}

}  // namespace covary
