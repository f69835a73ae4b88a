// Settings by name and text: the tables that also make the command line's flags.
#include <fmt/format.h>

#include "bindings.h"

namespace covary::python {
namespace {

// A search has its own threads and time limit, and a name stands in one table only.
bool belongs_to_search(const std::string& name) {
  return name == "threads" || name == "time_limit";
}

// An estimator with an attribute `transform` is a transformer to scikit-learn.
std::string name_in_python(const std::string& name) {
  return name == "transform" ? "target_transform" : name;
}
std::string name_in_engine(const std::string& name) {
  return name == "target_transform" ? "transform" : name;
}

template <class Options>
bool set(const std::vector<Setting<Options>>& table, Options& options, const std::string& name,
         const std::string& text) {
  for (const Setting<Options>& setting : table) {
    if (setting.name != name) continue;
    const bool is_switch = setting.placeholder.empty();
    if (is_switch && text != "yes" && text != "no") {
      throw Error(ErrorKind::usage, fmt::format("{} must be True or False, not {}", name, text));
    }
    if (is_switch ? text == "no" : text.empty()) return true;  // as without it
    try {
      setting.set(options, text);
    } catch (const Error& error) {
      throw Error(error.kind(), name + " " + error.what());
    }
    return true;
  }
  return false;
}

template <class Options>
Options preset_of(const std::string& name) {
  if (name == "default") return {};
  if (name == "paper") return Options::paper();
  throw Error(ErrorKind::usage, fmt::format("preset must be default or paper, not \"{}\"", name));
}

void set_seed(std::uint64_t& seed, const std::string& text) {
  try {
    seed = settings::parse_whole_number(text, 0);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string("seed ") + error.what());
  }
}

using SettingFacts = std::tuple<std::string, std::string, std::string, std::string>;

template <class Options>
void list(const std::vector<Setting<Options>>& table, const Options& standard, bool is_of_search,
          std::vector<SettingFacts>& found) {
  for (const Setting<Options>& setting : table) {
    if (is_of_search && belongs_to_search(setting.name)) continue;
    found.emplace_back(is_of_search ? name_in_python(setting.name) : setting.name,
                       setting.placeholder, setting.help, setting.get(standard));
  }
}

}  // namespace

EvidenceOptions evidence_options_from(const std::string& preset, const SettingTexts& texts) {
  auto options = preset_of<EvidenceOptions>(preset);
  for (const auto& [name, text] : texts) {
    if (name == "seed") {
      set_seed(options.seed, text);
    } else if (name == "judged_rows") {  // of a task that travels
      options.judged_rows = settings::parse_whole_number(text, 0);
    } else if (name == "few_steps") {
      options.few_steps = text == "1";
    } else if (!set(evidence_settings(), options, name, text)) {
      throw Error(ErrorKind::usage, fmt::format("there is no setting {} of an evaluation", name));
    }
  }
  return options;
}

EvaluationOptions evaluation_options_from(const std::string& preset, const SettingTexts& texts) {
  auto options = preset_of<EvaluationOptions>(preset);
  SettingTexts of_evidence;
  for (const auto& [name, text] : texts) {
    if (!set(evaluation_settings(), options, name, text)) of_evidence.emplace_back(name, text);
  }
  options.evidence = evidence_options_from(preset, of_evidence);
  return options;
}

DatasetOptions dataset_options_from(const SettingTexts& texts) {
  DatasetOptions options;
  for (const auto& [name, text] : texts) {
    if (!set(dataset_settings(), options, name, text)) {
      throw Error(ErrorKind::usage, fmt::format("there is no setting {} of data", name));
    }
  }
  return options;
}

CsvOptions csv_options_from(const SettingTexts& texts) {
  CsvOptions options;
  for (const auto& [name, text] : texts) {
    if (!set(csv_settings(), options, name, text)) {
      throw Error(ErrorKind::usage, fmt::format("there is no setting {} of a file", name));
    }
  }
  return options;
}

