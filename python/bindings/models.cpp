// Fitted models: predictions, parts, explanations, files.
#include <fmt/format.h>

#include "bindings.h"
#include "interruptible.h"

namespace covary::python {

nb::bytes pickled(const Ensemble& model) {
  const std::string bytes = run_stoppably([&] { return model_to_bytes(model); });
  return nb::bytes(bytes.data(), bytes.size());
}

Ensemble unpickled(const nb::bytes& state) {
  return run_stoppably([&] {
    return model_from_bytes({state.c_str(), state.size()}, "the pickled model");
  });
}

namespace {

NamedExpression kernel_of(const FittedModel& model) {
  return {model.kernel(), inputs_of(model.data())};
}

std::vector<double> joined(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const std::vector<double>& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

// What a single model and a mixture of several have in common.
template <class Model>
void bind_predictions(nb::class_<Model>& model) {
  model.def_prop_ro("data", [](const Model& self) { return self.data(); })
      .def(
          "predict",
          [](const Model& self, const std::vector<InputArray>& inputs) {
            const std::vector<std::vector<double>> columns = to_columns(inputs);
            return run_stoppably([&] { return self.predict(columns); });
          },
          nb::arg("inputs"), "At new points: a column of raw values for each input.")
      .def(
          "covariance",
          [](const Model& self, const std::vector<InputArray>& inputs, Predicted of) {
            const std::vector<std::vector<double>> columns = to_columns(inputs);
            std::vector<double> values =
                run_stoppably([&] { return self.covariance(columns, of); });
            return to_numpy(std::move(values), columns.empty() ? 0 : columns.front().size());
          },
          nb::arg("inputs"), nb::arg("of") = Predicted::target)
      .def(
          "sample",
          [](const Model& self, const std::vector<InputArray>& inputs, std::size_t num_samples,
             std::uint64_t seed, Predicted of) {
            const std::vector<std::vector<double>> columns = to_columns(inputs);
            const std::vector<std::vector<double>> draws = run_stoppably([&] {
              Random random(seed);
              return self.sample(columns, num_samples, random, of);
            });
            return to_numpy(joined(draws), columns.empty() ? 0 : columns.front().size());
          },
          nb::arg("inputs"), nb::arg("num_samples"), nb::arg("seed"),
          nb::arg("of") = Predicted::target)
      .def(
          "forecast",
          [](const Model& self, std::size_t horizon, const std::vector<double>& levels) {
            return run_stoppably([&] { return forecast(self, horizon, levels); });
          },
          nb::arg("horizon"), nb::arg("levels") = ForecastOptions().levels,
          "The next steps of a series of one input, the time.")
      .def(
          "explain",
          [](const Model& self, std::uint64_t seed) {
            return run_stoppably([&] { return explain(self, ExplainOptions{.seed = seed}); });
          },
          nb::arg("seed") = 1);
}

}  // namespace

void bind_models(nb::module_& module) {
  module.attr("forecast_share") = forecast_share;
  nb::enum_<Predicted>(module, "Predicted", "What covariances and draws are of.")
      .value("function", Predicted::function)
      .value("target", Predicted::target);

  nb::class_<Prediction>(module, "Prediction",
                         "What a model says about new points, in the target's own unit.")
      .def_prop_ro(
          "mean", [](const Prediction& self) { return to_numpy(self.mean); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "sd", [](const Prediction& self) { return to_numpy(self.sd); }, nb::rv_policy::automatic,
          "Of y: the noise is in it.")
      .def_prop_ro(
          "latent_sd", [](const Prediction& self) { return to_numpy(self.latent_sd); },
          nb::rv_policy::automatic, "Of the function itself.")
      .def_prop_ro(
          "median", [](const Prediction& self) { return to_numpy(self.quantile(0.5)); },
          nb::rv_policy::automatic, "Of y; of a transformed target it is not the mean.")
      .def(
          "quantile",
          [](const Prediction& self, double probability) {
            return to_numpy(self.quantile(probability));
          },
          nb::arg("probability"), "Of y at each point.")
      .def(
          "interval",
          [](const Prediction& self, double level) {
            Prediction::Interval interval = self.interval(level);
            return std::pair(to_numpy(std::move(interval.lower)),
                             to_numpy(std::move(interval.upper)));
          },
          nb::arg("level"), "The central interval that holds y with this probability.");

  nb::class_<Forecast>(module, "Forecast",
                       "The next times of a series and what a model says of them.")
      .def("__len__", &Forecast::size)
      .def_ro("time_name", &Forecast::time_name)
      .def_prop_ro("time_type", [](const Forecast& self) { return to_string(self.time_type); })
      .def_prop_ro(
          "times", [](const Forecast& self) { return to_numpy(self.times); },
          nb::rv_policy::automatic, "Numbers, days or seconds since 1970, as the input has them.")
      .def_prop_ro(
          "columns",
          [](const Forecast& self) {
            std::vector<std::pair<std::string, Vector>> columns;
            columns.emplace_back("mean", to_numpy(self.mean));
            columns.emplace_back("median", to_numpy(self.median));
            columns.emplace_back("sd", to_numpy(self.sd));
            for (const Forecast::Band& band : self.bands) {
              columns.emplace_back(band_name("lower", band.level), to_numpy(band.lower));
              columns.emplace_back(band_name("upper", band.level), to_numpy(band.upper));
            }
            return columns;
          },
          nb::rv_policy::automatic, "The table of covary forecast, without its times.");

  nb::class_<ParameterValue>(module, "Parameter", "One parameter of a fitted kernel.")
      .def_ro("kernel", &ParameterValue::kernel)
      .def_ro("column", &ParameterValue::column)
      .def_ro("name", &ParameterValue::name)
      .def_ro("value", &ParameterValue::value, "On the scaled data.")
      .def_ro("in_data_units", &ParameterValue::in_data_units,
              "A length or a place on the input in its own unit; None for others.")
      .def("__repr__", [](const ParameterValue& self) {
        return fmt::format("Parameter({}{} {} = {:.6g})", self.kernel,
                           self.column.empty() ? "" : "(" + self.column + ")", self.name,
                           self.value);
      });

  nb::class_<FittedModel> fitted(module, "FittedModel",
                                 "A kernel with fitted parameters and the data it was fitted to.");
  fitted
      .def(
          "__init__",
          [](FittedModel* self, const NamedExpression& kernel, std::vector<double> parameters,
             const Dataset& data, const std::string& mean) {
            const MeanFunction wanted = evidence_options_from("default", {{"mean", mean}}).mean;
            new (self) FittedModel(run_stoppably(
                [&] { return FittedModel(kernel.tree, std::move(parameters), data, wanted); }));
          },
          nb::arg("kernel"), nb::arg("parameters"), nb::arg("data"), nb::arg("mean") = "zero")
      .def_prop_ro("kernel", &kernel_of)
      .def_prop_ro("parameters", &FittedModel::parameters)
      .def_prop_ro("named_parameters", &FittedModel::named_parameters)
      .def_prop_ro("noise_variance", &FittedModel::noise_variance, "On the scaled target.")
      .def_prop_ro("mean",
                   [](const FittedModel& self) {
                     return self.mean_function() == MeanFunction::constant ? "constant" : "zero";
                   })
      .def_prop_ro("jitter", &FittedModel::jitter)
      .def_prop_ro("log_marginal_likelihood", &FittedModel::log_marginal_likelihood)
      .def_prop_ro("log_marginal_likelihood_interval",
                   [](const FittedModel& self) {
                     const FittedModel::Interval found = self.log_marginal_likelihood_interval();
                     return std::pair(found.lower, found.upper);
                   })
      .def_prop_ro("is_exact", &FittedModel::is_exact)
      .def_prop_ro("num_rows", &FittedModel::num_rows, "That it was conditioned on.")
      .def("__getstate__", [](const FittedModel& self) { return pickled(Ensemble(self)); })
      .def("__setstate__", [](FittedModel& self, const nb::bytes& state) {
        new (&self) FittedModel(unpickled(state).members().front());
      });
  bind_predictions(fitted);

  nb::class_<Ensemble> ensemble(
      module, "Ensemble",
      "A weighted mixture of fitted kernels of the same data; often of a single one.");
  ensemble.def(nb::init<FittedModel>(), nb::arg("model"))
      .def_prop_ro("members", &Ensemble::members)
      .def_prop_ro("weights", &Ensemble::weights)
      .def(
          "save",
          [](const Ensemble& self, const std::string& path, bool overwrite) {
            save_model(self, path, overwrite ? ExistingFile::replace : ExistingFile::keep);
          },
          nb::arg("path"), nb::arg("overwrite") = false)
      .def(
          "save_report",
          [](const Ensemble& self, const std::string& path, const std::optional<std::string>& run) {
            save_report(run ? make_report(*run, self) : make_report(self), path);
          },
          nb::arg("path"), nb::arg("run") = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
          "The report of the model with the run that it ended, or alone.")
      .def("__len__", &Ensemble::size)
      .def("__getstate__", [](const Ensemble& self) { return pickled(self); })
      .def("__setstate__",
           [](Ensemble& self, const nb::bytes& state) { new (&self) Ensemble(unpickled(state)); });
  bind_predictions(ensemble);
  module.def(
      "load_model",
      [](const std::string& path) { return run_stoppably([&] { return load_model(path); }); },
      nb::arg("path"));

  nb::class_<Decomposition>(
      module, "Decomposition",
      "A model as a sum of components that are zero in the mean, and an offset.")
      .def(
          "__init__",
          [](Decomposition* self, const FittedModel& model) {
            new (self) Decomposition(run_stoppably([&] { return Decomposition(model); }));
          },
          nb::arg("model"))
      .def("__len__", &Decomposition::size)
      .def_prop_ro("offset", &Decomposition::offset)
      .def_prop_ro("data", [](const Decomposition& self) { return self.model().data(); })
      .def("kernel", &Decomposition::kernel_text, nb::arg("component"))
      .def("inputs", &Decomposition::inputs, nb::arg("component"))
      .def(
          "curve",
          [](const Decomposition& self, std::size_t component,
             const std::vector<InputArray>& inputs) {
            const std::vector<std::vector<double>> columns = to_columns(inputs);
            Decomposition::Curve curve =
                run_stoppably([&] { return self.curve(component, columns); });
            return std::pair(to_numpy(std::move(curve.mean)), to_numpy(std::move(curve.sd)));
          },
          nb::arg("component"), nb::arg("inputs"), "Mean and sd at new points.");

  nb::class_<Explanation>(module, "Explanation")
      .def_prop_ro("text", [](const Explanation& self) { return to_string(self); })
      .def_prop_ro("json", &explanation_to_json)
      .def_ro("summary", &Explanation::summary)
      .def_ro("descriptions", &Explanation::descriptions)
      .def_ro("decomposition", &Explanation::decomposition)
      .def_prop_ro(
          "residuals", [](const Explanation& self) { return to_numpy(self.residuals); },
          nb::rv_policy::automatic, "Leave-one-out, row by row, in standard deviations.")
      .def_prop_ro(
          "order",
          [](const Explanation& self) {
            std::vector<std::size_t> order;
            for (const ExplainedComponent& component : self.components) {
              order.push_back(component.index);
            }
            return order;
          },
          "Components of the decomposition, the most useful first.")
      .def_prop_ro("titles", [](const Explanation& self) {
        std::vector<std::string> titles;
        for (const ExplainedComponent& component : self.components) {
          titles.push_back(component.title);
        }
        return titles;
      });
}

}  // namespace covary::python
