// log likelihood − (d/2) log n
#include <cmath>

#include "evidence/criteria/criterion_rule.h"

namespace covary {

std::optional<double> bayesian_information(FittedKernel& fit, Evidence& /*notes*/) {
  return fit.figures().log_likelihood - 0.5 * fit.num_parameters() * std::log(fit.num_rows());
}

}  // namespace covary
