// The engine as the Python module covary._engine. Thin: conversions only, no arithmetic; the
// package's manners are in python/covary/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <covary/covary.h>

namespace covary::python {

namespace nb = nanobind;

// An expression with the names that its text speaks of.
struct NamedExpression {
  Expression tree;
  InputNames inputs;

  std::string text() const { return to_string(tree, inputs); }
};

using InputArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Table2d = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

std::vector<double> to_vector(const InputArray& array);
nb::bytes pickled(const Ensemble& model);
Ensemble unpickled(const nb::bytes& state);

std::vector<std::vector<double>> to_columns(const std::vector<InputArray>& arrays);
Vector to_numpy(std::vector<double> values);
Table2d to_numpy(std::vector<double> values, std::size_t row_length);  // row after row

TargetTransform transform_of(const std::string& word);  // throws Error for an unknown one

// Settings by name and text, as on the command line; an unknown or bad one is named in the Error.
using SettingTexts = std::vector<std::pair<std::string, std::string>>;
EvaluationOptions evaluation_options_from(const std::string& preset, const SettingTexts& texts);
EvidenceOptions evidence_options_from(const std::string& preset, const SettingTexts& texts);
SearchOptions search_options_from(const std::string& preset, const SettingTexts& texts);
DatasetOptions dataset_options_from(const SettingTexts& texts);
CsvOptions csv_options_from(const SettingTexts& texts);
SettingTexts settings_of(const EvidenceOptions& options);

void bind_errors(nb::module_& module);
void bind_settings(nb::module_& module);
void bind_data(nb::module_& module);
void bind_expressions(nb::module_& module);
void bind_evidence(nb::module_& module);
void bind_models(nb::module_& module);
void bind_search(nb::module_& module);

}  // namespace covary::python
