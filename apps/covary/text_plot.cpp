#include "text_plot.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/table.h>

namespace covary::app {
namespace {

constexpr std::size_t label_width = 10;

struct Marks {
  const char* data;
  const char* mean;
  const char* band;
  const char* axis;
};
constexpr Marks unicode_marks = {"•", "─", "░", "│"};
constexpr Marks ascii_marks = {"o", "-", ".", "|"};

class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height, double low, double high)
      : width_(width), height_(height), low_(low), high_(high), cells_(width * height, " ") {}

  std::size_t row_of(double value) const {
    const double t = std::clamp((high_ - value) / (high_ - low_), 0.0, 1.0);
    return std::min(static_cast<std::size_t>(t * static_cast<double>(height_)), height_ - 1);
  }
  void mark(std::size_t column, std::size_t row, const char* text) {
    cells_[row * width_ + column] = text;
  }
  std::string line(std::size_t row) const {
    std::string text;
    for (std::size_t column = 0; column < width_; ++column) text += cells_[row * width_ + column];
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

 private:
  std::size_t width_;
  std::size_t height_;
  double low_;
  double high_;
  std::vector<std::string> cells_;
};

std::string label(const FittedModel& model, double value) {
  std::string text = format_value(model.data().target_scaling().type, value, 5);
  return text.size() <= label_width ? text : fmt::format("{:.3g}", value);
}

}  // namespace

std::string text_plot(const FittedModel& model, const TerminalSize& terminal) {
  const Dataset& data = model.data();
  const Scaling& input = data.input_scaling(0);
  const std::size_t width = std::clamp<std::size_t>(terminal.columns, 40, 110) - label_width - 3;
  const std::size_t height = std::clamp<std::size_t>(terminal.rows / 2, 8, 18);
  const std::vector<double> x = raw_input(data, 0);
  const auto [first, last] = std::minmax_element(x.begin(), x.end());
  const double low_x = *first;
  const double span = (*last - low_x) * (1.0 + forecast_share);

  std::vector<double> places;
  for (std::size_t i = 0; i < width; ++i) {
    places.push_back(low_x + span * (static_cast<double>(i) + 0.5) / static_cast<double>(width));
  }
  const Prediction fit = model.predict({places});
  const Prediction::Interval band = fit.interval(0.95);
  double low = *std::min_element(fit.mean.begin(), fit.mean.end());
  double high = *std::max_element(fit.mean.begin(), fit.mean.end());
  const std::vector<double> target = raw_target(data);
  for (const double y : target) {
    low = std::min(low, y);
    high = std::max(high, y);
  }
  const double margin = high > low ? 0.03 * (high - low) : 1.0;
  Canvas canvas(width, height, low - margin, high + margin);

  const Marks& marks = terminal.has_unicode ? unicode_marks : ascii_marks;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t row = canvas.row_of(band.upper[i]); row <= canvas.row_of(band.lower[i]);
         ++row) {
      canvas.mark(i, row, marks.band);
    }
    canvas.mark(i, canvas.row_of(fit.mean[i]), marks.mean);
  }
  for (std::size_t i = 0; i < target.size(); ++i) {
    const double t = span > 0.0 ? (x[i] - low_x) / span : 0.0;
    const auto column =
        std::min(static_cast<std::size_t>(t * static_cast<double>(width)), width - 1);
    canvas.mark(column, canvas.row_of(target[i]), marks.data);
  }

  std::string text =
      fmt::format("{} over {}: {} data, {} mean, {} 95 % band\n", shown(data.target_scaling().name),
                  shown(input.name), marks.data, marks.mean, marks.band);
  for (std::size_t row = 0; row < height; ++row) {
    const std::string value = row == 0            ? label(model, high)
                              : row + 1 == height ? label(model, low)
                                                  : "";
    text += fmt::format("{:>{}} {} {}\n", value, label_width, marks.axis, canvas.line(row));
  }
  const std::string left = format_value(input.type, low_x);
  const std::string right = format_value(input.type, low_x + span);
  const std::size_t used = left.size() + right.size();
  text += std::string(label_width + 3, ' ') + left +
          std::string(width > used ? width - used : 1, ' ') + right + "\n";
  return text;
}

}  // namespace covary::app
