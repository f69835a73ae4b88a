// log likelihood − d
#include "evidence/criteria/criterion_rule.h"

namespace covary {

std::optional<double> akaike_information(FittedKernel& fit, Evidence& /*notes*/) {
  return fit.figures().log_likelihood - fit.num_parameters();
}

}  // namespace covary
