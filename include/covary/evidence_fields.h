#pragma once

#include <tuple>

#include <covary/evidence.h>

namespace covary {

// One field of Evidence: a column of run.sqlite, a key in JSON, an attribute in Python.
template <class Value>
struct EvidenceField {
  constexpr EvidenceField(const char* name_of_it, Value Evidence::*member_of_it,
                          const char* help_for_it, int since_format = 1)
      : name(name_of_it), member(member_of_it), help(help_for_it), since(since_format) {}

  const char* name;
  Value Evidence::*member;
  const char* help;  // one sentence
  int since;         // the first format version of runs that has it (docs/run_folder.md)
};

// The fields of Evidence, declared once: columns and their seal, JSON, Python's attributes and
// pickles follow from this list. A new field is one line at the end of it; runs of formats before
// its own give it its default. Formats 2 to 5 are those of version 0.2.
inline constexpr std::tuple evidence_fields{
    EvidenceField("value", &Evidence::value,
                  "Of the criterion, the log evidence unless another was chosen; larger is better. "
                  "None if the kernel could not be fitted."),
    EvidenceField("outcome", &Evidence::outcome, "How the fit ended, as a word."),
    EvidenceField("message", &Evidence::message, "How the fit ended, as a sentence."),
    EvidenceField(
        "hessian_repaired", &Evidence::hessian_repaired,
        "The Hessian was no maximum's; directions without curvature count as the prior's own."),
    EvidenceField("log_marginal_likelihood", &Evidence::log_marginal_likelihood, "At the optimum."),
    EvidenceField("log_prior", &Evidence::log_prior,
                  "At the optimum; with the Jacobian in the consistent convention."),
    EvidenceField("log_posterior", &Evidence::log_posterior,
                  "The sum of both, which was maximised."),
    EvidenceField("jitter", &Evidence::jitter,
                  "Relative to the mean diagonal of the covariance matrix."),
    EvidenceField("parameters", &Evidence::parameters,
                  "By natural value in the order of the expression, the noise variance last."),
    EvidenceField("num_starts", &Evidence::num_starts, "That were optimised."),
    EvidenceField("num_distinct_optima", &Evidence::num_distinct_optima,
                  "Among the starts that converged."),
    EvidenceField("value_evaluations", &Evidence::value_evaluations,
                  "Of the log posterior without its gradient."),
    EvidenceField("gradient_evaluations", &Evidence::gradient_evaluations,
                  "Of the log posterior with its gradient."),
    EvidenceField("seconds", &Evidence::seconds, "Of CPU time."),
    EvidenceField("transform", &Evidence::transform, "What the target was transformed by.", 3),
    EvidenceField("log_structure_prior", &Evidence::log_structure_prior,
                  "How probable a search takes the kernel to be before it sees data; part of the "
                  "value. 0 outside of a search.",
                  4),
    EvidenceField("rows", &Evidence::rows, "That it was judged on; 0 where that is not known.", 5),
};

// visit(const EvidenceField<Value>&) for each of them, in their order.
template <class Visit>
constexpr void for_each_evidence_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, evidence_fields);
}

// A field's value as other programs take it: outcomes and transforms are words.
inline std::string_view plain_value(FitOutcome outcome) { return to_string(outcome); }
inline std::string_view plain_value(TargetTransform transform) { return to_string(transform); }
template <class Value>
const Value& plain_value(const Value& value) {
  return value;
}

// Puts every field whose name is not there yet into an object of a JSON library.
template <class Json>
void add_fields(const Evidence& evidence, Json& object) {
  for_each_evidence_field([&](const auto& field) {
    if (object.contains(field.name)) return;
    const auto& value = evidence.*field.member;
    if constexpr (requires { value.has_value(); }) {
      object[field.name] = value ? Json(*value) : Json();
    } else {
      object[field.name] = plain_value(value);
    }
  });
}

}  // namespace covary
