#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace covary::paper {

// A curve, with a band around it if `low` and `high` are given.
struct Line {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low = {};
  std::vector<double> high = {};
  std::size_t colour = 0;  // the same for the same thing in every panel
  bool is_dashed = false;
  bool has_marks = false;
};

// Quartiles as a box, whiskers to the farthest value within 1.5 boxes, and the values beyond.
struct Box {
  std::string name;
  std::vector<double> values;
  std::size_t colour = 0;
};

// Lines, or boxes side by side.
struct Panel {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Line> lines = {};
  std::vector<Box> boxes = {};
  bool is_log_y = false;
  std::optional<double> y_from = {};  // cuts off what lies below; the whole range without it
};

// A picture of the panels in rows of so many, with one legend of all named lines below.
std::string svg_of(const std::string& description, const std::vector<Panel>& panels,
                   std::size_t num_columns = 3);

}  // namespace covary::paper
