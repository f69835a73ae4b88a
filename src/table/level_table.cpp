#include "table/level_table.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace covary {

void LevelTable::put(std::size_t row, const std::string& name) {
  if (is_overfull_) return;
  const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
  const std::uint32_t number = numbers_.emplace(name, next).first->second;
  if (numbers_.size() > Column::max_kept_levels) {
    *this = LevelTable();
    is_overfull_ = true;
    return;
  }
  if (number_of_row_.size() < row) number_of_row_.resize(row, 0);
  number_of_row_[row - 1] = number;
}

void LevelTable::take(std::size_t num_rows, Column& column) {
  if (is_overfull_) return;
  std::vector<std::pair<std::string, std::uint32_t>> sorted(numbers_.begin(), numbers_.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> index_of(sorted.size() + 1, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    index_of[sorted[i].second] = static_cast<double>(i);
    column.levels.push_back(std::move(sorted[i].first));
  }
  column.level_of_row.assign(num_rows, index_of[0]);
  const std::size_t num_known = std::min(num_rows, number_of_row_.size());
  for (std::size_t i = 0; i < num_known; ++i) {
    column.level_of_row[i] = index_of[number_of_row_[i]];
  }
  number_of_row_.erase(number_of_row_.begin(),
                       number_of_row_.begin() + static_cast<std::ptrdiff_t>(num_known));
}

}  // namespace covary
