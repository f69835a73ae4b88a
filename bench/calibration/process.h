#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <covary/dataset.h>
#include <covary/expression.h>
#include <covary/random.h>

#include "covariance/parameter_space.h"

namespace covary::calibration {

// What is drawn from, and what inference knows of it.
struct Setting {
  std::string space = "SE,LIN,PER,RW";
  std::string operators = "+,*";
  std::size_t max_leaves = 2;
  std::size_t num_rows = 40;   // to learn from, in even steps
  std::size_t num_inside = 8;  // unseen ones between them
  std::size_t num_ahead = 8;   // and beyond them, up to a quarter of their range
  bool is_monthly = false;     // steps are months, so that priors speak of years
};

// Rows with the setting's inputs and no units of their own: priors are meant for the numbers as
// they are, so that nothing is rescaled.
Dataset rows_at(const Setting& setting, std::vector<double> places, std::vector<double> target);
std::vector<double> training_places(const Setting& setting);

// The kernels of the space, each family once, with their probabilities before data are seen.
struct Candidates {
  std::vector<Expression> kernels;
  std::vector<double> log_probability;  // of all of them: 1
};
Candidates candidates_of(const Setting& setting);

// Natural values, from the whole of each prior.
std::vector<double> draw_parameters(const ParameterSpace& space, Random& random);

// The truth, and what is seen of it.
struct Truth {
  std::size_t kernel;  // among the candidates
  std::vector<double> parameters;
  Dataset rows;
  Dataset unseen;  // those inside first
};
Truth draw_truth(const Setting& setting, const Candidates& candidates, Random& random);

}  // namespace covary::calibration
