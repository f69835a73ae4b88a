#pragma once

#include <cmath>
#include <vector>

#include <covary/random.h>

#include "linalg/matrix.h"

namespace covary {

// Things with hidden coordinates; a part's distance is the sum of absolute differences in some of
// them, so that a kernel of weighted distances is positive semi-definite.
class RandomThings {
 public:
  RandomThings(std::size_t count, std::size_t num_parts, Random& random)
      : num_parts_(num_parts), coordinates_(count) {
    for (std::vector<double>& own : coordinates_) {
      for (std::size_t k = 0; k < 2 * num_parts; ++k) own.push_back(random.uniform());
    }
  }

  double distance(std::size_t part, std::size_t i, std::size_t j) const {
    const std::size_t k = 2 * part;
    return std::abs(coordinates_[i][k] - coordinates_[j][k]) +
           std::abs(coordinates_[i][k + 1] - coordinates_[j][k + 1]);
  }

  // Rows are the things of the first list, columns those of the second.
  std::vector<Matrix> between(const std::vector<std::size_t>& rows,
                              const std::vector<std::size_t>& columns) const {
    std::vector<Matrix> parts;
    for (std::size_t p = 0; p < num_parts_; ++p) {
      Matrix& part = parts.emplace_back(rows.size(), columns.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
          part(i, j) = distance(p, rows[i], columns[j]);
        }
      }
    }
    return parts;
  }

  // A smooth function of the hidden coordinates.
  double value(std::size_t i) const {
    return std::sin(3.0 * coordinates_[i][0]) + coordinates_[i].back();
  }

 private:
  std::size_t num_parts_;
  std::vector<std::vector<double>> coordinates_;
};

inline std::vector<std::size_t> range(std::size_t first, std::size_t last) {
  std::vector<std::size_t> indices;
  for (std::size_t i = first; i < last; ++i) indices.push_back(i);
  return indices;
}

}  // namespace covary
