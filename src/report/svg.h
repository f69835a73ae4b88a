#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <covary/model.h>
#include <covary/report.h>

namespace covary {

// Figures as static SVG, drawn so that the page's style gives all colours: light, dark and print
// need no second drawing.

struct SvgSize {
  double width = 960.0;
  double height = 360.0;
  bool has_names = true;  // of the axes; without them there is room for more numbers
};

// Whether it is drawn at levels of a category or at few values, with nothing in between: then no
// script draws it anew.
bool is_by_level(const Figure& figure);

std::string svg_of(const Figure& figure, const SvgSize& size);
std::string svg_of(const HeatMap& map, const SvgSize& size);

// A kernel as a tree: leaves evenly spaced, every operator above the middle of its operands, its
// chains (A + B + C) as one node. Leaves say their input and length or period.
std::string tree_svg(const FittedModel& model);

// Text inside of HTML or XML, in an element or in a quoted attribute: one line, valid UTF-8, no
// control characters.
std::string markup_text(std::string_view text, std::size_t max_characters = 2000);

}  // namespace covary
