#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "bindings.h"
#include "evidence.h"
#include "interruptible.h"

namespace covary::python {
namespace {

SearchEnd end_of(const std::string& word) {
  if (const std::optional<SearchEnd> end = search_end_from(word)) return *end;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is no end of a search", word));
}

// ---- Progress ---------------------------------------------------------------------------------

// what, number, num_done, the best kernel and its value per row.
using Progress = nb::typed<nb::callable, void(std::string, std::size_t, std::size_t, std::string,
                                              std::optional<double>)>;

// Notes down what the search's threads do; the thread that holds Python's lock tells it.
class ProgressNotes final : public SearchObserver {
 public:
  ProgressNotes(InputNames inputs, std::size_t num_rows)
      : inputs_(std::move(inputs)), num_rows_(num_rows) {}

  void screened(const Dataset& kept) override { inputs_ = inputs_of(kept); }
  void starting(std::size_t num_planned, std::size_t num_done) override {
    note({"starting", num_planned, num_done, "", std::nullopt});
  }
  void recorded(const SearchRecord& record, const SearchRecord* best) override {
    std::optional<double> value;
    if (best != nullptr) value = *best->evidence.value / best->evidence.num_rows(num_rows_);
    note({"recorded", record.index + 1, 0, best != nullptr ? to_string(best->kernel, inputs_) : "",
          value});
  }
  void finishing(std::size_t num_finalists) override {
    note({"finishing", num_finalists, 0, "", std::nullopt});
  }

  void tell(const Progress& callback) {
    std::vector<Note> notes;
    {
      const std::lock_guard lock(mutex_);
      notes.swap(notes_);
    }
    for (const Note& one : notes) {
      callback(one.what, one.number, one.num_done, one.kernel, one.value);
    }
  }

 private:
  struct Note {
    std::string what;
    std::size_t number = 0;
    std::size_t num_done = 0;
    std::string kernel;  // the best
    std::optional<double> value;
  };
  void note(Note one) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(one));
  }

  InputNames inputs_;
  std::size_t num_rows_;
  std::mutex mutex_;
  std::vector<Note> notes_;
};

std::optional<RunOptions> run_of(const std::optional<std::string>& folder, bool resume,
                                 bool force) {
  if (!folder) {
    if (!resume) return std::nullopt;
    throw Error(ErrorKind::usage, "resume needs out, the folder of the run to go on with");
  }
  if (resume && force) throw Error(ErrorKind::usage, "resume and force exclude each other");
  RunOptions run{.folder = *folder, .resume = resume, .force = force};
  run.settings = {{"rows", ""}, {"holdout", ""}};  // as the command line's runs without them
  return run;
}

std::pair<SearchResult, nb::object> search_interruptibly(const Dataset& data,
                                                         const SearchOptions& options,
                                                         const std::optional<std::string>& folder,
                                                         bool resume, bool force,
                                                         const std::optional<Progress>& progress) {
  const std::optional<RunOptions> run = run_of(folder, resume, force);
  ProgressNotes notes(inputs_of(data), data.num_rows());
  const auto tell = [&] {
    if (progress) notes.tell(*progress);
  };
  auto outcome = run_interruptibly(
      [&](const std::atomic<bool>& interrupted) {
        const std::vector<SearchObserver*> observers = {&notes};
        return run ? search_in_folder(data, options, *run, observers, &interrupted)
                   : search(data, options, observers, &interrupted);
      },
      tell);
  return {std::move(outcome.result), outcome.exception};
}

// ---- History ----------------------------------------------------------------------------------

InputNames inputs_of(const SearchResult& result) { return inputs_of(result.model.data()); }

