#include "holdout.h"

#include <fmt/format.h>

namespace covary::app {

nlohmann::ordered_json holdout_json(const HoldoutFigures& figures) {
  return {{"rows", figures.rows},
          {"rmse", figures.rmse},
          {"nll", figures.nll},
          {"coverage_95", figures.coverage},
          {"rmse_standardised", figures.rmse_standardised},
          {"nll_standardised", figures.nll_standardised}};
}

void print_holdout(const HoldoutFigures& figures) {
  fmt::print("{} held-out rows: RMSE {:.4g}, NLL {:.4g}, {:.0f} % inside the 95 % intervals\n",
             figures.rows, figures.rmse, figures.nll, 100.0 * figures.coverage);
  fmt::print("  standardised: RMSE {:.4g}, NLL {:.4g}\n", figures.rmse_standardised,
             figures.nll_standardised);
}

}  // namespace covary::app
