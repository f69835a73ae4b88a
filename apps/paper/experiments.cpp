#include "experiments.h"

#include <algorithm>

#include "search_runs.h"

namespace covary::paper {
namespace {

constexpr std::size_t quick_rows = 60;

}  // namespace

std::size_t Plan::rows_of(const PaperData& data) const {
  return quick ? std::min(data.rows, quick_rows) : data.rows;
}

TrainingAndTest Plan::split(const PaperData& data) const {
  return split_as_in_paper(data, load(data, data_folder), rows_of(data), split_seed);
}

std::vector<PaperData> Plan::sets_named(const std::vector<std::string>& names) const {
  std::vector<PaperData> named;
  for (const std::string& name : names) {
    const auto is_it = [&](const PaperData& data) { return data.name == name; };
    const auto place = std::find_if(sets.begin(), sets.end(), is_it);
    if (place != sets.end()) named.push_back(*place);
  }
  return named;
}

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> table = {
      {"meta-regression", "Evidence of kernels predicted from that of others (Table 1).",
       run_meta_regression},
      {"search-curves", "Best evidence over evaluations and over CPU time (main figure).",
       run_search_curves},
      {"test-performance", "Test NLL and RMSE of the selected kernels (Table 2, box plots).",
       run_test_performance},
      {"time-ratio", "CPU time of the acquisition over that of the oracle.", run_time_ratio},
      {"kernel-kernel-time", "CPU time of one kernel-kernel evaluation.", run_kernel_kernel_time,
       false},
      {"weights", "Weights of the three distances over the iterations.", run_weights},
      {"interpretability", "Small kernels for Airline, as sums of products.", run_interpretability},
      {"rbf-fkl", "RMSE and NLL against RBF and functional kernel learning (last table).",
       run_rbf_fkl},
      {"simulated", "Learning curves on data from known kernels, and overfitting.", run_simulated,
       false},
  };
  return table;
}

}  // namespace covary::paper
