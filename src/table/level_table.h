#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <covary/table.h>

namespace covary {

// Which level each row of a column has, by name. Gives up, and frees its memory, beyond
// Column::max_kept_levels names: what has so many is no category.
class LevelTable {
 public:
  void put(std::size_t row, const std::string& name);  // rows count from 1
  bool has(std::size_t row) const {
    return row <= number_of_row_.size() && number_of_row_[row - 1] != 0;
  }
  bool is_overfull() const { return is_overfull_; }

  // Fills in levels, sorted so that they do not depend on the order of the rows, and those of the
  // rows since the last call, after which the
  // next one is row 1 and may be there already. Levels stay known.
  void take(std::size_t num_rows, Column& column);

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;  // in the order of appearance, from 1
  std::vector<std::uint32_t> number_of_row_;                // 0 for a row without a level
  bool is_overfull_ = false;
};

}  // namespace covary
