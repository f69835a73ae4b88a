// Tables from arrays and files.
#include <cmath>

#include <fmt/format.h>

#include "bindings.h"
#include "interruptible.h"

namespace covary::python {
namespace {

ColumnType type_of(const std::string& word) {
  for (const ColumnType type : {ColumnType::number, ColumnType::date, ColumnType::date_time,
                                ColumnType::text, ColumnType::category}) {
    if (to_string(type) == word) return type;
  }
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is no type of a column", word));
}

// Name, type, values; of texts and categories, the levels that the values count; of dates, their
// format.
using NamedColumn =
    std::tuple<std::string, std::string, InputArray, std::vector<std::string>, std::string>;

Column column_of(const NamedColumn& named) {
  Column column;
  column.name = std::get<0>(named);
  column.type = type_of(std::get<1>(named));
  column.values = to_vector(std::get<2>(named));
  column.levels = std::get<3>(named);
  column.date_format = std::get<4>(named);
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    if (std::isfinite(column.values[i])) continue;
    if (column.num_unusable++ == 0) {
      column.first_unusable = CellNote{i + 1, 0, std::isnan(column.values[i]) ? "NaN" : "infinity"};
    }
  }
  if (column.type == ColumnType::text) {
    column.num_stray = column.values.size() - column.num_unusable;
    column.level_of_row = std::move(column.values);
    column.values.clear();
  }
  return column;
}

Dataset dataset_of_columns(const std::vector<NamedColumn>& inputs, const NamedColumn& target,
                           const SettingTexts& settings, const std::string& source,
                           const std::vector<std::string>& categories) {
  Table table;
  table.source = source;
  table.num_rows = std::get<2>(target).size();
  for (const NamedColumn& input : inputs) {
    if (std::get<2>(input).size() != table.num_rows) {
      throw Error(ErrorKind::usage,
                  fmt::format("column {} has {} values and the target has {}", std::get<0>(input),
                              std::get<2>(input).size(), table.num_rows));
    }
    table.columns.push_back(column_of(input));
  }
  table.columns.push_back(column_of(target));
  // Without a choice of inputs: all columns, but those with the same value in every row.
  DatasetOptions options = dataset_options_from(settings);
  options.target = table.columns.back().name;
  options.categories = categories;
  return make_dataset(table, options);
}

// Type, format and values.
using Dates = std::tuple<std::string, std::string, Vector>;

// A column of texts as the dates that it holds, by the rules of files; nothing where it holds
// others. Dates of a known type and format are those of a model, which decides what they leave
// open.
std::optional<Dates> dates_of_texts(
    const std::string& name, const std::vector<std::optional<std::string>>& texts,
    const std::optional<std::pair<std::string, std::string>>& known) {
  // The second column keeps a line from being blank.
  const std::string header = name.empty() ? "column" : name;
  std::string lines = csv_cell(header) + "," + csv_cell(header + " row") + "\n";
  for (const std::optional<std::string>& text : texts) {
    lines += csv_cell(text.value_or("")) + ",0\n";
  }
  const Table table = read_csv_text(lines, "the data", {.separator = ','});
  const Column& column = table.columns.front();
  const bool holds_dates = column.type == ColumnType::date || column.type == ColumnType::date_time;
  if (known) {
    Scaling scaling{.name = column.name, .type = type_of(known->first)};
    scaling.date_format = known->second;
    return Dates(known->first, known->second, to_numpy(input_values(table, scaling)));
  }
  if (!holds_dates || column.date_format == "YYYYMMDD") return std::nullopt;
  const std::string place = fmt::format("column {}", covary::quoted(name));
  if (column.first_stray) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: {} in row {} is not a date as the others are; correct it", place,
                            covary::quoted(column.first_stray->text), column.first_stray->row));
  }
  if (!column.conflict.empty()) {
    throw Error(ErrorKind::bad_data, fmt::format("{}: {}", place, column.conflict));
  }
  return Dates(to_string(column.type), column.date_format, to_numpy(column.values));
}

using ScalingState = std::tuple<std::string, std::string, double, double>;
// An input's also has the levels of a category, how many days its unit is and how its dates are
// written; the target's its transform, and the factor without that.
using InputState = std::tuple<ScalingState, std::vector<std::string>, double, std::string>;
using TargetState = std::tuple<ScalingState, std::string, double>;

