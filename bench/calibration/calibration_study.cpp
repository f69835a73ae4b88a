// Simulation-based calibration: kernels, parameters and rows are drawn from the priors, inference
// is made as a search makes it, and what it says is compared with what was drawn. What was said to
// be so with probability p should be so in a share p of the draws. docs/calibration.md reads it.
//   calibration_study --draws 1000 --seed 1 --threads 2 --places 4000 --svg FILE --csv FILE
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <covary/error.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "inference.h"
#include "process.h"
#include "study_figure.h"
#include "summary.h"

namespace covary::calibration {
namespace {

struct Options {
  Setting setting = {};
  std::size_t num_draws = 1000;
  std::size_t num_places = 2000;
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  std::string csv = {};
  std::string svg = {};
};

std::string text_of(const Estimate& estimate, double unit, int digits) {
  return fmt::format("{:.{}f} ± {:.{}f}", unit * estimate.mean, digits, unit * estimate.error,
                     digits);
}

std::string text_of(const Expression& kernel) { return to_string(kernel, InputNames::unnamed(1)); }

std::size_t num_beliefs(const Options& options) { return options.num_places > 0 ? 3 : 2; }

std::vector<Way> ways_of(const Options& options) {
  std::vector<Way> ways;
  for (std::size_t w = 0; w < num_ways; ++w) {
    const Way way = static_cast<Way>(w);
    if (options.num_places > 0 || way < Way::laplace_whole) ways.push_back(way);
  }
  return ways;
}

void print_ranks(const std::vector<Inferred>& draws, const Options& options) {
  fmt::print(
      "\n## Parameters\n\nRanks: mean, share in the central 50 % and 95 %, KS distance, its p\n\n");
  std::string rule = "|---|---:|";
  fmt::print("| | draws |");
  for (std::size_t b = 0; b < num_beliefs(options); ++b) {
    fmt::print(" {} | | | | p |", belief_names[b]);
    rule += "---:|---:|---:|---:|---:|";
  }
  fmt::print("\n{}\n", rule);
  for (const std::string& kind : kinds_of(draws)) {
    fmt::print("| {} | {} |", kind, ranks_of(draws, kind, Belief::laplace).size());
    for (std::size_t b = 0; b < num_beliefs(options); ++b) {
      const std::vector<double> ranks = ranks_of(draws, kind, static_cast<Belief>(b));
      const Uniformity uniformity = uniformity_of(ranks);
      const auto within = [&](double level) {
        const auto held = std::count_if(ranks.begin(), ranks.end(), [&](double rank) {
          return std::abs(rank - 0.5) < 0.5 * level;
        });
        return static_cast<double>(held) / static_cast<double>(ranks.size());
      };
      fmt::print(" {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.2g} |", estimate_of(ranks).mean,
                 within(0.5), within(0.95), uniformity.distance, uniformity.p_value);
    }
    fmt::print("\n");
  }
}

void print_coverage(const std::vector<Inferred>& draws, const Options& options) {
  fmt::print("\n## Unseen rows\n\n");
  for (const auto& [where, name] :
       {std::pair{Where::anywhere, "all"}, {Where::inside, "inside"}, {Where::ahead, "ahead"}}) {
    fmt::print("| {} | 50 % | 80 % | 95 % |\n|---|---:|---:|---:|\n", name);
    for (const Way way : ways_of(options)) {
      fmt::print("| {} |", way_names[static_cast<std::size_t>(way)]);
      for (const double level : {0.5, 0.8, 0.95}) {
        fmt::print(" {} |", text_of(coverage(draws, options.setting, way, where, level), 100, 1));
      }
      fmt::print("\n");
    }
    fmt::print("\n");
  }
  fmt::print("| | log score | less that of what a search hands back |\n|---|---:|---:|\n");
  for (const Way way : ways_of(options)) {
    fmt::print("| {} | {} | {} |\n", way_names[static_cast<std::size_t>(way)],
               text_of(log_score(draws, way), 1, 3),
               text_of(log_score(draws, way, Way::search), 1, 4));
  }
}

void print_kernels(const std::vector<Inferred>& draws, const Options& options,
                   const Candidates& candidates) {
  fmt::print("\n## Kernels\n\n");
  for (const Evidences by : {Evidences::laplace, Evidences::whole}) {
    if (by == Evidences::whole && options.num_places == 0) continue;
    fmt::print("| said, by {} | kernels | mean of what was said | true | difference |\n",
               by == Evidences::whole ? "the whole evidence" : "Laplace's evidence");
    fmt::print("|---|---:|---:|---:|---:|\n");
    for (const ReliabilityBin& bin : reliability(draws, by)) {
      if (bin.count == 0) continue;
      fmt::print("| {:.2f} to {:.2f} | {} | {:.3f} | {:.3f} | {} |\n", bin.from, bin.to, bin.count,
                 bin.said, bin.share(), text_of(bin.excess, 1, 3));
    }
    const KernelScore score = kernel_score(draws, by);
    fmt::print("\nlog probability of the true kernel {}, less what was expected of it {}\n\n",
               text_of(score.log_probability, 1, 3), text_of(score.surprise, 1, 3));
  }
  double before = 0.0;
  for (const double value : candidates.log_probability) before += value * std::exp(value);
  fmt::print("expected of it before data were seen: {:.3f}\n", before);
}

void print_approximation(const std::vector<Inferred>& draws, const Candidates& candidates) {
  std::vector<double> errors;
  std::vector<double> sizes;
  std::map<std::size_t, std::vector<double>> by_kernel;
  for (const Inferred& draw : draws) {
    for (const Inferred::Whole& whole : draw.wholes) {
      errors.push_back(whole.evidence_error);
      sizes.push_back(whole.effective_size);
      by_kernel[whole.kernel].push_back(whole.evidence_error);
    }
  }
  if (errors.empty()) return;
  const auto quantile = [](std::vector<double>& values, double share) {
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
  };
  fmt::print("\n## Whole posteriors\n\nLaplace's log evidence less the whole one:\n\n");
  fmt::print(
      "| kernel | posteriors | mean | 5 % | 50 % | 95 % |\n|---|---:|---:|---:|---:|---:|\n");
  const auto print_row = [&](const std::string& name, std::vector<double>& values) {
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", name, values.size(),
               estimate_of(values).mean, quantile(values, 0.05), quantile(values, 0.5),
               quantile(values, 0.95));
  };
  for (auto& [k, values] : by_kernel) print_row(text_of(candidates.kernels[k]), values);
  print_row("all", errors);
  fmt::print("\neffective number of places: 1 % {:.0f}, 5 % {:.0f}, 50 % {:.0f}\n",
             quantile(sizes, 0.01), quantile(sizes, 0.05), quantile(sizes, 0.5));
}

void save(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(ErrorKind::cannot_write, fmt::format("cannot write '{}'", path));
}

// One line a number: everything that the tables are made of.
std::string csv_of(const std::vector<Inferred>& draws, const Candidates& candidates,
                   const Options& options) {
  std::string text = "draw,true_kernel,what,which,by,value\n";
  for (std::size_t d = 0; d < draws.size(); ++d) {
    const Inferred& draw = draws[d];
    const auto add = [&](std::string_view what, std::string_view which, std::string_view by,
                         double value) {
      text += fmt::format("{},{},{},{},\"{}\",{:.6g}\n", d, text_of(candidates.kernels[draw.truth]),
                          what, which, by, value);
    };
    for (const Rank& rank : draw.ranks) {
      for (std::size_t b = 0; b < num_beliefs(options); ++b) {
        add("rank", rank.kind, belief_names[b], rank.cdf[b]);
      }
    }
    for (const Way way : ways_of(options)) {
      const Predictive& said = draw.predictions[static_cast<std::size_t>(way)];
      for (std::size_t i = 0; i < said.cdf.size(); ++i) {
        const std::string_view where = i < options.setting.num_inside ? "inside" : "ahead";
        const std::string_view name = way_names[static_cast<std::size_t>(way)];
        add(where, "cdf", name, said.cdf[i]);
        add(where, "density", name, said.density[i]);
      }
    }
    for (std::size_t k = 0; k < candidates.kernels.size(); ++k) {
      const std::string kernel = text_of(candidates.kernels[k]);
      add("probability", kernel, "Laplace", std::exp(draw.log_probability[k]));
      if (options.num_places == 0) continue;
      add("probability", kernel, "whole", std::exp(draw.whole_log_probability[k]));
    }
  }
  return text;
}

int run(const Options& options) {
  const Candidates candidates = candidates_of(options.setting);
  std::vector<Inferred> draws(options.num_draws);
  const double start = wall_seconds();
  std::vector<double> seconds(options.num_draws);
  parallel_for(options.threads, options.num_draws, [&](std::size_t d, std::size_t /*worker*/) {
    const double own_start = thread_cpu_seconds();
    Random random(combine64(options.seed, d));
    const Truth truth = draw_truth(options.setting, candidates, random);
    draws[d] = infer(candidates, truth,
                     {.num_places = options.num_places, .seed = combine64(options.seed + 1, d)});
    seconds[d] = thread_cpu_seconds() - own_start;
  });
  fmt::print(
      "{} draws, seed {}, {} rows, {} kernels of {} with at most {} base kernels; "
      "{:.2f} CPU s a draw, {:.0f} s\n",
      options.num_draws, options.seed, options.setting.num_rows, candidates.kernels.size(),
      options.setting.space, options.setting.max_leaves, estimate_of(seconds).mean,
      wall_seconds() - start);
  print_ranks(draws, options);
  print_coverage(draws, options);
  print_kernels(draws, options, candidates);
  print_approximation(draws, candidates);
  if (!options.csv.empty()) save(options.csv, csv_of(draws, candidates, options));
  if (!options.svg.empty()) save(options.svg, study_figure(draws, options.setting));
  return 0;
}

}  // namespace
}  // namespace covary::calibration

int main(int argc, char** argv) try {
  covary::calibration::Options options;
  CLI::App app("Is what inference says as often true? Draws from the priors, inferred again");
  app.add_option("--draws", options.num_draws, "draws of kernel, parameters and rows");
  app.add_option("--seed", options.seed, "the same seed gives the same result");
  app.add_option("--threads", options.threads, "draws at a time; the result is the same");
  app.add_option("--places", options.num_places,
                 "of each whole posterior; 0: only what a search does");
  app.add_option("--rows", options.setting.num_rows, "to learn from");
  app.add_option("--space", options.setting.space, "base kernels");
  app.add_option("--max-leaves", options.setting.max_leaves, "most base kernels in a kernel");
  app.add_flag("--months", options.setting.is_monthly, "rows a month apart, priors in years");
  app.add_option("--csv", options.csv, "file for everything that was found");
  app.add_option("--svg", options.svg, "file for the picture");
  CLI11_PARSE(app, argc, argv);
  return covary::calibration::run(options);
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  std::fputc('\n', stderr);
  return 1;
}
