#include "evidence.h"

#include <fmt/format.h>

#include "interruptible.h"

namespace covary::python {
namespace {

FitOutcome outcome_of(const std::string& word) {
  if (const std::optional<FitOutcome> outcome = fit_outcome_from(word)) return *outcome;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is no outcome of a fit", word));
}

}  // namespace

EvidenceState state_of(const Evidence& e) {
  return {e.value,
          std::string(to_string(e.outcome)),
          e.message,
          e.parameters,
          {e.log_marginal_likelihood, e.log_prior, e.log_posterior},
          e.hessian_repaired,
          e.jitter,
          {e.num_starts, e.num_distinct_optima, e.value_evaluations, e.gradient_evaluations},
          e.seconds};
}

Evidence evidence_of(const EvidenceState& state) {
  Evidence e;
  std::string outcome;
  std::tuple<double, double, double> logs;
  std::tuple<std::size_t, std::size_t, std::size_t, std::size_t> counts;
  std::tie(e.value, outcome, e.message, e.parameters, logs, e.hessian_repaired, e.jitter, counts,
           e.seconds) = state;
  e.outcome = outcome_of(outcome);
  std::tie(e.log_marginal_likelihood, e.log_prior, e.log_posterior) = logs;
  std::tie(e.num_starts, e.num_distinct_optima, e.value_evaluations, e.gradient_evaluations) =
      counts;
  return e;
}

std::vector<WarmStart> warm_starts_of(const WarmStartTexts& named) {
  std::vector<WarmStart> starts;
  starts.reserve(named.size());
  for (const auto& [kernel, parameters] : named) starts.push_back({kernel.tree, parameters});
  return starts;
}

void bind_evidence(nb::module_& module) {
  nb::class_<Evidence>(
      module, "Evaluation",
      "What one look at one kernel gave, and what it cost; from covary.evaluate().")
      .def_ro(
          "value", &Evidence::value,
          "Of the criterion, the log evidence unless another was chosen; larger is better. None "
          "if the kernel could not be fitted.")
      .def_prop_ro("outcome",
                   [](const Evidence& self) { return std::string(to_string(self.outcome)); })
      .def_ro("message", &Evidence::message)
      .def_ro("parameters", &Evidence::parameters,
              "By natural value in the order of the expression, the noise variance last.")
      .def_ro("log_marginal_likelihood", &Evidence::log_marginal_likelihood)
      .def_ro("log_prior", &Evidence::log_prior)
      .def_ro("log_posterior", &Evidence::log_posterior)
      .def_ro("hessian_repaired", &Evidence::hessian_repaired)
      .def_ro("num_starts", &Evidence::num_starts)
      .def_ro("gradient_evaluations", &Evidence::gradient_evaluations)
      .def_ro("seconds", &Evidence::seconds, "Of CPU time.")
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
