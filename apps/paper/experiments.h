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
  bool needs_data = true;
};

void run_meta_regression(const Plan& plan);
void run_search_curves(const Plan& plan);
void run_test_performance(const Plan& plan);
void run_time_ratio(const Plan& plan);
void run_kernel_kernel_time(const Plan& plan);
void run_weights(const Plan& plan);
void run_interpretability(const Plan& plan);
void run_rbf_fkl(const Plan& plan);
void run_simulated(const Plan& plan);

// In the order of the paper.
const std::vector<Experiment>& experiments();

}  // namespace covary::paper
