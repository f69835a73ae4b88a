// Table 1: the evidence of 500 kernels predicted from that of 500 others.
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include <covary/evidence.h>
#include <covary/grammar.h>

#include "base/hash.h"
#include "experiments.h"
#include "grammar/grammar_graph.h"
#include "kernel_distance/hellinger_distances.h"
#include "kernel_distance/transport_table.h"
#include "outcome.h"
#include "pieces.h"
#include "search/hellinger_strategy.h"
#include "search_runs.h"
#include "statistics.h"
#include "surrogate/meta_gp.h"
#include "surrogate/nearest_neighbours.h"

namespace covary::paper {
namespace {

constexpr std::size_t kernels_a_piece = 20;

const std::array<const char*, 4> predictors = {"Hellinger", "kNN", "Mean", "SOT"};

// Table 1 of the paper, in the order of the predictors.
const std::map<std::string, std::array<double, 4>>& published() {
  static const std::map<std::string, std::array<double, 4>> rmse = {
      {"airfoil", {0.1773, 0.2231, 0.3769, 0.0936}},
      {"airline", {0.3569, 0.3813, 0.4013, 0.3464}},
      {"lgbb", {0.3772, 0.6795, 0.8519, 0.2783}},
      {"powerplant", {0.1912, 0.2236, 0.2925, 0.0137}},
      {"concrete", {0.2489, 0.1806, 0.2912, 0.0451}}};
  return rmse;
}

struct Scored {
  std::vector<Expression> kernels;  // the first half is for training
  std::vector<double> values;       // evidence per row
};

// The kernels of the paper: the base kernels, and random neighbours of random members until there
// are enough; then divided at random.
std::vector<Expression> drawn_kernels(const Grammar& grammar, std::size_t count,
                                      std::uint64_t seed) {
  Random random(combine64(seed, 1));
  std::vector<Expression> kernels =
      grammar.grow(grammar.start_kernels(), count, random, Grammar::Repeats::left_out);
  random.shuffle(kernels);
  return kernels;
}

EvidenceOptions evidence_of(const Plan& plan, const std::string& preset, std::uint64_t seed) {
  EvidenceOptions options = preset == "paper" ? EvidenceOptions::paper() : SearchOptions{}.evidence;
  options.transform = TargetTransform::none;  // as in the paper
  if (plan.quick) options.restarts = 4;
  options.seed = seed;
  return options;
}

std::string settings_of(const EvidenceOptions& options, const Dataset& training) {
  std::string text = fmt::format("{} rows, data {};", training.num_rows(), training.fingerprint());
  for (const Setting<EvidenceOptions>& setting : evidence_settings()) {
    if (setting.name != "threads") text += " " + setting.name + "=" + setting.get(options);
  }
  return text;
}

std::string piece_folder(const Plan& plan) {
  constexpr std::size_t usual = 500;
  return plan.kernels == usual ? "meta-regression"
                               : fmt::format("meta-regression-{}", plan.kernels);
}

// The kernels with a value; the few that cannot be fitted are left out, as in the paper.
Scored evaluated(const Plan& plan, const PaperData& data, const Dataset& training,
                 const std::string& preset, std::uint64_t seed) {
  const InputNames inputs = inputs_of(training);
  const Grammar grammar(make_search_space({.space = data.space}, inputs));
  const std::vector<Expression> kernels = drawn_kernels(grammar, 2 * plan.kernels, seed);
  const EvidenceOptions options = evidence_of(plan, preset, seed);
  const auto n = static_cast<double>(training.num_rows());
  std::vector<Piece> pieces;
  for (std::size_t from = 0; from < kernels.size(); from += kernels_a_piece) {
    const std::size_t to = std::min(from + kernels_a_piece, kernels.size());
    const auto compute = [&, from, to] {
      const std::unique_ptr<Oracle> oracle = make_oracle(training, options, plan.interrupted);
      nlohmann::json values = nlohmann::json::array();
      for (std::size_t i = from; i < to; ++i) {
        const Evidence evidence = oracle->evaluate(kernels[i]);
        nlohmann::json value = nullptr;
        if (evidence.value) value = *evidence.value / n;
        values.push_back({{"kernel", to_string(kernels[i], inputs)}, {"value", value}});
      }
      return values;
    };
    pieces.push_back({fmt::format("{}/{}/{}/seed-{}/kernels-{:04}", piece_folder(plan), data.name,
                                  preset, seed, from),
                      settings_of(options, training), compute});
  }
  Scored scored;
  for (const auto& result : results_of(plan, "meta-regression on " + data.title, pieces)) {
    if (!result) return {};  // not all is finished
    for (const nlohmann::json& item : *result) {
      if (item.at("value").is_null()) continue;
      scored.kernels.push_back(parse_expression(item.at("kernel").get<std::string>(), inputs));
      scored.values.push_back(item.at("value").get<double>());
    }
  }
  return scored;
}

// Values as they are, not as the search sees them: there, what is bad need not be told apart.
SurrogateOptions surrogate_of(const std::string& preset) {
  SurrogateOptions options;
  options.scale.pulls_in_low_values = false;
  return preset == "paper" ? SurrogateOptions::paper() : options;
}

std::vector<double> predicted_by_gp(DistanceSet& distances, const SurrogateOptions& options,
                                    std::span<const Expression> training,
                                    std::span<const double> values,
                                    std::span<const Expression> test, Random& random) {
  for (const Expression& kernel : training) distances.add(kernel);
  MetaGp meta_gp(options);
  meta_gp.fit(distances.distances(training), values, random);
  return meta_gp.predict(distances.distances(test)).mean;
}

std::vector<double> predicted_by_neighbours(const Grammar& grammar,
                                            std::span<const Expression> kernels,
                                            std::span<const double> values, Random& random) {
  const std::size_t num_training = values.size();
  const GrammarGraph graph(grammar, kernels);
  Matrix distances(num_training, num_training);
  Matrix cross(num_training, kernels.size() - num_training);
  for (std::size_t j = 0; j < kernels.size(); ++j) {
    const std::vector<std::size_t> lengths = graph.path_lengths(j);
    double* column = j < num_training ? distances.column(j) : cross.column(j - num_training);
    for (std::size_t i = 0; i < num_training; ++i) {
      column[i] = lengths[i] == GrammarGraph::unreachable ? std::numeric_limits<double>::infinity()
                                                          : static_cast<double>(lengths[i]);
    }
  }
  NearestNeighbours neighbours;
  neighbours.fit(distances, values, random);
  return neighbours.predict(cross);
}

// The errors on the test kernels, one list a predictor.
std::array<std::vector<double>, 4> errors_of(const PaperData& data, const Dataset& training,
                                             const std::string& preset, std::uint64_t seed,
                                             const Scored& scored) {
  const std::size_t half = scored.kernels.size() / 2;
  const std::span<const Expression> all(scored.kernels);
  const std::span<const double> values(scored.values.data(), half);
  const Grammar grammar(make_search_space({.space = data.space}, inputs_of(training)));
  Random random(combine64(seed, 2));
  std::array<std::vector<double>, 4> guesses;
  SurrogateOptions options = surrogate_of(preset);
  TransportTable transport;
  guesses[3] =
      predicted_by_gp(transport, options, all.first(half), values, all.subspan(half), random);
  options.distance_factor = 0.5;
  HellingerDistances hellinger(compared_rows(training, seed));
  guesses[0] =
      predicted_by_gp(hellinger, options, all.first(half), values, all.subspan(half), random);
  guesses[1] = predicted_by_neighbours(grammar, all, values, random);
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(half);
  guesses[2].assign(scored.values.size() - half, mean);
  for (std::vector<double>& list : guesses) {
    for (std::size_t i = 0; i < list.size(); ++i) list[i] -= scored.values[half + i];
  }
  return guesses;
}

double rmse_of(const std::vector<double>& errors) {
  double square = 0.0;
  for (const double error : errors) square += error * error;
  return std::sqrt(square / static_cast<double>(errors.size()));
}

}  // namespace

void run_meta_regression(const Plan& plan) {
  Outcome outcome("meta-regression",
                  "Meta-regression: the evidence of kernels from that of others");
  outcome.say(fmt::format(
      "RMSE of the log evidence per row of {0} test kernels, predicted from {0} training kernels "
      "(the paper's Table 1). Means over the seeds where there are several; each seed draws other "
      "kernels.",
      plan.kernels));
  std::vector<Cells> rows;
  std::vector<Panel> panels;
  for (const PaperData& data : plan.sets) {
    const Dataset training = plan.split(data).training;
    Cells paper_row = {data.title, "published", ""};
    for (const double rmse : published().at(data.name)) paper_row.push_back(shown(rmse));
    rows.push_back(std::move(paper_row));
    for (const std::string& preset : plan.presets) {
      std::array<std::vector<double>, 4> rmse;
      Panel panel{data.title + ", preset " + preset, "", "absolute error per row"};
      panel.is_log_y = true;
      for (const std::uint64_t seed : plan.seeds) {
        const Scored scored = evaluated(plan, data, training, preset, seed);
        if (scored.kernels.size() < 4) continue;
        const auto errors = errors_of(data, training, preset, seed, scored);
        for (std::size_t p = 0; p < predictors.size(); ++p) {
          rmse[p].push_back(rmse_of(errors[p]));
          outcome.add_record({{"data", data.name},
                              {"preset", preset},
                              {"seed", seed},
                              {"predictor", predictors[p]},
                              {"kernels", scored.kernels.size()},
                              {"rmse", rmse[p].back()}});
          if (rmse[p].size() > 1) continue;  // the picture is of the first seed
          std::vector<double> sizes;
          for (const double error : errors[p]) sizes.push_back(std::max(std::abs(error), 1e-5));
          panel.boxes.push_back({predictors[p], sizes, p});
        }
      }
      if (rmse[0].empty()) continue;
      Cells row = {data.title, "Covary, preset " + preset, std::to_string(rmse[0].size())};
      for (const std::vector<double>& list : rmse) {
        row.push_back(list.size() > 1
                          ? fmt::format("{} ({})", shown(mean_of(list)), shown(sample_sd(list)))
                          : shown(list.front()));
      }
      rows.push_back(std::move(row));
      panels.push_back(std::move(panel));
    }
  }
  outcome.add_table({"data", "", "seeds", "Hellinger", "kNN", "Mean", "SOT"}, rows);
  outcome.add_figure("", "Errors of the predicted log evidence per row", panels);
  outcome.write(plan);
}

}  // namespace covary::paper
