#include "holdout.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace covary::app {

HoldoutFigures holdout_figures(const FittedModel& model, const Dataset& holdout) {
  std::vector<std::vector<double>> inputs(holdout.num_inputs());
  for (std::size_t c = 0; c < holdout.num_inputs(); ++c) {
    for (const double x : holdout.input(c)) inputs[c].push_back(holdout.input_scaling(c).to_raw(x));
  }
  const Prediction prediction = model.predict(inputs);
  const Scaling& unit = holdout.target_scaling();
  constexpr double normal_95 = 1.959963984540054;
  HoldoutFigures figures;
  figures.rows = holdout.num_rows();
  const auto n = static_cast<double>(figures.rows);
  double square = 0.0;
  for (std::size_t i = 0; i < figures.rows; ++i) {
    // On the standardised scale, where squares of large targets do not overflow.
    const double error = holdout.target()[i] - unit.to_scaled(prediction.mean[i]);
    const double z = error / (prediction.sd[i] / unit.factor);
    square += error * error;
    figures.nll +=
        (0.5 * (z * z + std::log(2.0 * std::numbers::pi)) + std::log(prediction.sd[i])) / n;
    figures.coverage += (std::abs(z) <= normal_95 ? 1.0 : 0.0) / n;
  }
  figures.rmse_standardised = std::sqrt(square / n);
  figures.rmse = figures.rmse_standardised * unit.factor;
  figures.nll_standardised = figures.nll - std::log(unit.factor);
  return figures;
}

nlohmann::ordered_json to_json(const HoldoutFigures& figures) {
  return {{"rows", figures.rows},
          {"rmse", figures.rmse},
          {"nll", figures.nll},
          {"coverage_95", figures.coverage},
          {"rmse_standardised", figures.rmse_standardised},
          {"nll_standardised", figures.nll_standardised}};
}

void print_text(const HoldoutFigures& figures) {
  fmt::print("{} held-out rows: RMSE {:.4g}, NLL {:.4g}, {:.0f} % inside the 95 % intervals\n",
             figures.rows, figures.rmse, figures.nll, 100.0 * figures.coverage);
  fmt::print("  standardised: RMSE {:.4g}, NLL {:.4g}\n", figures.rmse_standardised,
             figures.nll_standardised);
}

}  // namespace covary::app
