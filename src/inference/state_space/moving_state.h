#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "inference/state_space/markov_process.h"
#include "inference/state_space/wave_terms.h"
#include "linalg/matrix.h"

namespace covary {

// A Kalman filter of all terms whose weights move, one row after the other along the input, for
// several columns of targets at a time: the covariance of the state is the same for all of them.
class MovingState {
 public:
  // `origin`: of the waves. Only terms with factors are looked at.
  MovingState(std::span<const WaveTerm> terms, double origin, std::size_t num_columns);

  std::size_t size() const { return covariance_.num_columns(); }
  bool is_empty() const { return size() == 0; }

  // The columns of the next row, which is not before the last one, become what the rows before
  // could not tell of them, in units of its standard deviation, whose square is the result.
  double take(double x, double noise, std::span<double> columns);

 private:
  struct Term {
    MarkovProcess process;
    std::vector<Wave> waves;
    std::size_t num_functions;
    std::size_t first;  // of the state
  };
  void move(double to);
  void combine(Matrix& matrix, const std::vector<double>& transition, const Term& term);

  std::vector<Term> terms_;
  double origin_;
  double place_ = 0.0;
  bool has_place_ = false;
  Matrix covariance_;              // of the state
  Matrix means_;                   // a column for each number of the state, a row for each target
  std::vector<std::size_t> seen_;  // numbers of the state that a row sees, and by how much
  std::vector<double> amplitudes_;
  std::vector<double> gain_;
  std::vector<double> combined_;
};

}  // namespace covary