ScalingState state_of(const Scaling& scaling) {
  return {scaling.name, to_string(scaling.type), scaling.offset, scaling.factor};
}

Scaling scaling_of(const ScalingState& state) {
  return {std::get<0>(state), type_of(std::get<1>(state)), std::get<2>(state), std::get<3>(state)};
}

TargetState target_state(const Scaling& scaling) {
  return {state_of(scaling), std::string(to_string(scaling.transform)), scaling.plain_factor};
}

Scaling target_scaling_of(const TargetState& state) {
  Scaling scaling = scaling_of(std::get<0>(state));
  scaling.transform = transform_of(std::get<1>(state));
  scaling.plain_factor = std::get<2>(state);
  return scaling;
}

Scaling input_scaling_of(const InputState& state) {
  Scaling scaling = scaling_of(std::get<0>(state));
  scaling.levels = std::get<1>(state);
  scaling.days_a_unit = std::get<2>(state);
  scaling.date_format = std::get<3>(state);
  return scaling;
}

template <class State>
std::vector<State> of_inputs(const Dataset& data, State (*state)(const Scaling&)) {
  std::vector<State> states;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    states.push_back(state(data.input_scaling(i)));
  }
  return states;
}

std::vector<std::string> levels_of(const Scaling& scaling) { return scaling.levels; }
std::string date_format_of(const Scaling& scaling) { return scaling.date_format; }

InputState input_state(const Scaling& scaling) {
  return {state_of(scaling), scaling.levels, scaling.days_a_unit, scaling.date_format};
}

Vector copy_of(std::span<const double> values) {
  return to_numpy(std::vector<double>(values.begin(), values.end()));
}

std::vector<Vector> scaled_columns(const Dataset& data) {
  std::vector<Vector> columns;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) columns.push_back(copy_of(data.input(i)));
  return columns;
}

using DatasetState = std::tuple<std::vector<InputArray>, InputArray, std::vector<InputState>,
                                TargetState, std::string, std::vector<std::string>>;

}  // namespace

TargetTransform transform_of(const std::string& word) {
  if (const std::optional<TargetTransform> transform = target_transform_from(word)) {
    return *transform;
  }
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is no transform of a target", word));
}

