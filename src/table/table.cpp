#include <algorithm>

#include <covary/table.h>

namespace covary {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  cell += '"';
  return cell;
}

const Column* Table::find(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::size_t Table::line_of(std::size_t row) const {
  const auto next =
      std::upper_bound(line_steps.begin(), line_steps.end(), row,
                       [](std::size_t wanted, const LineStep& step) { return wanted < step.row; });
  if (next == line_steps.begin()) return 0;
  const LineStep& step = *std::prev(next);
  return step.line + (row - step.row);
}

}  // namespace covary
