#pragma once

#include <string>

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary::app {

// What all rows say at the model's parameters: a number, or an interval if its ends are not the
// same as far as they are printed.
inline void print_likelihood_of_all(const FittedModel& model) {
  const FittedModel::Interval interval = model.log_marginal_likelihood_interval();
  const std::string lower = fmt::format("{:.4f}", interval.lower);
  const std::string upper = fmt::format("{:.4f}", interval.upper);
  fmt::print("{:<24}{}{}   (of all {} rows)\n", "log likelihood", lower,
             lower == upper ? "" : " to " + upper, model.num_rows());
}

}  // namespace covary::app
