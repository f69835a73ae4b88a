// Whole searches of simulated data with groups.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/random.h>
#include <covary/search.h>
#include <covary/table.h>

namespace covary {
namespace {

// A line in x, and a level of its own for each of four groups; z has nothing to do with it.
Dataset with_groups(std::uint64_t seed) {
  constexpr double offsets[] = {0.0, 1.5, -1.0, 0.6};
  Random random(seed);
  std::string text = "x,z,group,y\n";
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t group = random.index(4);
    const double x = random.uniform();
    text += fmt::format("{},{},g{},{}\n", x, random.uniform(), group,
                        x + offsets[group] + 0.2 * random.normal());
  }
  return make_dataset(read_csv_text(text, "F"), {.target = "y"});
}

TEST(CategorySearch, FindsTheGroups) {
  SearchOptions options;
  options.max_evaluations = 36;
  options.evidence.restarts = 4;
  options.evidence.transform = TargetTransform::none;
  options.threads = 2;
  const Dataset data = with_groups(1);
  const SearchResult result = search(data, options);
  EXPECT_NE(result.kernel.find("(group)"), std::string::npos) << result.kernel;
  EXPECT_NE(result.kernel.find("(x)"), std::string::npos) << result.kernel;
  // A kernel that has only the groups, or only the line, is far behind.
  for (const SearchRecord& record : result.history) {
    const std::string kernel = to_string(record.kernel, inputs_of(data));
    if (kernel.find("(group)") != std::string::npos || !record.evidence.value) continue;
    EXPECT_LT(*record.evidence.value, result.value - 20.0) << kernel;
  }
}

}  // namespace
}  // namespace covary
