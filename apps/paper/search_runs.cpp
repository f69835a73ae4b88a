#include "search_runs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "pieces.h"

namespace covary::paper {
namespace {

constexpr std::size_t paper_iterations = 50;
constexpr std::size_t quick_iterations = 5;
constexpr std::size_t quick_restarts = 4;
constexpr std::size_t quick_population = 20;
// A baseline that evaluates small kernels fits in more of them in the same time, up to this often.
constexpr std::size_t most_times_as_many = 30;

// Ends a search once it has done its evaluations and had its CPU time, or the user says so.
class Allowance final : public SearchObserver {
 public:
  Allowance(std::size_t evaluations, double seconds, const std::atomic<bool>& interrupted)
      : evaluations_(evaluations),
        seconds_(seconds),
        watch_([this, &interrupted](const std::stop_token& is_done) {
          while (!is_done.stop_requested()) {
            if (interrupted.load()) ends = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}

  void recorded(const SearchRecord& record, const SearchRecord* /*best*/) override {
    spent_ += record.evidence.seconds + record.acquisition_seconds;
    if (record.index + 1 >= evaluations_ && spent_ >= seconds_) ends = true;
  }

  std::atomic<bool> ends = false;

 private:
  std::size_t evaluations_;
  double seconds_;
  double spent_ = 0.0;
  std::jthread watch_;
};

nlohmann::json to_json(const std::vector<SearchRecord>& history, const InputNames& inputs,
                       double num_rows) {
  nlohmann::json evaluations = nlohmann::json::array();
  std::size_t num_initial = 0;
  for (const SearchRecord& record : history) {
    num_initial += record.is_initial ? 1U : 0U;
    nlohmann::json value = nullptr;
    if (record.evidence.value) value = *record.evidence.value / num_rows;
    evaluations.push_back({{"kernel", to_string(record.kernel, inputs)},
                           {"value_per_row", value},
                           {"parameters", record.evidence.parameters},
                           {"weights", record.weights},
                           {"oracle_seconds", record.evidence.seconds},
                           {"acquisition_seconds", record.acquisition_seconds}});
  }
  return {{"num_initial", num_initial}, {"evaluations", evaluations}};
}

SearchRun from_json(const nlohmann::json& json, std::uint64_t seed) {
  SearchRun run;
  run.seed = seed;
  run.num_initial = json.at("num_initial").get<std::size_t>();
  for (const nlohmann::json& item : json.at("evaluations")) {
    Evaluated evaluated;
    evaluated.kernel = item.at("kernel").get<std::string>();
    if (!item.at("value_per_row").is_null()) {
      evaluated.value_per_row = item.at("value_per_row").get<double>();
    }
    evaluated.parameters = item.at("parameters").get<std::vector<double>>();
    evaluated.weights = item.at("weights").get<std::vector<double>>();
    evaluated.oracle_seconds = item.at("oracle_seconds").get<double>();
    evaluated.acquisition_seconds = item.at("acquisition_seconds").get<double>();
    run.evaluations.push_back(std::move(evaluated));
  }
  return run;
}

const Setting<SearchOptions>& method_setting() {
  const auto& table = search_settings();
  return *std::find_if(table.begin(), table.end(),
                       [](const auto& setting) { return setting.name == "method"; });
}

std::string method_of(const SearchOptions& options) { return method_setting().get(options); }

template <class Options>
std::string text_of(const Options& options, const std::vector<Setting<Options>>& table) {
  std::string text;
  for (const Setting<Options>& setting : table) {
    if (setting.name == "threads" || setting.name == "time_limit") continue;
    text += setting.name + "=" + setting.get(options) + " ";
  }
  return text;
}

// A search as a piece: kept by evaluation in its run folder while it goes on, and as a whole after.
Piece search_piece(const Plan& plan, const Dataset& training, const std::string& name,
                   SearchOptions options, std::size_t num_evaluations, double seconds) {
  options.threads = 1;
  options.max_evaluations = num_evaluations * most_times_as_many;
  const std::string settings =
      fmt::format("{} rows, {} evaluations, data {}; {}{}{}", training.num_rows(), num_evaluations,
                  training.fingerprint(), text_of(options, search_settings()),
                  text_of(options.space, search_space_settings()),
                  text_of(options.evidence, evidence_settings()));
  const auto compute = [&plan, training, name, options, num_evaluations, seconds,
                        settings]() -> nlohmann::json {
    RunOptions run{plan.out_folder + "/runs/" + name};
    run.settings = {{"experiment", settings}};
    std::filesystem::create_directories(std::filesystem::path(run.folder).parent_path());
    run.resume = std::filesystem::exists(run.folder + "/run.sqlite");
    Allowance allowance(num_evaluations, seconds, *plan.interrupted);
    const auto go = [&] {
      return search_in_folder(training, options, run, {&allowance}, &allowance.ends);
    };
    try {
      const SearchResult result = go();
      return to_json(result.history, inputs_of(training), static_cast<double>(training.num_rows()));
    } catch (const SearchInterrupted&) {
      return nullptr;
    }
  };
  return {"search/" + name, settings, compute};
}

// No runs yet.
SearchRuns empty_runs(const Plan& plan, const PaperData& data, const std::string& preset,
                      const SearchOptions& options, const Dataset& training) {
  const SearchSpace space = make_search_space(options.space, inputs_of(training));
  SearchRuns runs{.data = data, .preset = preset, .method = method_of(options), .runs = {}};
  runs.num_iterations = plan.quick ? quick_iterations : paper_iterations;
  runs.num_evaluations = 3 * space.base_kernels.size() + runs.num_iterations;
  return runs;
}

std::string run_name(const PaperData& data, const std::string& searcher, std::uint64_t seed) {
  return fmt::format("{}/{}/seed-{}", data.name, searcher, seed);
}

}  // namespace

double SearchRun::seconds(std::size_t count) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < std::min(count, evaluations.size()); ++i) {
    sum += evaluations[i].oracle_seconds + evaluations[i].acquisition_seconds;
  }
  return sum;
}

std::optional<std::size_t> SearchRun::best_of_first(std::size_t count) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < std::min(count, evaluations.size()); ++i) {
    if (!evaluations[i].value_per_row) continue;
    if (!best || *evaluations[i].value_per_row > *evaluations[*best].value_per_row) best = i;
  }
  return best;
}