SearchOptions search_options_from(const std::string& preset, const SettingTexts& texts) {
  auto options = preset_of<SearchOptions>(preset);
  for (const auto& [name, text] : texts) {
    if (name == "seed") {
      set_seed(options.seed, text);
      continue;
    }
    const bool is_known = set(search_settings(), options, name, text) ||
                          set(search_space_settings(), options.space, name, text) ||
                          (!belongs_to_search(name) &&
                           set(evidence_settings(), options.evidence, name_in_engine(name), text));
    if (!is_known) {
      throw Error(ErrorKind::usage, fmt::format("there is no setting {} of a search", name));
    }
  }
  return options;
}

SettingTexts settings_of(const EvidenceOptions& options) {
  SettingTexts texts;
  for (const Setting<EvidenceOptions>& setting : evidence_settings()) {
    texts.emplace_back(setting.name, setting.get(options));
  }
  texts.emplace_back("seed", std::to_string(options.seed));
  texts.emplace_back("judged_rows", std::to_string(options.judged_rows));
  texts.emplace_back("few_steps", options.few_steps ? "1" : "0");
  return texts;
}

void bind_settings(nb::module_& module) {
  module.def(
      "criterion_facts",
      [] {
        std::vector<std::tuple<std::string, std::string, bool>> facts;
        for (const Criterion criterion : all_criteria()) {
          facts.emplace_back(to_string(criterion), title_of(criterion), is_log_evidence(criterion));
        }
        return facts;
      },
      "Of every criterion: its word, what people call its value, whether it is an evidence.");
  module.def(
      "search_settings",
      [] {
        std::vector<SettingFacts> found;
        const SearchOptions standard;
        list(search_settings(), standard, false, found);
        list(search_space_settings(), standard.space, true, found);
        list(evidence_settings(), standard.evidence, true, found);
        return found;
      },
      "Name, placeholder (empty for a switch), help and default of every setting of a search.");
  module.def(
      "dataset_settings",
      [] {
        std::vector<SettingFacts> found;
        list(dataset_settings(), DatasetOptions(), false, found);
        return found;
      },
      "The same for how a table becomes data.");
  nb::class_<SearchOptions>(module, "SearchOptions", "All settings of a search.")
      .def(
          "__init__",
          [](SearchOptions* self, const std::string& preset, const SettingTexts& texts) {
            new (self) SearchOptions(search_options_from(preset, texts));
          },
          nb::arg("preset") = "default", nb::arg("texts") = SettingTexts())
      .def_prop_ro("texts",
                   [](const SearchOptions& self) {
                     SettingTexts texts = covary::settings_of(self);
                     for (auto& [name, text] : texts) name = name_in_python(name);
                     return texts;
                   })
      .def("__getstate__",
           [](const SearchOptions& self) {
             SettingTexts texts = covary::settings_of(self);
             texts.emplace_back("seed", std::to_string(self.seed));
             return texts;
           })
      .def("__setstate__",
           [](SearchOptions& self, const SettingTexts& texts) {
             new (&self) SearchOptions(search_options_from("default", texts));
           })
      .def_ro("seed", &SearchOptions::seed)
      .def_ro("deterministic", &SearchOptions::deterministic)
      .def_prop_ro("time_limit", [](const SearchOptions& self) { return self.time_limit; });
  nb::class_<EvaluationOptions>(module, "EvaluationOptions",
                                "All settings of an evaluation of one kernel by itself.")
      .def(
          "__init__",
          [](EvaluationOptions* self, const std::string& preset, const SettingTexts& texts) {
            new (self) EvaluationOptions(evaluation_options_from(preset, texts));
          },
          nb::arg("preset") = "default", nb::arg("texts") = SettingTexts());
  nb::class_<EvidenceOptions>(module, "EvidenceOptions", "All settings of one evaluation.")
      .def(
          "__init__",
          [](EvidenceOptions* self, const std::string& preset, const SettingTexts& texts) {
            new (self) EvidenceOptions(evidence_options_from(preset, texts));
          },
          nb::arg("preset") = "default", nb::arg("texts") = SettingTexts())
      .def_prop_ro("texts", [](const EvidenceOptions& self) { return settings_of(self); })
      .def("__getstate__", [](const EvidenceOptions& self) { return settings_of(self); })
      .def("__setstate__", [](EvidenceOptions& self, const SettingTexts& texts) {
        new (&self) EvidenceOptions(evidence_options_from("default", texts));
      });
}

}  // namespace covary::python
