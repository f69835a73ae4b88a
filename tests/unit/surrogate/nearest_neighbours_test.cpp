#include "surrogate/nearest_neighbours.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

// Distances between places on a line.
Matrix distances_between(const std::vector<double>& from, const std::vector<double>& to) {
  Matrix distances(from.size(), to.size());
  for (std::size_t j = 0; j < to.size(); ++j) {
    for (std::size_t i = 0; i < from.size(); ++i) distances(i, j) = std::abs(from[i] - to[j]);
  }
  return distances;
}

std::vector<double> places(std::size_t count) {
  std::vector<double> line;
  for (std::size_t i = 0; i < count; ++i) line.push_back(static_cast<double>(i));
  return line;
}

TEST(NearestNeighbours, TakesOneNeighbourWhereValuesJumpAndManyWhereTheyAreNoise) {
  const std::vector<double> line = places(200);
  Random random(1);
  // Pairs of equal values, each pair unlike the next: only the nearest one tells anything.
  std::vector<double> line_of_pairs;
  std::vector<double> pairs;
  std::vector<double> noise;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t pair = i / 2;
    line_of_pairs.push_back(static_cast<double>(pair) + 0.1 * static_cast<double>(i % 2));
    pairs.push_back(i % 2 == 0 ? random.normal() : pairs.back());
    noise.push_back(random.normal());
  }
  NearestNeighbours neighbours;
  neighbours.fit(distances_between(line_of_pairs, line_of_pairs), pairs, random);
  EXPECT_LE(neighbours.num_neighbours(), 2U);
  neighbours.fit(distances_between(line, line), noise, random);
  EXPECT_GE(neighbours.num_neighbours(), 10U);
}

TEST(NearestNeighbours, PredictsTheAverageOfTheNearest) {
  NearestNeighbours neighbours({.max_neighbours = 1});
  Random random(1);
  const std::vector<double> line = places(4);
  neighbours.fit(distances_between(line, line), std::vector<double>{1.0, 2.0, 4.0, 8.0}, random);
  EXPECT_EQ(neighbours.predict(distances_between(line, {0.2, 2.9, 1.6})),
            (std::vector<double>{1.0, 8.0, 4.0}));
}

TEST(NearestNeighbours, GivesTheMeanWhereNothingIsNear) {
  constexpr double far = std::numeric_limits<double>::infinity();
  NearestNeighbours neighbours;
  Random random(1);
  Matrix distances(2, 2);
  distances(0, 0) = distances(1, 1) = 0.0;
  distances(0, 1) = distances(1, 0) = far;
  neighbours.fit(distances, std::vector<double>{1.0, 4.0}, random);
  Matrix cross(2, 1);
  cross(0, 0) = cross(1, 0) = far;
  EXPECT_EQ(neighbours.predict(cross), std::vector<double>{2.5});
}

}  // namespace
}  // namespace covary