std::optional<std::size_t> SearchRun::best_after(double seconds) const {
  double spent = 0.0;
  std::size_t count = 0;
  for (const Evaluated& e : evaluations) {
    spent += e.oracle_seconds + e.acquisition_seconds;
    if (spent > seconds * (1.0 + 1e-12)) break;
    ++count;
  }
  return best_of_first(count);
}

std::string title_of_method(const std::string& method) {
  static const std::map<std::string, std::string> titles = {{"sot", "SOT"},
                                                            {"hellinger", "Hellinger"},
                                                            {"greedy", "Greedy"},
                                                            {"treegep", "Tree-GEP"},
                                                            {"random", "Random"}};
  return titles.at(method);
}

SearchOptions options_of(const Plan& plan, const PaperData& data, const std::string& preset,
                         const std::string& method) {
  SearchOptions options = preset == "paper" ? SearchOptions::paper() : SearchOptions{};
  options.evidence.transform = TargetTransform::none;  // kernels are compared, as in the paper
  method_setting().set(options, method);
  options.space.space = data.space;
  if (plan.quick) {
    options.evidence.restarts = quick_restarts;
    options.population = quick_population;
  }
  return options;
}

std::vector<SearchRuns> search_runs(const Plan& plan, const std::vector<PaperData>& sets,
                                    const std::vector<std::string>& methods) {
  std::vector<SearchRuns> all;
  for (const PaperData& data : sets) {
    const Dataset training = plan.split(data).training;
    for (const std::string& preset : plan.presets) {
      std::map<std::uint64_t, double> seconds_of_sot;  // by seed
      for (const bool is_sot : {true, false}) {        // first SOT, which sets the time
        std::vector<Piece> pieces;
        std::vector<std::pair<std::size_t, std::uint64_t>> place_and_seed;
        for (const std::string& method : methods) {
          if ((method == "sot") != is_sot) continue;
          SearchOptions options = options_of(plan, data, preset, method);
          all.push_back(empty_runs(plan, data, preset, options, training));
          for (const std::uint64_t seed : plan.seeds) {
            options.seed = seed;
            const auto sot = seconds_of_sot.find(seed);
            pieces.push_back(search_piece(
                plan, training, run_name(data, fmt::format("{}-{}", preset, method), seed), options,
                all.back().num_evaluations, sot == seconds_of_sot.end() ? 0.0 : sot->second));
            place_and_seed.emplace_back(all.size() - 1, seed);
          }
        }
        const auto results = results_of(plan, "searches of " + data.title, pieces);
        for (std::size_t i = 0; i < results.size(); ++i) {
          if (!results[i] || results[i]->is_null()) continue;
          const auto& [place, seed] = place_and_seed[i];
          SearchRuns& runs = all[place];
          runs.runs.push_back(from_json(*results[i], seed));
          if (is_sot) seconds_of_sot[seed] = runs.runs.back().seconds(runs.num_evaluations);
        }
      }
    }
  }
  std::erase_if(all, [](const SearchRuns& runs) { return runs.runs.empty(); });
  return all;
}

SearchRuns variant_runs(const Plan& plan, const PaperData& data, const SearchVariant& variant,
                        const std::function<Dataset(std::uint64_t seed)>& training) {
  SearchRuns all;
  std::vector<Piece> pieces;
  for (const std::uint64_t seed : plan.seeds) {
    SearchOptions options = variant.options;
    options.seed = seed;
    const Dataset rows = training(seed);
    all = empty_runs(plan, data, variant.name, options, rows);
    pieces.push_back(search_piece(plan, rows, run_name(data, variant.name, seed), options,
                                  all.num_evaluations, 0.0));
  }
  const auto results = results_of(plan, "searches of " + data.title, pieces);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i] || results[i]->is_null()) continue;
    all.runs.push_back(from_json(*results[i], plan.seeds[i]));
  }
  return all;
}

const SearchRuns* find_runs(const std::vector<SearchRuns>& all, const std::string& data,
                            const std::string& preset, const std::string& method) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const SearchRuns& runs) {
    return runs.data.name == data && runs.preset == preset && runs.method == method;
  });
  return found == all.end() ? nullptr : &*found;
}

double last_time_stamp(const std::vector<SearchRuns>& all, const std::string& data,
                       const std::string& preset) {
  double shortest = std::numeric_limits<double>::infinity();
  if (const SearchRuns* runs = find_runs(all, data, preset, "sot")) {
    for (const SearchRun& run : runs->runs) {
      shortest = std::min(shortest, run.seconds(runs->num_evaluations));
    }
  }
  return shortest;
}

std::optional<HoldoutFigures> test_figures(const Evaluated& evaluated,
                                           const TrainingAndTest& data) {
  const InputNames inputs = inputs_of(data.training);
  try {
    const FittedModel model(parse_expression(evaluated.kernel, inputs), evaluated.parameters,
                            data.training);
    return holdout_figures(model.predict_rows(data.test), data.test);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace covary::paper
