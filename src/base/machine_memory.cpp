#include "base/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace covary {
namespace {

// A file that holds one number; "max", or no file at all, is no limit.
void lower_to(const std::string& file, std::optional<double>& limit) {
  std::ifstream stream(file);
  double bytes = 0.0;
  if (stream >> bytes && bytes > 0.0) limit = std::min(limit.value_or(bytes), bytes);
}

// The group and all that it is in. In a container its path may be that of the machine outside,
// which is not there; the top is the container's own group then.
void lower_along(const std::string& top, std::string path, const std::string& name,
                 std::optional<double>& limit) {
  while (!path.empty() && path != "/") {
    lower_to(fmt::format("{}{}/{}", top, path, name), limit);
    path.erase(path.rfind('/'));
  }
  lower_to(top + "/" + name, limit);
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

std::optional<double> control_group_bytes(const std::string& root) {
  std::optional<double> limit;
  const std::string top = root + "/sys/fs/cgroup";
  std::ifstream groups(root + "/proc/self/cgroup");
  // "0::/user.slice" in version 2, "4:memory:/user.slice" in version 1.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    if (controllers.empty()) {
      lower_along(top, path, "memory.max", limit);
    } else if (has_word(controllers, "memory")) {
      lower_along(top + "/memory", path, "memory.limit_in_bytes", limit);
    }
  }
  return limit;
}

double machine_bytes() {
  double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (const std::optional<double> limit = control_group_bytes()) bytes = std::min(bytes, *limit);
  rlimit space = {};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<double>(space.rlim_cur));
  }
  return bytes;
}

}  // namespace covary
