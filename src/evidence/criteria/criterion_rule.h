#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <covary/evidence.h>

#include "evidence/fitted_kernel.h"

namespace covary {

// One way to judge a kernel: a file in this folder, and a line in the table of criteria.cpp.
struct CriterionRule {
  Criterion criterion;
  std::string_view word;
  std::string_view title;  // what people call its value
  bool is_log_evidence;    // differences between kernels are logarithms of odds
  // What the kernel is worth; none if it has no such value here, or time is up. May move the fit to
  // a better place, and notes what it did beside the value.
  std::optional<double> (*value)(FittedKernel& fit, Evidence& notes);
};

std::span<const CriterionRule> criterion_rules();
const CriterionRule& rule_of(Criterion criterion);

// The Laplace approximation (docs/math/laplace.md), and the same with a least price of each
// parameter: 1 or ½ log n (Besginow et al. 2024).
std::optional<double> laplace_evidence(FittedKernel& fit, Evidence& notes);
std::optional<double> laplace_evidence_aic(FittedKernel& fit, Evidence& notes);
std::optional<double> laplace_evidence_bic(FittedKernel& fit, Evidence& notes);

std::optional<double> bayesian_information(FittedKernel& fit, Evidence& notes);
std::optional<double> akaike_information(FittedKernel& fit, Evidence& notes);
std::optional<double> leave_one_out(FittedKernel& fit, Evidence& notes);
std::optional<double> cross_validation(FittedKernel& fit, Evidence& notes);

}  // namespace covary
