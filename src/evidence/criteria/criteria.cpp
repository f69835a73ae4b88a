#include <algorithm>
#include <array>

#include <covary/error.h>

#include "evidence/criteria/criterion_rule.h"

namespace covary {
namespace {

// In the order of the enumeration, which is the one in which they are listed to users.
constexpr std::array rules = {
    CriterionRule{Criterion::evidence, "evidence", "log evidence", true, laplace_evidence},
    CriterionRule{Criterion::evidence_aic, "evidence-aic", "evidence-aic", true,
                  laplace_evidence_aic},
    CriterionRule{Criterion::evidence_bic, "evidence-bic", "evidence-bic", true,
                  laplace_evidence_bic},
    CriterionRule{Criterion::bic, "bic", "bic", false, bayesian_information},
    CriterionRule{Criterion::aic, "aic", "aic", false, akaike_information},
    CriterionRule{Criterion::loo, "loo", "loo", false, leave_one_out},
    CriterionRule{Criterion::cv, "cv", "cv", false, cross_validation},
};

}  // namespace

std::span<const CriterionRule> criterion_rules() { return rules; }

const CriterionRule& rule_of(Criterion criterion) {
  const auto* const rule = std::find_if(rules.begin(), rules.end(), [&](const CriterionRule& one) {
    return one.criterion == criterion;
  });
  if (rule == rules.end()) throw Error(ErrorKind::usage, "criterion: there is no such criterion");
  return *rule;
}

std::vector<Criterion> all_criteria() {
  std::vector<Criterion> all;
  all.reserve(rules.size());
  for (const CriterionRule& rule : rules) all.push_back(rule.criterion);
  return all;
}

std::string_view to_string(Criterion criterion) { return rule_of(criterion).word; }

std::string_view title_of(Criterion criterion) { return rule_of(criterion).title; }

std::optional<Criterion> criterion_from(std::string_view word) {
  for (const CriterionRule& rule : rules) {
    if (rule.word == word) return rule.criterion;
  }
  return std::nullopt;
}

bool is_log_evidence(Criterion criterion) { return rule_of(criterion).is_log_evidence; }

}  // namespace covary
