#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kainjow/mustache.hpp>

#include <covary/report.h>

namespace covary {

// What fills the template of web/: names and texts, lists and switches. The template escapes every
// text but the drawings.
using View = kainjow::mustache::data;

// User text on one line, without characters that a page must not hold.
void put(View& view, const std::string& name, std::string_view text);

View view_of(const Figure& figure, double width, double height, bool has_names = true);
View view_of(const HeatMap& map, double width, double height);

// With as many decimals each that four digits of the largest are seen.
std::string aligned_number(double value, double largest);

// Times of a table: dates as the data write them, numbers with no more decimals than tell the steps
// apart: 1961.08, not 1961.0833333333.
class TimeTexts {
 public:
  TimeTexts(const Dataset& data, const std::vector<double>& times);

  std::string operator()(double time) const;

 private:
  ColumnType type_;
  std::string date_format_;
  std::optional<int> decimals_;  // none: all that there are
};

// The forecast that the run was made for, and its backtest.
void put_forecast(View& view, const ReportModel& report);

// How the search went: figures, finalists, all kernels, settings.
void put_search(View& view, const ReportModel& report);

std::string_view report_template();  // web/dist/report.html

}  // namespace covary
