#include "forecast/naive.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace covary {

SeasonalNaive::SeasonalNaive(const TimeSeries& known, const TimeStep& step, std::size_t season)
    : step_(step), season_(static_cast<std::int64_t>(season)) {
  for (std::size_t i = 0; i < known.num_rows(); ++i) {
    values_[step.index_of(known.time().values[i])] = known.target().values[i];
  }
  double sum = 0.0;
  double squares = 0.0;
  double count = 0.0;
  for (const auto& [index, value] : values_) {
    const auto before = values_.find(index - season_);
    if (before == values_.end()) continue;
    sum += std::abs(value - before->second);
    squares += (value - before->second) * (value - before->second);
    count += 1.0;
  }
  mean_change_ = count > 0.0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  sd_ = count > 0.0 ? std::sqrt(squares / count) : 0.0;
}

Prediction SeasonalNaive::predict(const std::vector<double>& times) const {
  Prediction prediction;
  for (const double time : times) {
    // The latest known row that is whole seasons before; where rows are missing, the last of all.
    const std::int64_t last = values_.rbegin()->first;
    std::int64_t index = step_.index_of(time);
    double seasons = 0.0;
    while (index > last || (values_.count(index) == 0 && index >= values_.begin()->first)) {
      index -= season_;
      seasons += 1.0;
    }
    const auto found = values_.find(index);
    prediction.mean.push_back(found != values_.end() ? found->second : values_.rbegin()->second);
    prediction.sd.push_back(sd_ * std::sqrt(std::max(seasons, 1.0)));
  }
  prediction.latent_sd = prediction.sd;
  return prediction;
}

}  // namespace covary
