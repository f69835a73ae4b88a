#include "forecast_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "interrupt.h"
#include "progress.h"
#include "run_output.h"
#include "side_by_side.h"
#include "terminal.h"

namespace covary::app {
namespace {

// Everything that can be wrong is found before the first search.
struct Plan {
  Dataset data;
  TimeStep step;
  std::size_t season = 1;
  SearchOptions search;
  std::vector<BacktestWindow> windows;
};

Plan plan_of(const TimeSeries& series, const ForecastCommand& command) {
  const std::string& source = series.table.source;
  Dataset data = series.dataset(command.dataset.scale);
  const TimeStep step = time_step_of(data, source);
  const Season season = command.forecast.season;
  const std::string place =
      fmt::format("{}: column {}", shown_source(source), covary::quoted(series.time().name));
  SearchOptions search = command.search;
  search.seed = command.split.seed;
  search.space = space_for_season(search.space, season, inputs_of(data), place);
  return {std::move(data), step, season_length(step, season, place), std::move(search),
          backtest_windows(series, step, command.horizon(), command.forecast.backtest)};
}

// A name of a folder that says the text: what file systems or shells might mind is replaced.
std::string folder_name(const std::string& text) {
  constexpr std::size_t max_bytes = 100;
  std::string name;
  for (const char c : text.substr(0, max_bytes)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+';
    name += is_plain ? c : '_';
  }
  if (name.empty() || name.front() == '.' || name.front() == '-') name.insert(0, 1, '_');
  return name;
}

void make_folders(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return;
  throw Error(ErrorKind::cannot_write, fmt::format("{}: the folder cannot be made: {}",
                                                   shown_source(folder), error.message()));
}

RunOptions run_of(const ForecastCommand& command, const std::string& folder) {
  RunOptions run{.folder = folder, .resume = command.resume, .force = command.force};
  run.settings = {{"season", std::string(to_string(command.forecast.season))}};
  return run;
}

// A part of a larger whole, which may have ended before this part began.
RunOptions part_of_run(const ForecastCommand& command, const std::string& folder) {
  RunOptions run = run_of(command, folder);
  run.resume = command.resume && std::filesystem::exists(folder + "/run.sqlite");
  return run;
}

SearchResult finished_search(const Dataset& data, const SearchOptions& options,
                             const RunOptions& run, const std::vector<SearchObserver*>& observers) {
  try {
    SearchResult result = search_in_folder(data, options, run, observers, &interrupt_flag());
    if (result.end != SearchEnd::interrupted) return result;
  } catch (const SearchInterrupted&) {
  }
  throw Interrupted();
}

Backtest look_back(const Plan& plan, const ForecastCommand& command, const std::string& folder) {
  const std::size_t num_threads = std::min(plan.search.threads, plan.windows.size());
  SearchOptions options = plan.search;
  options.threads = std::max<std::size_t>(plan.search.threads / num_threads, 1);
  make_folders(folder + "/backtest");
  std::vector<BacktestOrigin> origins(plan.windows.size());
  side_by_side(num_threads, plan.windows.size(), [&](std::size_t i) {
    const BacktestWindow& window = plan.windows[i];
    const std::string origin =
        time_text(window.known.time().type, window.known.time().values.back());
    const SearchResult result = finished_search(
        window.known.dataset(command.dataset.scale), options,
        part_of_run(command, fmt::format("{}/backtest/{}", folder, folder_name(origin))), {});
    origins[i] = score_window(window, plan.step, plan.season, result.ensemble);
    if (!command.quiet && command.group.empty()) {
      print_note(fmt::format("backtest from {} on: MAE {:.4g}, seasonal naive {:.4g}; {}", origin,
                             origins[i].model.mae, origins[i].naive.mae, result.kernel));
    }
  });
  return backtest_of(plan.season, std::move(origins));
}

SeriesForecast forecast_planned(const Plan& plan, const ForecastCommand& command,
                                const RunOptions& run, SearchObserver* observer) {
  const SearchResult result =
      finished_search(plan.data, plan.search, run,
                      observer != nullptr ? std::vector{observer} : std::vector<SearchObserver*>());
  SeriesForecast found{.folder = run.folder,
                       .step = plan.step.words(),
                       .season = plan.season,
                       .num_rows = plan.data.num_rows(),
                       .kernel = result.kernel,
                       .transform = result.model.data().target_scaling().transform,
                       .value = result.value,
                       .value_per_row = result.value_per_row,
                       .num_evaluations = result.history.size(),
                       .seconds = result.seconds};
  found.forecast = forecast(result.ensemble, command.horizon(), command.forecast.levels);
  save_csv(csv_header(found.forecast) + csv_lines(found.forecast), run.folder + "/forecast.csv");
  if (!plan.windows.empty()) found.backtest = look_back(plan, command, run.folder);
  keep_forecast(run.folder, {.horizon = command.horizon(),
                             .levels = command.forecast.levels,
                             .backtest = found.backtest});
  found.has_report = write_report(run.folder, result.ensemble);
  return found;
}

// Folders of all series, each another one.
std::vector<std::string> folders_of(const std::vector<TimeSeries>& all, const std::string& folder) {
  std::vector<std::string> folders;
  std::set<std::string> taken;
  for (const TimeSeries& series : all) {
    const std::string name = folder_name(series.name);
    std::string free = name;
    for (std::size_t i = 2; !taken.insert(free).second; ++i) free = fmt::format("{}_{}", name, i);
    folders.push_back(fmt::format("{}/{}", folder, free));
  }
  return folders;
}

}  // namespace

SeriesForecast forecast_series(const TimeSeries& series, const ForecastCommand& command,
                               const std::string& folder) {
  const Plan plan = plan_of(series, command);
  std::unique_ptr<Progress> progress;
  if (!command.quiet) {
    progress = std::make_unique<Progress>(inputs_of(plan.data), plan.data.num_rows(), plan.search);
  }
  tell_how_to_go_on(folder);
  return forecast_planned(plan, command, run_of(command, folder), progress.get());
}

std::vector<SeriesForecast> forecast_groups(const std::vector<TimeSeries>& all,
                                            const ForecastCommand& command,
                                            const std::string& folder) {
  if (std::filesystem::exists(folder + "/run.sqlite")) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: there is the run of one series already; choose another place for "
                            "those of several with --out",
                            shown_source(folder)));
  }
  make_folders(folder);
  const std::size_t num_threads = std::min(command.search.threads, all.size());
  ForecastCommand each = command;
  each.search.threads = std::max<std::size_t>(command.search.threads / num_threads, 1);
  const std::vector<std::string> folders = folders_of(all, folder);
  std::vector<SeriesForecast> found(all.size());
  std::mutex mutex;
  std::size_t num_done = 0;
  tell_how_to_go_on(folder);
  side_by_side(num_threads, all.size(), [&](std::size_t i) {
    try {
      found[i] =
          forecast_planned(plan_of(all[i], each), each, part_of_run(each, folders[i]), nullptr);
    } catch (const Error& error) {
      // What concerns this series alone; trouble with the disk concerns all of them.
      if (error.kind() != ErrorKind::bad_data && error.kind() != ErrorKind::usage) throw;
      found[i].folder = folders[i];
      found[i].error = error.what();
    }
    found[i].name = all[i].name;
    const std::lock_guard lock(mutex);
    ++num_done;
    if (command.quiet || !found[i].error.empty()) return;
    print_note(
        fmt::format("{} of {}, {}: {}", num_done, all.size(), shown(all[i].name), found[i].kernel));
  });
  const auto is_done = [](const SeriesForecast& one) { return one.error.empty(); };
  if (std::none_of(found.begin(), found.end(), is_done)) {
    throw Error(ErrorKind::bad_data, found.front().error);
  }
  return found;
}

}  // namespace covary::app
