#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/random.h>

#include "linalg/matrix.h"

namespace covary {

struct NearestNeighboursOptions {
  std::size_t max_neighbours = 30;
  std::size_t folds = 10;
};

// The baseline of meta-regression: the value of a thing is the average value of the k nearest
// things, k by cross-validation. Like MetaGp it knows only distances; those that are infinite are
// of things that say nothing about each other.
class NearestNeighbours {
 public:
  explicit NearestNeighbours(NearestNeighboursOptions options = {}) : options_(options) {}

  // Chooses k by the squared error over folds; of equally good ones the smallest.
  // REQUIRES: a square matrix, finite values, at least one.
  void fit(const Matrix& distances, std::span<const double> values, Random& random);

  // `cross` has a row for each thing with a value and a column for each new one. The mean of all
  // values where nothing is near. REQUIRES: fit() before.
  std::vector<double> predict(const Matrix& cross) const;

  std::size_t num_neighbours() const { return num_neighbours_; }

 private:
  NearestNeighboursOptions options_;
  std::vector<double> values_;
  std::size_t num_neighbours_ = 1;
};

}  // namespace covary
