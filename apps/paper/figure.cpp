#include "figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "statistics.h"

namespace covary::paper {
namespace {

// Told apart also without colour vision (Okabe and Ito).
constexpr std::array<const char*, 8> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#555555", "#000000"};

constexpr double panel_width = 320.0;
constexpr double panel_height = 250.0;
constexpr double left = 58.0;
constexpr double right = 12.0;
constexpr double top = 26.0;
constexpr double bottom = 42.0;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

struct Range {
  double from = std::numeric_limits<double>::infinity();
  double to = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    from = std::min(from, value);
    to = std::max(to, value);
  }
  // Never empty, with a little room on both sides.
  void widen(double share) {
    if (!(from <= to)) *this = {0.0, 1.0};
    const double room = to > from ? share * (to - from) : std::max(std::abs(to), 1.0) * share;
    from -= room;
    to += room;
  }
};

// Round numbers at a distance of 1, 2 or 5 times a power of ten.
std::vector<double> ticks(const Range& range) {
  const double raw = (range.to - range.from) / 5.0;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= raw) step = factor * power;
  }
  std::vector<double> places;
  for (double k = std::ceil(range.from / step); k * step <= range.to; ++k) {
    places.push_back(k == 0.0 ? 0.0 : k * step);
  }
  return places;
}

// One panel at its place in the picture.
class PanelWriter {
 public:
  PanelWriter(const Panel& panel, double x, double y) : panel_(panel), x0_(x), y0_(y) {
    for (const Line& line : panel.lines) {
      for (const double value : line.x) x_.include(value);
      for (const auto* values : {&line.y, &line.low, &line.high}) {
        for (const double value : *values) y_.include(on_scale(value));
      }
    }
    for (const Box& box : panel.boxes) {
      for (const double value : box.values) y_.include(on_scale(value));
    }
    if (!panel.boxes.empty()) x_ = {0.0, static_cast<double>(panel.boxes.size())};
    if (panel.y_from) y_.from = std::max(y_.from, on_scale(*panel.y_from));
    if (panel.boxes.empty()) x_.widen(0.0);
    if (!(x_.to > x_.from)) x_.to = x_.from + 1.0;
    y_.widen(0.05);
  }

  std::string text() const {
    std::string out = fmt::format(
        "<g transform=\"translate({:.1f} {:.1f})\">\n<text x=\"{:.1f}\" y=\"16\" class=\"t\">{}"
        "</text>\n",
        x0_, y0_, left, escaped(panel_.title));
    out += axes();
    const std::string clip = fmt::format("clip{:.0f}x{:.0f}", x0_, y0_);
    out += fmt::format(
        "<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n"
        "<g clip-path=\"url(#{})\">\n",
        clip, left, top, panel_width - left - right, panel_height - top - bottom, clip);
    for (const Line& line : panel_.lines) out += line_text(line);
    for (std::size_t i = 0; i < panel_.boxes.size(); ++i) out += box_text(panel_.boxes[i], i);
    return out + "</g>\n</g>\n";
  }

 private:
  double on_scale(double value) const {
    if (!panel_.is_log_y) return value;
    return value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
  }
  double px(double x) const {
    return left + (x - x_.from) / (x_.to - x_.from) * (panel_width - left - right);
  }
  double py_on_scale(double y) const {
    // Far outside is as good as outside, and readers of SVG keep their precision.
    const double share = std::clamp((y - y_.from) / (y_.to - y_.from), -5.0, 5.0);
    return panel_height - bottom - share * (panel_height - top - bottom);
  }
  double py(double y) const { return py_on_scale(on_scale(y)); }

