#include "figure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace covary::paper {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// Tags are opened and closed in order; attributes are quoted.
bool is_well_formed(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    if (tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(Figure, IsWellFormedWithHostileNamesAndNumbers) {
  Panel lines{"a < b & \"c\"", "</svg>", "<script>"};
  lines.lines.push_back({"</text><b>", {0.0, 1.0, 2.0}, {1.0, std::nan(""), 1e300}});
  lines.lines.push_back({"constant", {0.0, 1.0}, {5.0, 5.0}, {5.0, 5.0}, {5.0, 5.0}, 1});
  lines.lines.push_back({"empty", {}, {}});
  Panel logarithmic{"log", "x", "y"};
  logarithmic.is_log_y = true;
  logarithmic.lines.push_back({"down to nothing", {0.0, 1.0}, {0.0, 1e-9}});
  Panel boxes{"boxes", "", ""};
  boxes.boxes.push_back({"one", {1.0}});
  boxes.boxes.push_back({"none", {}});
  boxes.boxes.push_back({"far", {1.0, 1.1, 1.2, 1.3, 99.0}});
  const std::string svg =
      svg_of("<hostile>", {lines, logarithmic, boxes, Panel{"nothing", "", ""}});
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_EQ(count(svg, "<script>"), 0U);
  EXPECT_EQ(count(svg, "<b>"), 0U);
  for (const char* bad : {"nan", "inf"}) EXPECT_EQ(count(svg, bad), 0U) << bad;
}

TEST(Figure, EveryNamedLineIsInTheLegendOnce) {
  Panel first{"first", "x", "y", {{"SOT", {0.0, 1.0}, {0.0, 1.0}}}};
  Panel second{"second", "x", "y", {{"SOT", {0.0, 1.0}, {0.0, 1.0}}}};
  const std::string svg = svg_of("both", {first, second});
  EXPECT_EQ(count(svg, "class=\"l\">SOT<"), 1U);
}

TEST(Figure, LargerValuesAreHigherUp) {
  Panel panel{"", "", "", {{"line", {0.0, 1.0}, {2.0, 3.0}}}};
  const std::string svg = svg_of("", {panel});
  const std::size_t at = svg.find(R"(fill="none" stroke="#0072b2")");
  ASSERT_NE(at, std::string::npos);
  const std::size_t begin = svg.rfind("d=\"M", at) + 4;
  double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
  ASSERT_EQ(std::sscanf(svg.c_str() + begin, "%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4);
  EXPECT_LT(x0, x1);
  EXPECT_GT(y0, y1);
}

TEST(Figure, ABoxHasItsOutliersBesideItsWhiskers) {
  Panel panel{"", "", ""};
  panel.boxes.push_back({"box", {1.0, 1.1, 1.2, 1.3, 99.0}});
  EXPECT_EQ(count(svg_of("", {panel}), "<circle"), 1U);
}

}  // namespace
}  // namespace covary::paper
