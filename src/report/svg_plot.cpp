#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "report/axis.h"
#include "report/svg.h"

namespace covary {

std::string markup_text(std::string_view text, std::size_t max_characters) {
  std::string out;
  for (const char c : shown(text, max_characters)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

// The room inside the axes, and the way from values to places in it.
class Frame {
 public:
  Frame(const FigureAxis& x, const FigureAxis& y, const SvgSize& size)
      : x_(x), y_(y), size_(size) {}

  double left() const { return 52.0; }
  double right() const { return size_.width - 12.0; }
  double top() const { return 26.0; }
  double bottom() const { return size_.height - 40.0; }
  double x(double value) const {
    return bounded(left() + (value - x_.low) / (x_.high - x_.low) * (right() - left()));
  }
  double y(double value) const {
    return bounded(bottom() - (value - y_.low) / (y_.high - y_.low) * (bottom() - top()));
  }
  const FigureAxis& x_axis() const { return x_; }
  const FigureAxis& y_axis() const { return y_; }

 private:
  // Far outside is cut off; some viewers mind large numbers.
  static double bounded(double place) { return std::clamp(place, -1e4, 1e4); }

  const FigureAxis& x_;
  const FigureAxis& y_;
  SvgSize size_;
};

std::string axes(const Frame& frame, const SvgSize& size) {
  std::string out = "<g class=\"axes\">";
  const auto num_y = static_cast<std::size_t>(size.height / 60.0);
  for (const Tick& tick : ticks(frame.y_axis(), num_y)) {
    const double y = frame.y(tick.place);
    out += fmt::format(
        "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><text class=\"tick\" x=\"{:.1f}\" "
        "y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
        frame.left(), y, frame.right(), frame.left() - 8.0, y + 4.0, markup_text(tick.text));
  }
  const auto num_x = static_cast<std::size_t>(size.width / 90.0);
  for (const Tick& tick : ticks(frame.x_axis(), num_x)) {
    const double x = frame.x(tick.place);
    out += fmt::format(
        "<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/><text class=\"tick\" x=\"{:.1f}\" "
        "y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
        x, frame.bottom(), x, frame.bottom() + 18.0, markup_text(tick.text));
  }
  out += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", frame.left(),
                     frame.bottom(), frame.right());
  const auto room = static_cast<std::size_t>(size.width / 8.0);
  out += fmt::format("<text class=\"label\" x=\"0\" y=\"13\">{}</text>",
                     markup_text(frame.y_axis().label, room));
  out += fmt::format(
      "<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text></g>",
      frame.right(), size.height - 4.0, markup_text(frame.x_axis().label, room));
  return out;
}

std::string band_path(const Figure& figure, const Figure::Band& band, const Frame& frame) {
  std::string path;
  for (std::size_t i = 0; i < figure.grid.size(); ++i) {
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", frame.x(figure.grid[i]),
                        frame.y(band.upper[i]));
  }
  for (std::size_t i = figure.grid.size(); i-- > 0;) {
    path += fmt::format("L{:.1f} {:.1f}", frame.x(figure.grid[i]), frame.y(band.lower[i]));
  }
  return path + "Z";
}

std::string line_path(const Figure& figure, const Figure::Line& line, const Frame& frame) {
  std::string path;
  for (std::size_t i = 0; i < figure.grid.size(); ++i) {
    const double x = frame.x(figure.grid[i]);
    const double y = frame.y(line.y[i]);
    path += i == 0         ? fmt::format("M{:.1f} {:.1f}", x, y)
            : line.is_step ? fmt::format("H{:.1f}V{:.1f}", x, y)
                           : fmt::format("L{:.1f} {:.1f}", x, y);
  }
  if (line.is_step) path += fmt::format("H{:.1f}", frame.right());
  return path;
}

// Strokes of no length with round ends: a third of the size of circles.
std::string dots(const std::vector<double>& x, const std::vector<double>& y, const Frame& frame) {
  std::string path;
  for (std::size_t i = 0; i < x.size(); ++i) {
    path += fmt::format("M{:.1f} {:.1f}h0", frame.x(x[i]), frame.y(y[i]));
  }
  return path;
}

// With the room inside the axes, for the script that follows the pointer.
std::string begin_svg(const std::string& alt, const SvgSize& size, const Frame& frame) {
  return fmt::format(
      "<svg class=\"static\" viewBox=\"0 0 {:.0f} {:.0f}\" data-room=\"{} {} {} {}\" role=\"img\" "
      "aria-label=\"{}\">",
      size.width, size.height, frame.left(), frame.right(), frame.top(), frame.bottom(),
      markup_text(alt));
}

std::string clip(const std::string& id, const Frame& frame) {
  return fmt::format(
      "<clipPath id=\"clip-{0}\"><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" "
      "height=\"{4:.1f}\"/></clipPath><g clip-path=\"url(#clip-{0})\">",
      markup_text(id), frame.left(), frame.top(), frame.right() - frame.left(),
      frame.bottom() - frame.top());
}

const char* stroke_class(Figure::Stroke stroke) {
  switch (stroke) {
    case Figure::Stroke::strong:
      return "line strong";
    case Figure::Stroke::second:
      return "line second";
    case Figure::Stroke::third:
      return "line third";
    case Figure::Stroke::reference:
      return "line reference";
  }
  return "line";
}

// The shade of a value, 0 for the lowest to 9 for the highest.
std::size_t shade_of(double value, double low, double high) {
  if (!(high > low)) return 0;
  return static_cast<std::size_t>(std::clamp((value - low) / (high - low) * 10.0, 0.0, 9.0));
}

}  // namespace

