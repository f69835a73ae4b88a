#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "watched_objective.h"

namespace covary {

// When to stop, the same for all.
struct Limits {
  double tolerance = 1e-7;  // nats; stop when two steps in a row gain less
  std::size_t max_iterations = 1000;
  std::size_t memory = 20;  // pairs that limited-memory methods keep
};

// Counts steps that gain too little, for libraries whose own test is relative or looks at one step.
class GainTest {
 public:
  GainTest(double first_value, double tolerance)
      : last_value_(first_value), tolerance_(tolerance) {}

  // Of the value after one more step.
  bool has_settled(double value) {
    num_small_gains_ = value - last_value_ < tolerance_ ? num_small_gains_ + 1 : 0;
    last_value_ = value;
    return num_small_gains_ >= 2;
  }

 private:
  double last_value_;
  double tolerance_;
  int num_small_gains_ = 0;
};

// What an optimiser found is the best place that the objective saw: a library that gives up with an
// error, or returns another place, loses nothing by that.
struct Optimizer {
  std::string_view name;
  void (*maximize)(WatchedObjective& objective, const std::vector<double>& start,
                   const Limits& limits);
};

void maximize_with_ceres(WatchedObjective& objective, const std::vector<double>& start,
                         const Limits& limits);
// Directions that no pair has seen yet get the last pair's curvature, as all others do it, instead
// of 1, Ceres's default.
void maximize_with_scaled_ceres(WatchedObjective& objective, const std::vector<double>& start,
                                const Limits& limits);
void maximize_with_nlopt(WatchedObjective& objective, const std::vector<double>& start,
                         const Limits& limits);
void maximize_with_liblbfgs(WatchedObjective& objective, const std::vector<double>& start,
                            const Limits& limits);
void maximize_with_dlib(WatchedObjective& objective, const std::vector<double>& start,
                        const Limits& limits);
// dlib's trust region, with the average information as its Hessian at every step.
void maximize_with_dlib_trust_region(WatchedObjective& objective, const std::vector<double>& start,
                                     const Limits& limits);

}  // namespace covary
