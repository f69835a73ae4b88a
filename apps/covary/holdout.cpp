#include "holdout.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace covary::app {
namespace {

std::string shown_nll(double nll) {
  return std::isfinite(nll) ? fmt::format("{:.4g}", nll) : "infinite";
}

}  // namespace

nlohmann::ordered_json holdout_json(const HoldoutFigures& figures) {
  return {{"rows", figures.rows},
          {"rmse", figures.rmse},
          {"nll", figures.nll},
          {"coverage_95", figures.coverage},
          {"rmse_standardised", figures.rmse_standardised},
          {"nll_standardised", figures.nll_standardised}};
}

void print_holdout(const HoldoutFigures& figures) {
  fmt::print("{} held-out rows: RMSE {:.4g}, NLL {}, {:.0f} % inside the 95 % intervals\n",
             figures.rows, figures.rmse, shown_nll(figures.nll), 100.0 * figures.coverage);
  fmt::print("  standardised: RMSE {:.4g}, NLL {}\n", figures.rmse_standardised,
             shown_nll(figures.nll_standardised));
  if (std::isfinite(figures.nll)) return;
  fmt::print("  the model rules out the target of a held-out row; see --transform\n");
}

}  // namespace covary::app
