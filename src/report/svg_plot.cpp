#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "report/axis.h"
#include "report/svg.h"

namespace covary {

bool is_by_level(const Figure& figure) {
  return figure.x.type == ColumnType::category || figure.is_by_value;
}

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

constexpr double character_width = 7.2;  // of figures at the size of ticks
constexpr std::size_t widest_tick = 18;  // characters; longer ones are cut

double text_width(const std::string& text) {
  const auto count = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  });
  return character_width *
         static_cast<double>(std::min<std::size_t>(static_cast<std::size_t>(count), widest_tick));
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0.0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text));
  return width;
}

std::vector<Tick> y_ticks(const FigureAxis& axis, const SvgSize& size) {
  return ticks(axis, static_cast<std::size_t>(size.height / (size.has_names ? 60.0 : 30.0)));
}

std::vector<Tick> x_ticks(const FigureAxis& axis, const SvgSize& size) {
  return ticks(axis, static_cast<std::size_t>(size.width / (size.has_names ? 90.0 : 60.0)));
}

// The room inside the axes, and the way from values to places in it. What stands along the axes has
// room beside it: the numbers to the left, and half of the last one to the right.
class Frame {
 public:
  Frame(const FigureAxis& x, const FigureAxis& y, const SvgSize& size)
      : x_(x),
        y_(y),
        size_(size),
        left_(std::max(52.0, 12.0 + widest(y_ticks(y, size)))),
        right_(size.width - std::max(12.0, end_of_ticks(x_ticks(x, size)))) {}

  double left() const { return left_; }
  double right() const { return right_; }
  double top() const { return size_.has_names ? 26.0 : 10.0; }
  double bottom() const { return size_.height - (size_.has_names ? 40.0 : 26.0); }
  double x(double value) const {
    return bounded(left() + (value - x_.low) / (x_.high - x_.low) * (right() - left()));
  }
  double y(double value) const {
    return bounded(bottom() - (value - y_.low) / (y_.high - y_.low) * (bottom() - top()));
  }
  const FigureAxis& x_axis() const { return x_; }
  const FigureAxis& y_axis() const { return y_; }

 private:
  // Half of the last tick's text, as far as it is beyond the axis.
  double end_of_ticks(const std::vector<Tick>& ticks) const {
    if (ticks.empty() || x_.type == ColumnType::category) return 0.0;
    const double gap = (x_.high - ticks.back().place) / (x_.high - x_.low) * (size_.width - left_);
    return 0.5 * text_width(ticks.back().text) - gap;
  }
  // Far outside is cut off; some viewers mind large numbers.
  static double bounded(double place) { return std::clamp(place, -1e4, 1e4); }

  const FigureAxis& x_;
  const FigureAxis& y_;
  SvgSize size_;
  double left_;
  double right_;
};

// Characters of a tick's text; no less than numbers and dates need.
std::size_t room_for_text(double width) {
  constexpr double character = 6.5;
  constexpr std::size_t least = 10;
  return std::max(static_cast<std::size_t>(width / character), least);
}

std::string axes(const Frame& frame, const SvgSize& size) {
  std::string out = R"(<g class="axes">)";
  for (const Tick& tick : y_ticks(frame.y_axis(), size)) {
    const double y = frame.y(tick.place);
    out += fmt::format(
        R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/><text class="tick" x="{:.1f}" )"
        R"(y="{:.1f}" text-anchor="end">{}</text>)",
        frame.left(), y, frame.right(), frame.left() - 8.0, y + 4.0,
        markup_text(tick.text, widest_tick));
  }
  const std::vector<Tick> along = x_ticks(frame.x_axis(), size);
  const std::size_t room_of_tick = room_for_text(
      (frame.right() - frame.left()) / static_cast<double>(std::max<std::size_t>(along.size(), 1)));
  for (const Tick& tick : along) {
    const double x = frame.x(tick.place);
    out += fmt::format(R"(<path class="axis" d="M{:.1f} {:.1f}v5"/><text class="{}" x="{:.1f}" )"
                       R"(y="{:.1f}" text-anchor="middle">{}</text>)",
                       x, frame.bottom(),
                       frame.x_axis().type == ColumnType::category ? "level" : "tick", x,
                       frame.bottom() + 18.0, markup_text(tick.text, room_of_tick));
  }
  out += fmt::format(R"(<path class="axis" d="M{:.1f} {:.1f}H{:.1f}"/>)", frame.left(),
                     frame.bottom(), frame.right());
  if (!size.has_names) return out + "</g>";
  const auto room = static_cast<std::size_t>(size.width / 8.0);
  out += fmt::format(R"(<text class="label" x="0" y="13">{}</text>)",
                     markup_text(frame.y_axis().label, room));
  out += fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text></g>)",
                     frame.right(), size.height - 4.0, markup_text(frame.x_axis().label, room));
  return out;
}