// One list a column.
using HistoryColumns = nb::typed<nb::dict, nb::str, nb::typed<nb::list, nb::any>>;
HistoryColumns history_columns(const std::vector<SearchRecord>& history, const InputNames& inputs,
                               std::size_t num_rows) {
  nb::dict columns;
  const auto add = [&](const char* name, auto cell) {
    nb::list values;
    for (const SearchRecord& record : history) values.append(cell(record));
    columns[name] = values;
  };
  const auto per_row = [&](const SearchRecord& record) {
    return record.evidence.value
               ? std::optional(*record.evidence.value / record.evidence.num_rows(num_rows))
               : std::nullopt;
  };
  std::optional<double> best;
  std::size_t rows = 0;  // values on other rows do not compare
  using Record = const SearchRecord&;
  add("index", [](Record record) { return record.index; });
  add("kernel", [&](Record record) { return to_string(record.kernel, inputs); });
  add("value", [](Record record) { return record.evidence.value; });
  add("value_per_row", per_row);
  add("rows", [](Record record) { return record.evidence.rows; });
  add("best_so_far", [&](Record record) {
    if (record.evidence.rows > rows) best.reset();
    rows = std::max(rows, record.evidence.rows);
    return best = std::max(best, per_row(record));
  });
  add("outcome", [](Record record) { return std::string(to_string(record.evidence.outcome)); });
  add("message", [](Record record) { return record.evidence.message; });
  add("is_initial", [](Record record) { return record.is_initial; });
  add("seconds", [](Record record) { return record.evidence.seconds; });
  add("wall_seconds", [](Record record) { return record.wall_seconds; });
  add("acquisition_seconds", [](Record record) { return record.acquisition_seconds; });
  add("predicted_mean", [](Record record) { return record.predicted_mean; });
  add("predicted_sd", [](Record record) { return record.predicted_sd; });
  return {columns};
}

// ---- A result as a pickle ---------------------------------------------------------------------

using RecordState = std::tuple<std::size_t, std::string, EvidenceState, bool, double, double,
                               std::optional<double>, std::optional<double>, std::vector<double>>;
using FinalistState = std::tuple<std::string, EvidenceState, bool>;
using ResultState = std::tuple<nb::bytes, std::vector<FinalistState>, std::vector<RecordState>,
                               std::string, std::uint64_t, double>;

ResultState result_state(const SearchResult& result) {
  const InputNames inputs = inputs_of(result);
  std::vector<FinalistState> finalists;
  for (const Finalist& finalist : result.finalists) {
    finalists.emplace_back(to_string(finalist.kernel, inputs), state_of(finalist.evidence),
                           finalist.is_undecided);
  }
  std::vector<RecordState> history;
  for (const SearchRecord& r : result.history) {
    history.emplace_back(r.index, to_string(r.kernel, inputs), state_of(r.evidence), r.is_initial,
                         r.wall_seconds, r.acquisition_seconds, r.predicted_mean, r.predicted_sd,
                         r.weights);
  }
  return {pickled(result.ensemble),           finalists,   history,
          std::string(to_string(result.end)), result.seed, result.seconds};
}

SearchResult result_of(const ResultState& state) {
  const auto& [model_state, finalist_states, record_states, end, seed, seconds] = state;
  const Ensemble ensemble = unpickled(model_state);
  const FittedModel& model = ensemble.members().front();
  const InputNames inputs = inputs_of(model.data());
  std::vector<Finalist> finalists;
  for (const auto& [kernel, evidence, is_undecided] : finalist_states) {
    finalists.push_back({parse_expression(kernel, inputs), evidence_of(evidence), is_undecided});
  }
  const double value = finalists.at(0).evidence.value.value();
  SearchResult result{model.kernel_text(),
                      model,
                      ensemble,
                      value,
                      value / finalists.front().evidence.num_rows(model.num_rows()),
                      finalists,
                      {},
                      end_of(end),
                      seed,
                      0,
                      seconds,
                      0.0,
                      0.0};
  for (const auto& [index, kernel, evidence, is_initial, wall, acquisition, mean, sd, weights] :
       record_states) {
    SearchRecord record{.index = index,
                        .kernel = parse_expression(kernel, inputs),
                        .evidence = evidence_of(evidence),
                        .is_initial = is_initial,
                        .wall_seconds = wall,
                        .acquisition_seconds = acquisition,
                        .predicted_mean = mean,
                        .predicted_sd = sd,
                        .weights = weights};
    result.failed_evaluations += record.evidence.value ? 0U : 1U;
    result.oracle_seconds += record.evidence.seconds;
    result.acquisition_seconds += record.acquisition_seconds;
    result.history.push_back(std::move(record));
  }
  return result;
}

