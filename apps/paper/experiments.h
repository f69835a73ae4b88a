#pragma once

#include <string>
#include <vector>

#include "plan.h"

namespace covary::paper {

// A table or figure of the paper: one file, one sub-command.
struct Experiment {
  std::string name;
  std::string help;
  void (*run)(const Plan& plan);
};

void run_meta_regression(const Plan& plan);
void run_search_curves(const Plan& plan);

// In the order of the paper.
const std::vector<Experiment>& experiments();

}  // namespace covary::paper
