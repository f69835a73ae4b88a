#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include <covary/forecast.h>

namespace covary {

// The forecast that every other one has to beat: what was there a season ago. Its errors are
// Gaussian, with the mean square of the changes from season to season in the past, and grow with
// the root of the seasons ahead.
class SeasonalNaive {
 public:
  SeasonalNaive(const TimeSeries& known, const TimeStep& step, std::size_t season);

  // Mean absolute change from season to season, NaN where no two rows are a season apart.
  double mean_change() const { return mean_change_; }

  // Means and standard deviations of these times.
  Prediction predict(const std::vector<double>& times) const;

 private:
  const TimeStep& step_;
  std::int64_t season_;
  std::map<std::int64_t, double> values_;  // by place on the step's grid
  double mean_change_ = 0.0;
  double sd_ = 0.0;  // one season ahead
};

}  // namespace covary
