#include "search/stopping_rule.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "acquisition/expected_improvement.h"

namespace covary {

std::optional<double> expected_gain(std::span<const SearchRecord> history, double num_rows,
                                    const StoppingRule& rule) {
  std::optional<double> best;
  std::vector<double> promised;
  double all_promised = rule.first_promised;
  double all_kept = rule.first_kept;
  for (const SearchRecord& record : history) {
    const std::optional<double>& value = record.evidence.value;
    if (best && record.predicted_mean && record.predicted_sd) {
      promised.push_back(std::exp(log_expected_improvement(
          *record.predicted_mean * num_rows, *record.predicted_sd * num_rows, *best, 0.0)));
      all_promised += promised.back();
      if (value) all_kept += std::max(*value - *best, 0.0);
    }
    if (value) best = best ? std::max(*best, *value) : *value;
  }
  if (promised.size() < rule.num_ahead) return std::nullopt;
  double lately = 0.0;
  for (std::size_t i = promised.size() - rule.num_ahead; i < promised.size(); ++i) {
    lately += promised[i];
  }
  return lately * all_kept / all_promised;
}

bool is_too_little(double gain, double num_rows, const StoppingRule& rule) {
  return gain < std::max(rule.least_gain, rule.least_gain_per_row * num_rows);
}

}  // namespace covary
