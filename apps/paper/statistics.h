#pragma once

#include <vector>

namespace covary::paper {

// By linear interpolation between the sorted values. REQUIRES: not empty, 0 <= p <= 1.
double quantile(std::vector<double> values, double p);
double median(const std::vector<double>& values);
double mean_of(const std::vector<double>& values);
double sample_sd(const std::vector<double>& values);  // divisor n - 1; 0 for one value

// The two-sided p-value of Welch's t-test that both come from distributions of one mean; 1 if that
// cannot be said for want of values.
double t_test(const std::vector<double>& a, const std::vector<double>& b);
// The same for a sample against one number.
double t_test(const std::vector<double>& a, double number);

}  // namespace covary::paper