  std::string axes() const {
    const double base = panel_height - bottom;
    std::string out = fmt::format("<path d=\"M{0} {1}V{2}H{3}\" class=\"a\"/>\n", left, top, base,
                                  panel_width - right);
    for (const double tick : ticks(y_)) {
      const double y = py_on_scale(tick);
      const std::string label =
          panel_.is_log_y ? fmt::format("{:.3g}", std::pow(10.0, tick)) : fmt::format("{:g}", tick);
      out += fmt::format(
          "<path d=\"M{0} {1:.1f}H{2}\" class=\"g\"/><text x=\"{3}\" y=\"{4:.1f}\" class=\"y\">{5}"
          "</text>\n",
          left, y, panel_width - right, left - 6.0, y + 4.0, label);
    }
    if (panel_.boxes.empty()) {
      for (const double tick : ticks(x_)) {
        out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"x\">{:g}</text>\n", px(tick),
                           base + 15.0, tick);
      }
    } else {
      for (std::size_t i = 0; i < panel_.boxes.size(); ++i) {
        out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"x\">{}</text>\n",
                           px(static_cast<double>(i) + 0.5), base + 15.0,
                           escaped(panel_.boxes[i].name));
      }
    }
    const double middle = (left + panel_width - right) / 2.0;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"x\">{}</text>\n", middle,
                       panel_height - 10.0, escaped(panel_.x_label));
    const double height = (top + base) / 2.0;
    out += fmt::format(
        "<text x=\"13\" y=\"{0:.1f}\" transform=\"rotate(-90 13 {0:.1f})\" "
        "class=\"x\">{1}</text>\n",
        height, escaped(panel_.y_label));
    return out;
  }

  std::string path(const std::vector<double>& x, const std::vector<double>& y) const {
    std::string d;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(on_scale(y[i]))) continue;
      d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", px(x[i]), py(y[i]));
    }
    return d;
  }

  std::string line_text(const Line& line) const {
    const char* colour = colours[line.colour % colours.size()];
    std::string out;
    if (!line.low.empty()) {
      std::vector<double> x = line.x;
      std::vector<double> y = line.high;
      x.insert(x.end(), line.x.rbegin(), line.x.rend());
      y.insert(y.end(), line.low.rbegin(), line.low.rend());
      out += fmt::format("<path d=\"{}Z\" fill=\"{}\" opacity=\"0.16\"/>\n", path(x, y), colour);
    }
    out += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}><title>{}</title>"
        "</path>\n",
        path(line.x, line.y), colour, line.is_dashed ? " stroke-dasharray=\"6 4\"" : "",
        escaped(line.name));
    if (line.has_marks) {
      for (std::size_t i = 0; i < line.x.size(); ++i) {
        if (!std::isfinite(on_scale(line.y[i]))) continue;
        out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
                           px(line.x[i]), py(line.y[i]), colour);
      }
    }
    return out;
  }

  std::string box_text(const Box& box, std::size_t place) const {
    if (box.values.empty()) return "";
    const char* colour = colours[box.colour % colours.size()];
    const double low = quantile(box.values, 0.25);
    const double high = quantile(box.values, 0.75);
    const double reach = 1.5 * (high - low);
    double whisker_low = low;
    double whisker_high = high;
    std::string out;
    const double centre = px(static_cast<double>(place) + 0.5);
    for (const double value : box.values) {
      if (value < low - reach || value > high + reach) {
        out += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"none\" "
            "stroke=\"{}\"/>\n",
            centre, py(value), colour);
        continue;
      }
      whisker_low = std::min(whisker_low, value);
      whisker_high = std::max(whisker_high, value);
    }
    const double width = 0.3 * (px(1.0) - px(0.0));
    out += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}M{0:.1f} {3:.1f}V{4:.1f}\" stroke=\"{5}\"/>\n", centre,
        py(whisker_low), py(low), py(high), py(whisker_high), colour);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "fill-opacity=\"0.2\" stroke=\"{}\"/>\n",
        centre - width, py(high), 2.0 * width, std::max(py(low) - py(high), 0.5), colour, colour);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                       centre - width, py(median(box.values)), 2.0 * width, colour);
    return out;
  }

  const Panel& panel_;
  double x0_;
  double y0_;
  Range x_;
  Range y_;
};

std::string legend(const std::vector<Panel>& panels, double y, double width) {
  std::string out;
  std::vector<std::string> names;
  double x = left;
  for (const Panel& panel : panels) {
    for (const Line& line : panel.lines) {
      if (line.name.empty()) continue;
      if (std::find(names.begin(), names.end(), line.name) != names.end()) continue;
      names.push_back(line.name);
      const double needed = 46.0 + 7.0 * static_cast<double>(line.name.size());
      if (x + needed > width) {
        x = left;
        y += 18.0;
      }
      out += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}h26\" stroke=\"{2}\" stroke-width=\"2.5\"{3}/>"
          "<text x=\"{4:.1f}\" y=\"{5:.1f}\" class=\"l\">{6}</text>\n",
          x, y, colours[line.colour % colours.size()],
          line.is_dashed ? " stroke-dasharray=\"6 4\"" : "", x + 32.0, y + 4.0, escaped(line.name));
      x += needed;
    }
  }
  return out;
}

}  // namespace

std::string svg_of(const std::string& description, const std::vector<Panel>& panels,
                   std::size_t num_columns) {
  const std::size_t columns = std::clamp<std::size_t>(panels.size(), 1, num_columns);
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const double width = panel_width * static_cast<double>(columns) + 10.0;
  const double panels_end = panel_height * static_cast<double>(rows);
  const double height = panels_end + 48.0;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n"
      "<style>text{{font:11px sans-serif;fill:#222}}.t{{font-size:13px;font-weight:bold}}"
      ".x{{text-anchor:middle}}.y{{text-anchor:end}}.l{{font-size:12px}}"
      ".a{{stroke:#222;fill:none}}.g{{stroke:#ddd}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height, escaped(description));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t row = i / columns;
    const double x = panel_width * static_cast<double>(i % columns);
    const double y = panel_height * static_cast<double>(row);
    out += PanelWriter(panels[i], x, y).text();
  }
  return out + legend(panels, panels_end + 14.0, width) + "</svg>\n";
}

}  // namespace covary::paper