void bind_result(nb::module_& module) {
  nb::class_<SearchResult>(module, "SearchResult", "What a search found, and its history.")
      .def_ro("kernel", &SearchResult::kernel)
      .def_ro("ensemble", &SearchResult::ensemble)
      .def_ro("value", &SearchResult::value)
      .def_ro("value_per_row", &SearchResult::value_per_row)
      .def_ro("seed", &SearchResult::seed)
      .def_ro("failed_evaluations", &SearchResult::failed_evaluations)
      .def_ro("seconds", &SearchResult::seconds)
      .def_ro("oracle_seconds", &SearchResult::oracle_seconds)
      .def_ro("acquisition_seconds", &SearchResult::acquisition_seconds)
      .def_ro("expected_gain", &SearchResult::expected_gain)
      .def_prop_ro("end", [](const SearchResult& self) { return std::string(to_string(self.end)); })
      .def_prop_ro(
          "finalists",
          [](const SearchResult& self) {
            std::vector<std::tuple<std::string, double, bool>> list;
            for (const Finalist& finalist : self.finalists) {
              list.emplace_back(to_string(finalist.kernel, inputs_of(self)),
                                *finalist.evidence.value, finalist.is_undecided);
            }
            return list;
          },
          "The best kernels, the best first: their values, and whether all rows might prefer them "
          "to the best one.")
      .def_prop_ro("history",
                   [](const SearchResult& self) {
                     return history_columns(self.history, inputs_of(self),
                                            self.model.data().num_rows());
                   })
      .def(
          "report_html",
          [](const SearchResult& self, const SearchOptions& options) {
            return run_stoppably([&] { return report_to_html(make_report(self, options)); });
          },
          nb::arg("options"))
      .def(
          "save_report",
          [](const SearchResult& self, const SearchOptions& options, const std::string& path) {
            const ReportModel report = run_stoppably([&] { return make_report(self, options); });
            const nb::gil_scoped_release release;
            save_report(report, path);
          },
          nb::arg("options"), nb::arg("path"))
      .def("__getstate__", [](const SearchResult& self) { return result_state(self); })
      .def("__setstate__", [](SearchResult& self, const ResultState& state) {
        new (&self) SearchResult(result_of(state));
      });
}

// ---- Stepped ----------------------------------------------------------------------------------

// A task with the names that its text needs, so that it can travel.
struct NamedTask {
  SearchTask task;
  InputNames inputs;
};

// The search with names for its kernels.
struct NamedSearch {
  SteppedSearch search;
  InputNames inputs;
  std::size_t num_rows;
};

using TaskState = std::tuple<std::size_t, NamedExpression, WarmStartTexts, EvidenceOptions, bool>;