// Half of the width of what is drawn at a level, or at one of few values.
double half_bar_of(const Figure& figure) {
  constexpr double share = 0.16;   // of the way to the next
  constexpr double least = 0.006;  // of the axis, to be seen
  double gap = figure.x.type == ColumnType::category ? 1.0 : figure.x.high - figure.x.low;
  for (std::size_t i = 1; i < figure.grid.size(); ++i) {
    gap = std::min(gap, figure.grid[i] - figure.grid[i - 1]);
  }
  return std::max(share * gap, least * (figure.x.high - figure.x.low));
}

std::string bar_path(const Figure& figure, const Figure::Band& band, const Frame& frame) {
  const double half_bar = half_bar_of(figure);
  std::string path;
  for (std::size_t i = 0; i < figure.grid.size(); ++i) {
    path += fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}Z", frame.x(figure.grid[i] - half_bar),
                        frame.y(band.upper[i]), frame.x(figure.grid[i] + half_bar),
                        frame.y(band.lower[i]), frame.x(figure.grid[i] - half_bar));
  }
  return path;
}

// A stroke at each level; a reference is the same for all of them.
std::string strokes_path(const Figure& figure, const Figure::Line& line, const Frame& frame) {
  if (line.stroke == Figure::Stroke::reference) {
    return fmt::format("M{:.1f} {:.1f}H{:.1f}", frame.left(), frame.y(line.y[0]), frame.right());
  }
  const double half_bar = half_bar_of(figure);
  std::string path;
  for (std::size_t i = 0; i < figure.grid.size(); ++i) {
    path += fmt::format("M{:.1f} {:.1f}H{:.1f}", frame.x(figure.grid[i] - 1.5 * half_bar),
                        frame.y(line.y[i]), frame.x(figure.grid[i] + 1.5 * half_bar));
  }
  return path;
}

std::string band_path(const Figure& figure, const Figure::Band& band, const Frame& frame) {
  if (is_by_level(figure)) return bar_path(figure, band, frame);
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
  if (is_by_level(figure)) return strokes_path(figure, line, frame);
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
      R"(<svg class="static" viewBox="0 0 {:.0f} {:.0f}" data-room="{} {} {} {}" role="img" )"
      R"(aria-label="{}">)",
      size.width, size.height, frame.left(), frame.right(), frame.top(), frame.bottom(),
      markup_text(alt));
}

std::string clip(const std::string& id, const Frame& frame) {
  return fmt::format(R"(<clipPath id="clip-{0}"><rect x="{1:.1f}" y="{2:.1f}" width="{3:.1f}" )"
                     R"svg(height="{4:.1f}"/></clipPath><g clip-path="url(#clip-{0})">)svg",
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

constexpr std::size_t num_shades = 10;
constexpr std::size_t num_scale_ticks = 4;

std::size_t shade_of(double value, const FigureAxis& shades) {
  if (!(shades.high > shades.low)) return 0;
  const double share = (value - shades.low) / (shades.high - shades.low);
  return static_cast<std::size_t>(std::clamp(share * num_shades, 0.0, num_shades - 1.0));
}

// Neighbours of one shade as one box, a little larger than its cells, so that no gaps shine
// through. Cells far from all rows have none, and stay empty.
std::string cells(const HeatMap& map, const Frame& frame, const FigureAxis& shades) {
  constexpr double more = 0.4;
  const double width = (frame.right() - frame.left()) / static_cast<double>(map.x_places.size());
  const double height = (frame.bottom() - frame.top()) / static_cast<double>(map.y_places.size());
  std::vector<std::string> paths(num_shades);
  for (std::size_t j = 0; j < map.y_places.size(); ++j) {
    const auto shade_at = [&](std::size_t i) {
      const std::size_t at = i * map.y_places.size() + j;
      return map.is_near.empty() || map.is_near[at] ? shade_of(map.values[at], shades) : num_shades;
    };
    for (std::size_t begin = 0, end = 0; begin < map.x_places.size(); begin = end) {
      const std::size_t shade = shade_at(begin);
      for (end = begin + 1; end < map.x_places.size() && shade_at(end) == shade;) ++end;
      if (shade == num_shades) continue;
      const double length = static_cast<double>(end - begin) * width + more;
      paths[shade] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z",
                                  frame.left() + static_cast<double>(begin) * width,
                                  frame.bottom() - static_cast<double>(j + 1) * height, length,
                                  height + more, length);
    }
  }
  std::string out;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!paths[i].empty()) out += fmt::format(R"(<path class="shade-{}" d="{}"/>)", i, paths[i]);
  }
  return out;
}

