#include "evidence.h"

#include <fmt/format.h>

#include "interruptible.h"

namespace covary::python {
namespace {

FitOutcome outcome_of(const std::string& word) {
  if (const std::optional<FitOutcome> outcome = fit_outcome_from(word)) return *outcome;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is no outcome of a fit", word));
}

template <class Value>
void set(Value& value, nb::handle from) {
  value = nb::cast<Value>(from);
}
void set(FitOutcome& outcome, nb::handle from) {
  outcome = outcome_of(nb::cast<std::string>(from));
}
void set(TargetTransform& transform, nb::handle from) {
  transform = transform_of(nb::cast<std::string>(from));
}

}  // namespace

EvidenceState state_of(const Evidence& evidence) {
  nb::dict state;
  for_each_evidence_field([&](const auto& field) {
    state[field.name] = nb::cast(plain_value(evidence.*field.member));
  });
  return {state};
}

Evidence evidence_of(const EvidenceState& state) {
  Evidence evidence;
  for_each_evidence_field([&](const auto& field) {
    if (state.contains(field.name)) set(evidence.*field.member, nb::borrow(state[field.name]));
  });
  return evidence;
}

std::vector<WarmStart> warm_starts_of(const WarmStartTexts& named) {
  std::vector<WarmStart> starts;
  starts.reserve(named.size());
  for (const auto& [kernel, parameters] : named) starts.push_back({kernel.tree, parameters});
  return starts;
}

void bind_evidence(nb::module_& module) {
  nb::class_<Evidence> evaluation(
      module, "Evaluation",
      "What one look at one kernel gave, and what it cost; from covary.evaluate().");
  for_each_evidence_field([&](const auto& field) {
    evaluation.def_prop_ro(
        field.name,
        [member = field.member](const Evidence& self) {
          return std::decay_t<decltype(plain_value(self.*member))>(plain_value(self.*member));
        },
        field.help);
  });
  evaluation
      .def("__repr__",
           [](const Evidence& self) {
             return fmt::format("Evaluation(value={}, outcome='{}')",
                                self.value ? fmt::format("{:.6g}", *self.value) : "None",
                                to_string(self.outcome));
           })
      .def("__getstate__", [](const Evidence& self) { return state_of(self); })
      .def("__setstate__", [](Evidence& self, const EvidenceState& state) {
        new (&self) Evidence(evidence_of(state));
      });
  module.def(
      "evaluate_alone",
      [](const Dataset& data, const NamedExpression& kernel, const EvaluationOptions& options) {
        return run_or_raise([&](const std::atomic<bool>& interrupted) {
          return evaluate(data, kernel.tree, options, {.interrupted = &interrupted});
        });
      },
      nb::arg("data"), nb::arg("kernel"), nb::arg("options"));
  module.def(
      "evaluate",
      [](const Dataset& data, const NamedExpression& kernel, const EvidenceOptions& options,
         const WarmStartTexts& named) {
        const std::vector<WarmStart> warm_starts = warm_starts_of(named);
        return run_or_raise([&](const std::atomic<bool>& interrupted) {
          return make_oracle(data, options, &interrupted)->evaluate(kernel.tree, warm_starts);
        });
      },
      nb::arg("data"), nb::arg("kernel"), nb::arg("options"),
      nb::arg("warm_starts") = WarmStartTexts());
}

}  // namespace covary::python
