#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <covary/evidence.h>
#include <covary/report.h>

#include "report/svg.h"
#include "unit/report/report_examples.h"

namespace covary {
namespace {

Dataset table_with_groups(bool has_number) {
  Random random(4);
  std::string text = has_number ? "x,group,y\n" : "group,y\n";
  for (std::size_t i = 0; i < 45; ++i) {
    if (has_number) text += fmt::format("{},", random.uniform());
    text += fmt::format("<b>{},{}\n", "nse"[i % 3], static_cast<double>(i % 3) + random.normal());
  }
  return make_dataset(read_csv_text(text, "F"), {.target = "y"});
}

TEST(CategoryReport, FiguresAreLevelByLevelAndNameThem) {
  const ReportModel report =
      example_report("SE(x)*CAT(group) + CAT(group)", table_with_groups(true));
  std::size_t num_by_level = 0;
  for (const std::optional<Figure>& figure : report.components) {
    if (!figure || figure->x.type != ColumnType::category) continue;
    ++num_by_level;
    EXPECT_EQ(figure->x.levels, (std::vector<std::string>{"<b>e", "<b>n", "<b>s"}));
  }
  EXPECT_GE(num_by_level, 1U);
  const auto effect = std::find_if(report.main_effects.begin(), report.main_effects.end(),
                                   [](const Figure& figure) { return figure.title == "group"; });
  ASSERT_NE(effect, report.main_effects.end());
  EXPECT_EQ(effect->grid, (std::vector<double>{0.0, 1.0, 2.0}));
  EXPECT_TRUE(effect->rug.empty());
  const std::string svg = svg_of(*effect, {380, 240});
  for (const std::string name : {"&lt;b&gt;e", "&lt;b&gt;n", "&lt;b&gt;s"}) {
    EXPECT_NE(svg.find(">" + name + "</text>"), std::string::npos) << svg;
  }
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  ASSERT_FALSE(report.component_maps.empty());
  for (const std::optional<HeatMap>& map : report.component_maps) {
    if (!map) continue;
    EXPECT_EQ(map->y_places.size(), 3U);
    EXPECT_EQ(map->values.size(), map->x_places.size() * 3);
  }
  EXPECT_NE(report_to_html(report).find("at the levels of group"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(report_to_json(report));
  EXPECT_FALSE(json.empty());
}

TEST(CategoryReport, OneCategoryAloneHasNoForecast) {
  const ReportModel report = example_report("CAT", table_with_groups(false));
  EXPECT_TRUE(report.forecast.empty());
  EXPECT_EQ(report.fit.title, "Observed and predicted");
  ASSERT_TRUE(report.components[0].has_value());
  EXPECT_EQ(report.components[0]->grid.size(), 3U);
  EXPECT_EQ(report_to_html(report).find("{{"), std::string::npos);
}

}  // namespace
}  // namespace covary