std::string svg_of(const Figure& figure, const SvgSize& size) {
  const Frame frame(figure.x, figure.y, size);
  std::string out = begin_svg(figure.alt, size, frame) + axes(frame, size) + clip(figure.id, frame);
  if (figure.data_end) {
    const double x = frame.x(*figure.data_end);
    out += fmt::format(
        "<rect class=\"future\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\"/>"
        "<path class=\"future-edge\" d=\"M{0:.1f} {1:.1f}V{4:.1f}\"/>",
        x, frame.top(), frame.right() - x, frame.bottom() - frame.top(), frame.bottom());
  }
  for (std::size_t i = 0; i < figure.bands.size(); ++i) {
    out += fmt::format("<path class=\"band band-{}\" d=\"{}\"/>", i,
                       band_path(figure, figure.bands[i], frame));
  }
  // References first, so that what was found lies on top of them.
  for (const bool is_reference : {true, false}) {
    for (const Figure::Line& line : figure.lines) {
      if ((line.stroke == Figure::Stroke::reference) != is_reference) continue;
      out += fmt::format("<path class=\"{}\" d=\"{}\"/>", stroke_class(line.stroke),
                         line_path(figure, line, frame));
    }
  }
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    out += fmt::format("<path class=\"dots dots-{}\" d=\"{}\"/>", i,
                       dots(figure.points[i].x, figure.points[i].y, frame));
  }
  if (!figure.rug.empty()) {
    std::string path;
    for (const double x : figure.rug)
      path += fmt::format("M{:.1f} {:.1f}v-7", frame.x(x), frame.bottom());
    out += fmt::format("<path class=\"rug\" d=\"{}\"/>", path);
  }
  return out + "</g></svg>";
}

std::string svg_of(const HeatMap& map, const SvgSize& size) {
  const SvgSize inner{size.width - 56.0, size.height};  // the scale stands beside it
  const Frame frame(map.x, map.y, inner);
  const auto [low, high] = std::minmax_element(map.values.begin(), map.values.end());
  const double width = (frame.right() - frame.left()) / static_cast<double>(map.x_places.size());
  const double height = (frame.bottom() - frame.top()) / static_cast<double>(map.y_places.size());
  std::vector<std::string> paths(10);
  for (std::size_t j = 0; j < map.y_places.size(); ++j) {
    const auto shade_at = [&](std::size_t i) {
      return shade_of(map.values[i * map.y_places.size() + j], *low, *high);
    };
    // Neighbours of one shade as one box, a little larger than its cells, so that no gaps shine
    // through.
    for (std::size_t begin = 0, end = 0; begin < map.x_places.size(); begin = end) {
      const std::size_t shade = shade_at(begin);
      for (end = begin + 1; end < map.x_places.size() && shade_at(end) == shade;) ++end;
      const double length = static_cast<double>(end - begin) * width + 0.4;
      paths[shade] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z",
                                  frame.left() + static_cast<double>(begin) * width,
                                  frame.bottom() - static_cast<double>(j + 1) * height, length,
                                  height + 0.4, length);
    }
  }
  std::string out = begin_svg(map.alt, size, frame) + axes(frame, inner) + clip(map.id, frame);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!paths[i].empty()) out += fmt::format("<path class=\"shade-{}\" d=\"{}\"/>", i, paths[i]);
  }
  // Dots with a rim, to be seen on any shade.
  const std::string rows = dots(map.data.x, map.data.y, frame);
  out += fmt::format(
      "<path class=\"dots rim\" d=\"{0}\"/><path class=\"dots rows\" d=\"{0}\"/></g>", rows);
  const double step = (frame.bottom() - frame.top()) / 10.0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    out += fmt::format(
        "<rect class=\"shade-{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"{:.1f}\"/>", i,
        frame.right() + 14.0, frame.bottom() - static_cast<double>(i + 1) * step, step + 0.4);
  }
  for (const Tick& tick : ticks({"", ColumnType::number, *low, *high}, 4)) {
    const double y = frame.bottom() - (tick.place - *low) / (*high - *low) * 10.0 * step;
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                       frame.right() + 28.0, y + 4.0, markup_text(tick.text));
  }
  return out + "</svg>";
}

}  // namespace covary
