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
      return to_json(result.history, InputNames(training.input_names()),
                     static_cast<double>(training.num_rows()));
    } catch (const SearchInterrupted&) {
      return nullptr;
    }
  };
  return {"search/" + name, settings, compute};
}

std::string run_name(const PaperData& data, const std::string& searcher, std::uint64_t seed) {
  return fmt::format("{}/{}/seed-{}", data.name, searcher, seed);
}

}  // namespace

double SearchRun::seconds() const {
  double sum = 0.0;
  for (const Evaluated& e : evaluations) sum += e.oracle_seconds + e.acquisition_seconds;
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
  for (const Setting<SearchOptions>& setting : search_settings()) {
    if (setting.name == "method") setting.set(options, method);
  }
  options.space.space = data.space;
  if (plan.quick) {
    options.evidence.restarts = quick_restarts;
    options.population = quick_population;
  }
  return options;
}

std::size_t num_evaluations_of(const Plan& plan, const SearchOptions& options,
                               const Dataset& training) {
  SearchOptions whole = options;
  whole.max_evaluations.reset();
  const SearchSpace space = make_search_space(whole.space, InputNames(training.input_names()));
  const std::size_t num_initial = 3 * space.base_kernels.size();
  return plan.quick ? num_initial + quick_iterations : num_planned_evaluations(whole, space);
}

std::vector<SearchRuns> search_runs(const Plan& plan, const std::vector<PaperData>& sets,
                                    const std::vector<std::string>& methods) {
  std::vector<SearchRuns> all;
  std::vector<std::string> in_turn = methods;
  std::stable_partition(in_turn.begin(), in_turn.end(), [](const auto& m) { return m == "sot"; });
  for (const PaperData& data : sets) {
    const Dataset training = plan.split(data).training;
    for (const std::string& preset : plan.presets) {
      std::map<std::uint64_t, double> seconds_of_sot;
      // First SOT, which says how long the others may take.
      for (const bool is_first : {true, false}) {
        std::vector<Piece> pieces;
        std::vector<std::pair<std::string, std::uint64_t>> which;
        for (const std::string& method : in_turn) {
          if ((method == "sot") != is_first) continue;
          SearchOptions options = options_of(plan, data, preset, method);
          const std::size_t count = num_evaluations_of(plan, options, training);
          for (const std::uint64_t seed : plan.seeds) {
            options.seed = seed;
            const auto sot = seconds_of_sot.find(seed);
            pieces.push_back(search_piece(plan, training,
                                          run_name(data, preset + "-" + method, seed), options,
                                          count, sot == seconds_of_sot.end() ? 0.0 : sot->second));
            which.emplace_back(method, seed);
          }
        }
        const auto results = results_of(plan, "searches of " + data.title, pieces);
        for (std::size_t i = 0; i < results.size(); ++i) {
          if (!results[i] || results[i]->is_null()) continue;
          const auto& [method, seed] = which[i];
          const auto is_same = [&](const SearchRuns& runs) {
            return runs.data.name == data.name && runs.preset == preset && runs.method == method;
          };
          if (std::none_of(all.begin(), all.end(), is_same)) {
            const SearchOptions options = options_of(plan, data, preset, method);
            all.push_back({data, preset, method, num_evaluations_of(plan, options, training), {}});
          }
          SearchRuns& runs = *std::find_if(all.begin(), all.end(), is_same);
          runs.runs.push_back(from_json(*results[i], seed));
          if (method == "sot") {
            SearchRun first = runs.runs.back();
            first.evaluations.resize(std::min(first.evaluations.size(), runs.num_evaluations));
            seconds_of_sot[seed] = first.seconds();
          }
        }
      }
    }
  }
  return all;
}

SearchRuns variant_runs(const Plan& plan, const PaperData& data, const Dataset& training,
                        const SearchVariant& variant) {
  SearchRuns all{
      data, variant.name, "sot", num_evaluations_of(plan, variant.options, training), {}};
  std::vector<Piece> pieces;
  for (const std::uint64_t seed : plan.seeds) {
    SearchOptions options = variant.options;
    options.seed = seed;
    pieces.push_back(search_piece(plan, training, run_name(data, variant.name, seed), options,
                                  all.num_evaluations, 0.0));
  }
  const auto results = results_of(plan, "searches of " + data.title, pieces);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i] || results[i]->is_null()) continue;
    all.runs.push_back(from_json(*results[i], plan.seeds[i]));
  }
  return all;
}

}  // namespace covary::paper
