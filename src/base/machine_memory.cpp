#include "base/machine_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <covary/message_text.h>

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

namespace {

// Of /proc/self/statm, in bytes: all that is mapped, what is in memory, and what can be written to.
struct Taken {
  double mapped = 0.0;
  double resident = 0.0;
  double data = 0.0;
};

Taken taken() {
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::ifstream file("/proc/self/statm");
  Taken pages;
  double other = 0.0;
  if (!(file >> pages.mapped >> pages.resident >> other >> other >> other >> pages.data)) return {};
  return {pages.mapped * page, pages.resident * page, pages.data * page};
}

std::optional<double> limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

// Memory that can be had without swapping, in kB in its file.
std::optional<double> available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view name = "MemAvailable:";
    if (line.starts_with(name)) return 1024.0 * std::strtod(line.c_str() + name.size(), nullptr);
  }
  return std::nullopt;
}

double physical_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// What is left under the limits, of which so much is taken.
double within_limits(double bytes, const Taken& used) {
  if (const std::optional<double> limit = control_group_bytes()) {
    bytes = std::min(bytes, *limit - used.resident);
  }
  if (const auto limit = limit_of(RLIMIT_AS)) bytes = std::min(bytes, *limit - used.mapped);
  if (const auto limit = limit_of(RLIMIT_DATA)) bytes = std::min(bytes, *limit - used.data);
  return std::max(bytes, 0.0);
}

}  // namespace

// The program with its libraries is there before anybody asks.
double machine_bytes() {
  static const Taken by_program = taken();
  return within_limits(physical_bytes(), {by_program.mapped, 0.0, by_program.data});
}

double bytes_left() { return within_limits(available_bytes().value_or(physical_bytes()), taken()); }

std::string gigabytes(double bytes) {
  constexpr double gigabyte = 1e9;
  return bytes < gigabyte ? fmt::format("{:.2g} GB", bytes / gigabyte)
                          : fmt::format("{:.1f} GB", bytes / gigabyte);
}

std::string memory_left_text() {
  return fmt::format("{} of {} are left", gigabytes(bytes_left()), gigabytes(machine_bytes()));
}

}  // namespace covary
