#include "base/machine_memory.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace covary {
namespace {

// A folder in the place of the machine's root.
class ControlGroup : public testing::Test {
 protected:
  ControlGroup()
      : root_(std::filesystem::temp_directory_path() / fmt::format("covary-groups-{}", getpid())) {}
  ~ControlGroup() override { std::filesystem::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::optional<double> bytes() const { return control_group_bytes(root_); }

 private:
  std::filesystem::path root_;
};

TEST_F(ControlGroup, WithoutAnyNothingIsLimited) {
  EXPECT_FALSE(bytes());
  write("proc/self/cgroup", "0::/user.slice/shell.scope\n");
  EXPECT_FALSE(bytes());
}

TEST_F(ControlGroup, OfVersion2TheLeastAlongThePathCounts) {
  write("proc/self/cgroup", "0::/jobs/large/mine\n");
  write("sys/fs/cgroup/jobs/large/mine/memory.max", "max\n");
  EXPECT_FALSE(bytes());
  write("sys/fs/cgroup/jobs/memory.max", "8589934592\n");
  EXPECT_EQ(bytes(), 8589934592.0);
  write("sys/fs/cgroup/jobs/large/mine/memory.max", "4294967296\n");
  EXPECT_EQ(bytes(), 4294967296.0);
  write("sys/fs/cgroup/jobs/large/memory.max", "2147483648\n");
  EXPECT_EQ(bytes(), 2147483648.0);
}

TEST_F(ControlGroup, OfAContainerTheTopCounts) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(bytes(), 1073741824.0);
}

TEST_F(ControlGroup, OfVersion1TheMemoryControllerCounts) {
  write("proc/self/cgroup",
        "12:cpu,cpuacct:/elsewhere\n4:memory:/docker/1f2e\n1:name=systemd:/docker/1f2e\n0::/\n");
  write("sys/fs/cgroup/memory/elsewhere/memory.limit_in_bytes", "1\n");
  EXPECT_FALSE(bytes());
  // Seen from inside, the container's group is the top.
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
  EXPECT_EQ(bytes(), 536870912.0);
  write("sys/fs/cgroup/memory/docker/1f2e/memory.limit_in_bytes", "268435456\n");
  EXPECT_EQ(bytes(), 268435456.0);
}

TEST_F(ControlGroup, OddLinesAreNoLimit) {
  write("proc/self/cgroup", "\n:\n0:\n0::\nmemory\n0::relative\n0::/../..\n");
  write("sys/fs/cgroup/memory.max", "nonsense\n");
  EXPECT_FALSE(bytes());
}

TEST(MachineBytes, AreNoMoreThanTheMachineHas) {
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  EXPECT_GT(machine_bytes(), 0.0);
  EXPECT_LE(machine_bytes(), pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

}  // namespace
}  // namespace covary