// What the shades mean, from bottom to top.
std::string scale(const Frame& frame, const FigureAxis& shades) {
  const double step = (frame.bottom() - frame.top()) / num_shades;
  std::string out;
  for (std::size_t i = 0; i < num_shades; ++i) {
    out += fmt::format(
        R"(<rect class="shade-{}" x="{:.1f}" y="{:.1f}" width="10" height="{:.1f}"/>)", i,
        frame.right() + 14.0, frame.bottom() - static_cast<double>(i + 1) * step, step + 0.4);
  }
  for (const Tick& tick : ticks(shades, num_scale_ticks)) {
    const double share = (tick.place - shades.low) / (shades.high - shades.low);
    out +=
        fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}">{}</text>)", frame.right() + 28.0,
                    frame.bottom() - share * num_shades * step + 4.0, markup_text(tick.text));
  }
  return out;
}

}  // namespace

std::string svg_of(const Figure& figure, const SvgSize& size) {
  const Frame frame(figure.x, figure.y, size);
  std::string out = begin_svg(figure.alt, size, frame) + axes(frame, size) + clip(figure.id, frame);
  if (figure.data_end) {
    const double x = frame.x(*figure.data_end);
    out += fmt::format(
        R"(<rect class="future" x="{0:.1f}" y="{1:.1f}" width="{2:.1f}" height="{3:.1f}"/>)"
        R"(<path class="future-edge" d="M{0:.1f} {1:.1f}V{4:.1f}"/>)",
        x, frame.top(), frame.right() - x, frame.bottom() - frame.top(), frame.bottom());
  }
  for (std::size_t i = 0; i < figure.bands.size(); ++i) {
    out += fmt::format(R"(<path class="band band-{}" d="{}"/>)", i,
                       band_path(figure, figure.bands[i], frame));
  }
  // References first, so that what was found lies on top of them.
  for (const bool is_reference : {true, false}) {
    for (const Figure::Line& line : figure.lines) {
      if ((line.stroke == Figure::Stroke::reference) != is_reference) continue;
      out += fmt::format(R"(<path class="{}" d="{}"/>)", stroke_class(line.stroke),
                         line_path(figure, line, frame));
    }
  }
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    out += fmt::format(R"(<path class="dots dots-{}" d="{}"/>)", i,
                       dots(figure.points[i].x, figure.points[i].y, frame));
  }
  for (const Figure::Span& span : figure.far) {  // over all but the rows' own strokes
    const double x = frame.x(span.low);
    out += fmt::format(
        R"(<rect class="far" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", x,
        frame.top(), std::max(frame.x(span.high) - x, 0.0), frame.bottom() - frame.top());
  }
  if (!figure.rug.empty()) {
    std::string path;
    for (const double x : figure.rug)
      path += fmt::format("M{:.1f} {:.1f}v-7", frame.x(x), frame.bottom());
    out += fmt::format(R"(<path class="rug" d="{}"/>)", path);
  }
  return out + "</g></svg>";
}

std::string svg_of(const HeatMap& map, const SvgSize& size) {
  std::vector<double> seen;
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    if (map.is_near.empty() || map.is_near[i]) seen.push_back(map.values[i]);
  }
  if (seen.empty()) seen = map.values;
  const auto [low, high] = std::minmax_element(seen.begin(), seen.end());
  const FigureAxis shades{map.value_label, ColumnType::number, *low, *high};
  // The scale stands beside it, its numbers behind it.
  const double beside = std::max(56.0, 22.0 + widest(ticks(shades, num_scale_ticks)));
  const SvgSize inner{size.width - beside, size.height};
  const Frame frame(map.x, map.y, inner);
  // Dots with a rim, to be seen on any shade; those at the edges are not clipped.
  return begin_svg(map.alt, size, frame) + axes(frame, inner) + clip(map.id, frame) +
         fmt::format(
             R"(<rect class="nothing" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
             frame.left(), frame.top(), frame.right() - frame.left(),
             frame.bottom() - frame.top()) +
         cells(map, frame, shades) +
         fmt::format(R"(</g><path class="dots rim" d="{0}"/><path class="dots rows" d="{0}"/>)",
                     dots(map.data.x, map.data.y, frame)) +
         scale(frame, shades) + "</svg>";
}

}  // namespace covary
