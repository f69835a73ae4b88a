#pragma once

#include <vector>

#include <covary/dataset.h>
#include <covary/model.h>

namespace covary {

// How well rows that a model has not seen were predicted, on the standardised target.
struct TestFigures {
  double rmse = 0.0;
  double nll = 0.0;  // mean negative log density of y, noise included
};

// `prediction` is of the rows of `holdout`, in their order. REQUIRES: at least one row.
TestFigures test_figures(const Prediction& prediction, const Dataset& holdout);

// The inputs of a data set in raw units, as predict() takes them.
std::vector<std::vector<double>> raw_inputs(const Dataset& data);

}  // namespace covary
