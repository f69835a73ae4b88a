#pragma once

#include <string>
#include <string_view>

#include <kainjow/mustache.hpp>

#include <covary/report.h>

namespace covary {

// What fills the template of web/: names and texts, lists and switches. The template escapes every
// text but the drawings.
using View = kainjow::mustache::data;

// User text on one line, without characters that a page must not hold.
void put(View& view, const std::string& name, std::string_view text);

View view_of(const Figure& figure, double width, double height);
View view_of(const HeatMap& map, double width, double height);

// With as many decimals each that four digits of the largest are seen.
std::string aligned_number(double value, double largest);

// The forecast that the run was made for, and its backtest.
void put_forecast(View& view, const ReportModel& report);

// How the search went: figures, finalists, all kernels, settings.
void put_search(View& view, const ReportModel& report);

std::string_view report_template();  // web/dist/report.html

}  // namespace covary