void bind_stepped(nb::module_& module) {
  nb::class_<NamedTask>(module, "SearchTask", "One kernel to evaluate.")
      .def_prop_ro("number", [](const NamedTask& self) { return self.task.number; })
      .def_prop_ro("kernel",
                   [](const NamedTask& self) {
                     return NamedExpression{self.task.kernel, self.inputs};
                   })
      .def_prop_ro("options", [](const NamedTask& self) { return self.task.evidence; })
      .def_prop_ro(
          "warm_starts",
          [](const NamedTask& self) {
            WarmStartTexts named;
            for (const WarmStart& start : self.task.warm_starts) {
              named.emplace_back(NamedExpression{start.kernel, self.inputs}, start.parameters);
            }
            return named;
          })
      .def_prop_ro(
          "is_finalist", [](const NamedTask& self) { return self.task.is_finalist; },
          "It was evaluated before, and is fitted once more, from more starts.")
      .def("__repr__",
           [](const NamedTask& self) {
             return fmt::format("SearchTask({}, '{}')", self.task.number,
                                to_string(self.task.kernel, self.inputs));
           })
      .def("__getstate__",
           [](const NamedTask& self) {
             WarmStartTexts starts;
             for (const WarmStart& start : self.task.warm_starts) {
               starts.emplace_back(NamedExpression{start.kernel, self.inputs}, start.parameters);
             }
             return std::tuple(self.task.number, NamedExpression{self.task.kernel, self.inputs},
                               starts, self.task.evidence, self.task.is_finalist);
           })
      .def("__setstate__", [](NamedTask& self, const TaskState& state) {
        const auto& [number, kernel, warm_starts, evidence, is_finalist] = state;
        new (&self)
            NamedTask{{number, kernel.tree, warm_starts_of(warm_starts), evidence, is_finalist},
                      kernel.inputs};
      });

  nb::class_<NamedSearch>(module, "SteppedSearch")
      .def(
          "__init__",
          [](NamedSearch* self, const Dataset& data, const SearchOptions& options,
             const std::optional<std::string>& folder, bool resume, bool force) {
            SteppedSearch search(data, options, run_of(folder, resume, force));
            InputNames inputs = inputs_of(*search.data());
            new (self) NamedSearch{std::move(search), std::move(inputs), data.num_rows()};
          },
          nb::arg("data"), nb::arg("options"), nb::arg("folder") = nb::none(),
          nb::arg("resume") = false, nb::arg("force") = false)
      .def(
          "__init__",
          [](NamedSearch* self, const std::vector<std::string>& names,
             const SearchOptions& options) {
            const InputNames inputs(names);
            new (self) NamedSearch{SteppedSearch(inputs, options), inputs, 1};
          },
          nb::arg("inputs"), nb::arg("options"))
      .def(
          "ask",
          [](NamedSearch& self, std::size_t max_under_way) -> std::optional<NamedTask> {
            const nb::gil_scoped_release release;
            std::optional<SearchTask> task = self.search.ask(max_under_way);
            if (!task) return std::nullopt;
            return NamedTask{std::move(*task), self.inputs};
          },
          nb::arg("max_under_way") = 1)
      .def(
          "tell",
          [](NamedSearch& self, std::size_t number, const Evidence& evaluation) {
            self.search.tell(number, evaluation);
          },
          nb::arg("number"), nb::arg("evaluation"))
      .def(
          "tell",
          [](NamedSearch& self, std::size_t number, double value) {
            self.search.tell(number, value);
          },
          nb::arg("number"), nb::arg("value"))
      .def(
          "fail",
          [](NamedSearch& self, std::size_t number, const std::string& message) {
            self.search.fail(number, message);
          },
          nb::arg("number"), nb::arg("message"), "A kernel that has no value, and why.")
      .def(
          "stop",
          [](NamedSearch& self, const std::string& reason) { self.search.stop(end_of(reason)); },
          nb::arg("reason") = "interrupted")
      .def_prop_ro(
          "data", [](const NamedSearch& self) { return self.search.data(); },
          "What kernels are evaluated on, with the inputs that the search keeps.")
      .def_prop_ro("is_done", [](const NamedSearch& self) { return self.search.is_done(); })
      .def_prop_ro("num_planned", [](const NamedSearch& self) { return self.search.num_planned(); })
      .def_prop_ro("num_recorded",
                   [](const NamedSearch& self) { return self.search.history().size(); })
      .def_prop_ro("history",
                   [](const NamedSearch& self) {
                     return history_columns(self.search.history(), self.inputs, self.num_rows);
                   })
      .def_prop_ro(
          "best",
          [](const NamedSearch& self) -> std::optional<std::pair<NamedExpression, double>> {
            const std::optional<SearchRecord> best = self.search.best();
            if (!best) return std::nullopt;
            return std::pair(NamedExpression{best->kernel, self.inputs},
                             best->evidence.value.value());
          })
      .def(
          "result", [](NamedSearch& self) { return self.search.result(); },
          nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_search(nb::module_& module) {
  bind_result(module);
  bind_stepped(module);
  module.def("search", &search_interruptibly, nb::arg("data"), nb::arg("options"),
             nb::arg("folder") = nb::none(), nb::arg("resume") = false, nb::arg("force") = false,
             nb::arg("progress") = nb::none(),
             "The result, and the exception that interrupted the search, or None.");
}

}  // namespace covary::python
