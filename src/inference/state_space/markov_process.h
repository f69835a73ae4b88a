#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace covary {

// A Gaussian process along an ordered input whose state at a place says all that the places before
// it know of those behind: a Matérn function of smoothness 1/2, 3/2 or 5/2 with variance 1, or a
// random walk.
struct MarkovFactor {
  enum class Kind { matern12, matern32, matern52, random_walk };
  Kind kind = Kind::matern12;
  double length = 1.0;             // of a Matérn function
  double variance = 1.0;           // of a random walk, as RW has them
  double constant_variance = 0.0;  //

  std::size_t size() const;  // of the state, whose first number is the function
  friend bool operator==(const MarkovFactor&, const MarkovFactor&) = default;
};

// The product of such covariances: states are Kronecker products. Small square matrices here are
// column by column.
class MarkovProcess {
 public:
  explicit MarkovProcess(std::span<const MarkovFactor> factors);

  std::size_t size() const { return size_; }

  // The covariance of the state at a place that nothing is known of.
  std::vector<double> prior(double x) const;

  // From one place to one that is not before it: the state there is `transition` times the state
  // here and something new, with covariance `added`.
  struct Step {
    std::vector<double> transition;
    std::vector<double> added;
  };
  Step step(double from, double to) const;

 private:
  std::vector<MarkovFactor> factors_;
  std::size_t size_ = 1;
};

}  // namespace covary
