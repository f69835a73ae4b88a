// covary forecast: the next steps of a time series, with the run of the search that found its
// model.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>
#include <covary/forecast_fields.h>

#include "command_line.h"
#include "commands.h"
#include "forecast_run.h"
#include "interrupt.h"
#include "json.h"
#include "run_output.h"
#include "settings_flags.h"
#include "terminal.h"

namespace covary::app {
namespace {

// ---- JSON ----

// Times as they stand in the table: dates as texts, numbers as numbers.
Json time_json(const Forecast& forecast, double time) {
  return forecast.time_type == ColumnType::number
             ? Json(time)
             : Json(time_text(forecast.time_type, time, forecast.date_format));
}

Json backtest_json(const Backtest& backtest, const Forecast& forecast) {
  Json reliability = Json::array();
  for (const Reliability& level : backtest.reliability) {
    reliability.push_back({{"level", level.level},
                           {"inside", level.inside},
                           {"seasonal_naive_inside", level.naive_inside}});
  }
  return {{"season_length", backtest.season},
          {"scores", scores_object<Json>(backtest.model)},
          {"seasonal_naive", scores_object<Json>(backtest.naive)},
          {"reliability", reliability},
          {"origins",
           origins_array<Json>(backtest, [&](double time) { return time_json(forecast, time); })}};
}

Json rows_json(const Forecast& forecast) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < forecast.size(); ++i) {
    Json row = {{"time", time_json(forecast, forecast.times[i])}};
    add_step(forecast, i, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json series_json(const SeriesForecast& found) {
  Json out;
  if (!found.name.empty()) out["group"] = found.name;
  out["run"] = found.folder;
  if (!found.error.empty()) {
    out["error"] = found.error;
    return out;
  }
  out["kernel"] = found.kernel;
  out["value"] = found.value;
  out["value_per_row"] = found.value_per_row;
  out["transform"] = to_string(found.transform);
  out["rows"] = found.num_rows;
  out["step"] = found.step;
  out["season_length"] = found.season;
  out["evaluations"] = found.num_evaluations;
  out["seconds"] = found.seconds;
  out["report"] = found.has_report ? Json(report_path(found.folder)) : Json();
  out["forecast"] = rows_json(found.forecast);
  if (found.backtest) out["backtest"] = backtest_json(*found.backtest, found.forecast);
  return out;
}

Json head_json(const ForecastCommand& command, const TimeSeries& series) {
  return {{"target", series.target().name},
          {"time", series.time().name},
          {"horizon", command.horizon()},
          {"levels", command.forecast.levels},
          {"seed", command.split.seed}};
}

// ---- tables ----

std::vector<std::string> scores_row(const std::string& name, const ForecastScores& scores) {
  return {name,
          fmt::format("{:.4g}", scores.mae),
          std::isfinite(scores.mase) ? fmt::format("{:.3f}", scores.mase) : "-",
          fmt::format("{:.4g}", scores.crps),
          fmt::format("{:.0f} %", 100.0 * scores.coverage_80),
          fmt::format("{:.0f} %", 100.0 * scores.coverage_95)};
}

void print_scores(const Backtest& backtest) {
  const std::string text =
      format_table({{"forecast", "MAE", "MASE", "CRPS", "in 80 %", "in 95 %"},
                    scores_row("model", backtest.model),
                    scores_row(backtest.season > 1 ? "seasonal naive" : "naive", backtest.naive)});
  fmt::print(stderr, "backtest: {} rows forecast from {} origins in the past:\n{}",
             backtest.model.num_rows, backtest.origins.size(), text);
}

// How the backtests of several series went, by what can be compared between them.
void print_group_scores(const std::vector<SeriesForecast>& all) {
  double num_series = 0.0;
  double num_better = 0.0;
  double mase = 0.0;
  double naive_mase = 0.0;
  double coverage = 0.0;
  for (const SeriesForecast& found : all) {
    if (!found.backtest || !std::isfinite(found.backtest->model.mase)) continue;
    num_series += 1.0;
    num_better += found.backtest->model.crps < found.backtest->naive.crps ? 1.0 : 0.0;
    mase += found.backtest->model.mase;
    naive_mase += found.backtest->naive.mase;
    coverage += found.backtest->model.coverage_95;
  }
  if (num_series == 0.0) return;
  fmt::print(stderr,
             "{} series in the backtest: mean MASE {:.3f}, of the seasonal naive forecast {:.3f}; "
             "CRPS below its in {}; {:.0f} % inside the 95 % intervals\n",
             num_series, mase / num_series, naive_mase / num_series, num_better,
             100.0 * coverage / num_series);
}

std::string number_cell(double number) { return std::isfinite(number) ? shown_number(number) : ""; }

// A line a series: its model, its scores, its folder, and what was wrong with it.
std::string summary_csv(const std::vector<SeriesForecast>& all, const ForecastCommand& command) {
  std::string text = csv_cell(command.group) + ",rows,step,kernel,transform,value_per_row";
  const bool has_scores = command.forecast.backtest > 0;
  if (has_scores) {
    for (const char* who : {"", "naive_"}) {
      for (const char* score : {"mae", "mase", "crps", "coverage_80", "coverage_95"}) {
        text += fmt::format(",{}{}", who, score);
      }
    }
  }
  text += ",run,error\n";
  for (const SeriesForecast& found : all) {
    const bool is_done = found.error.empty();
    text += fmt::format("{},{},{},{},{},{}", csv_cell(found.name),
                        is_done ? std::to_string(found.num_rows) : "", csv_cell(found.step),
                        csv_cell(found.kernel), is_done ? to_string(found.transform) : "",
                        is_done ? shown_number(found.value_per_row) : "");
    if (has_scores) {
      const Backtest none;
      const Backtest& backtest = found.backtest ? *found.backtest : none;
      for (const ForecastScores* scores : {&backtest.model, &backtest.naive}) {
        const double numbers[] = {scores->mae, scores->mase, scores->crps, scores->coverage_80,
                                  scores->coverage_95};
        for (const double number : numbers) {
          text += fmt::format(",{}", found.backtest ? number_cell(number) : "");
        }
      }
    }
    text += fmt::format(",{},{}\n", csv_cell(found.folder), csv_cell(found.error));
  }
  return text;
}

// ---- the command ----

void write_table(const ForecastCommand& command, const std::string& table) {
  if (command.output.empty()) {
    fmt::print("{}", table);
    static_cast<void>(std::fflush(stdout));
  } else {
    save_csv(table, command.output);
  }
}

void forecast_one(const ForecastCommand& command, const TimeSeries& series,
                  const std::string& folder) {
  const SeriesForecast found = forecast_series(series, command, folder);
  if (command.json) {
    Json out = head_json(command, series);
    out.update(series_json(found));
    print_object(out);
  }
  if (!command.json || !command.output.empty()) {
    write_table(command, csv_header(found.forecast) + csv_lines(found.forecast));
  }
  if (command.quiet) return;
  if (found.backtest) print_scores(*found.backtest);
  print_note(fmt::format("{} of {} in {:.1f} s; run, model{} and forecast.csv are in {}",
                         found.kernel, transformed_name(found.transform, series.target().name),
                         found.seconds, found.has_report ? ", report.html" : "",
                         shown_source(folder)));
}

void forecast_all(const ForecastCommand& command, const std::vector<TimeSeries>& all,
                  const std::string& folder) {
  const std::vector<SeriesForecast> found = forecast_groups(all, command, folder);
  save_csv(summary_csv(found, command), folder + "/summary.csv");
  if (command.json) {
    Json out = head_json(command, all.front());
    out["group"] = command.group;
    out["run"] = folder;
    out["groups"] = Json::array();
    for (const SeriesForecast& one : found) out["groups"].push_back(series_json(one));
    print_object(out);
  }
  if (!command.json || !command.output.empty()) {
    std::string table;
    for (const SeriesForecast& one : found) {
      if (!one.error.empty()) continue;
      const FirstColumn first{command.group, one.name};
      if (table.empty()) table = csv_header(one.forecast, first);
      table += csv_lines(one.forecast, first);
    }
    write_table(command, table);
  }
  if (command.quiet) return;
  for (const SeriesForecast& one : found) {
    if (!one.error.empty()) print_note(fmt::format("left out: {}", one.error));
  }
  print_group_scores(found);
  print_note(
      fmt::format("summary.csv and a folder for each series are in {}", shown_source(folder)));
}

void forecast_command(const ForecastCommand& command) {
  catch_interrupts();
  if (!command.forecast.horizon) {
    throw Error(ErrorKind::usage, "--horizon: say how many steps to forecast, as in --horizon 12");
  }
  if (command.resume && command.force) {
    throw Error(ErrorKind::usage, "--resume and --force exclude each other");
  }
  if (!command.output.empty()) {
    check_is_none_of(command.output, "--output", {command.path});
    check_model_path(command.output, ExistingFile::replace);
  }
  const std::string folder = run_folder_of(command.path, command.out);
  const Table table = read_csv(command.path, command.csv);
  std::vector<std::string> notes = table.notes;
  const std::vector<TimeSeries> series = time_series_of(table,
                                                        {.target = command.dataset.target,
                                                         .time = command.time,
                                                         .group = command.group,
                                                         .missing = command.dataset.missing},
                                                        notes);
  if (!command.quiet) {
    for (const std::string& note : notes) print_note(note);
  }
  if (command.group.empty()) {
    forecast_one(command, series.front(), folder);
  } else {
    forecast_all(command, series, folder);
  }
}

}  // namespace

void add_forecast(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("forecast", "Forecast the next steps of a time series as CSV.");
  const auto options = std::make_shared<ForecastCommand>();
  command->add_option("DATA", options->path, "CSV file to read; - is standard input.")->required();
  add_preset(*command, options->search);
  add_settings(*command, options->dataset, dataset_settings(), {"inputs", "categories"});
  add_settings(*command, options->forecast, forecast_settings());
  add_named(*command, "--time", options->time, "the name of a column",
            "The column of times; that of dates, or the only other one of numbers, if not given.")
      ->type_name("COLUMN");
  add_named(*command, "--group", options->group, "the name of a column",
            "The column that tells several series apart: each gets a model of its own, side by "
            "side.")
      ->type_name("COLUMN");
  add_named(*command, "--output", options->output, "the name of a file",
            "File for the forecast; standard output if not given.")
      ->type_name("FILE");
  add_settings(*command, options->csv, csv_settings());
  add_settings(*command, options->split, split_settings(), {"rows", "holdout"});
  add_settings(*command, options->search.space, search_space_settings());
  add_settings(*command, options->search, search_settings());
  add_settings(*command, options->search.evidence, evidence_settings(), {"threads", "time_limit"});
  add_named(*command, "--out", options->out, "the name of a folder",
            "Folder of the run. Default: DATA.covary.")
      ->type_name("FOLDER");
  command->add_flag("--resume", options->resume, "Go on with the run in that folder.");
  command->add_flag("--force", options->force, "Replace the run in that folder.");
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->add_flag("--quiet", options->quiet, "No notes and no progress on stderr.");
  command->callback([options] { forecast_command(*options); });
}

}  // namespace covary::app