void bind_data(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset",
                      "The numbers that a kernel is judged by: scaled inputs and target, with the "
                      "way back to the user's units. Make one with covary.make_dataset() or "
                      "covary.read_csv().")
      .def_prop_ro("num_rows", &Dataset::num_rows)
      .def_prop_ro("num_inputs", &Dataset::num_inputs)
      .def_prop_ro("input_names", &Dataset::input_names)
      .def_prop_ro("num_candidates", &Dataset::num_candidates,
                   "How many inputs these were chosen from by a search; their own number where "
                   "none was left out.")
      .def_prop_ro("screening_note",
                   [](const Dataset& self) {
                     return is_screened(self) ? std::optional(screening_note(self)) : std::nullopt;
                   })
      .def_prop_ro("target_name", [](const Dataset& self) { return self.target_scaling().name; })
      .def_prop_ro("fingerprint", &Dataset::fingerprint)
      .def_prop_ro("notes", &Dataset::notes)
      .def_prop_ro(
          "input_scalings", [](const Dataset& self) { return of_inputs(self, state_of); },
          "Name, type, offset and factor of each input: scaled = (raw - offset) / factor.")
      .def_prop_ro(
          "input_levels", [](const Dataset& self) { return of_inputs(self, levels_of); },
          "The names of the levels of each input that is a category; its values count them from 0.")
      .def_prop_ro(
          "input_date_formats", [](const Dataset& self) { return of_inputs(self, date_format_of); },
          "How the dates of each input are written, as in DD.MM.YYYY; empty for ISO 8601.")
      .def_prop_ro(
          "target_scaling", [](const Dataset& self) { return state_of(self.target_scaling()); },
          "Name, type, offset and factor: scaled = (transformed - offset) / factor.")
      .def_prop_ro(
          "target_transform",
          [](const Dataset& self) {
            return std::string(to_string(self.target_scaling().transform));
          },
          "What is done to the target before it is scaled, as a word: none, log, ...")
      .def(
          "with_transform",
          [](const Dataset& self, const std::string& transform) {
            return self.with_transform(transform_of(transform));
          },
          nb::arg("transform"), "The same rows with the target transformed.")
      .def_prop_ro(
          "inputs",
          [](const Dataset& self) {
            std::vector<Vector> columns;
            for (std::vector<double>& column : raw_inputs(self)) {
              columns.push_back(to_numpy(std::move(column)));
            }
            return columns;
          },
          nb::rv_policy::automatic, "The inputs in their own units, a column each.")
      .def_prop_ro(
          "target", [](const Dataset& self) { return to_numpy(raw_target(self)); },
          nb::rv_policy::automatic, "The target in its own unit.")
      .def_prop_ro("scaled_inputs", &scaled_columns, nb::rv_policy::automatic)
      .def_prop_ro(
          "scaled_target", [](const Dataset& self) { return copy_of(self.target()); },
          nb::rv_policy::automatic)
      .def(
          "rows",
          [](const Dataset& self, const std::vector<std::size_t>& indices) {
            return self.rows(indices);
          },
          nb::arg("indices"), "Some of the rows, with the same scalings.")
      .def("__getstate__",
           [](const Dataset& self) {
             return std::tuple(scaled_columns(self), copy_of(self.target()),
                               of_inputs(self, input_state), target_state(self.target_scaling()),
                               self.fingerprint(), self.notes());
           })
      .def("__setstate__", [](Dataset& self, const DatasetState& state) {
        std::vector<Scaling> scalings;
        for (const InputState& input : std::get<2>(state)) {
          scalings.push_back(input_scaling_of(input));
        }
        new (&self) Dataset(to_columns(std::get<0>(state)), to_vector(std::get<1>(state)),
                            std::move(scalings), target_scaling_of(std::get<3>(state)),
                            std::get<4>(state), std::get<5>(state));
      });
  const auto of_each = [](double (*change)(TargetTransform, double)) {
    return [change](const std::string& transform, const InputArray& values) {
      std::vector<double> numbers = to_vector(values);
      for (double& number : numbers) number = change(transform_of(transform), number);
      return to_numpy(std::move(numbers));
    };
  };
  module.def("transformed", of_each(transformed), nb::arg("transform"), nb::arg("values"),
             "The transform of targets.");
  module.def("untransformed", of_each(untransformed), nb::arg("transform"), nb::arg("values"),
             "The way back.");
  module.def(
      "untransformed_moments",
      [](const std::string& transform, const InputArray& means, const InputArray& sds) {
        std::vector<double> mean = to_vector(means);
        std::vector<double> sd = to_vector(sds);
        for (std::size_t i = 0; i < std::min(mean.size(), sd.size()); ++i) {
          const Moments moments = untransformed_moments(transform_of(transform), mean[i], sd[i]);
          mean[i] = moments.mean;
          sd[i] = moments.sd;
        }
        return std::pair(to_numpy(std::move(mean)), to_numpy(std::move(sd)));
      },
      nb::arg("transform"), nb::arg("mean"), nb::arg("sd"),
      "Of targets, whose transform is Gaussian: mean and standard deviation.");
  module.def(
      "input_relations", [](const Dataset& data) { return to_numpy(input_relations(data)); },
      nb::arg("data"),
      "How much each input says of the target by itself, in nats; what a search screens by.");
  module.def("dataset_of_columns", &dataset_of_columns, nb::arg("inputs"), nb::arg("target"),
             nb::arg("settings"), nb::arg("source"), nb::arg("categories"));
  module.def("dates_of_texts", &dates_of_texts, nb::arg("name"), nb::arg("texts"),
             nb::arg("known") = nb::none(),
             "A column of texts as dates: their type, format and values; None where it holds "
             "others. For a model, by the type and format that are known to it.");
  module.def(
      "dataset_of_csv",
      [](const std::string& path, const std::string& target, const std::vector<std::string>& inputs,
         const SettingTexts& settings, const std::vector<std::string>& categories,
         const SettingTexts& of_file) {
        DatasetOptions options = dataset_options_from(settings);
        options.target = target;
        options.inputs = inputs;
        options.categories = categories;
        return run_stoppably(
            [&] { return make_dataset(read_csv(path, csv_options_from(of_file)), options); });
      },
      nb::arg("path"), nb::arg("target"), nb::arg("inputs"), nb::arg("settings"),
      nb::arg("categories"), nb::arg("of_file") = SettingTexts());
}

}  // namespace covary::python
