#include "evidence/map_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "base/hash.h"
#include "base/parallel.h"
#include "evidence/warm_start.h"

namespace covary {
namespace {

// Places closer than this in log posterior are taken for one optimum.
constexpr double same_optimum = 1e-3;
// Loose while starts race against each other, tight for those that reach the end.
constexpr double racing_tolerance = 1e-3;
constexpr double final_tolerance = 1e-6;

struct Contender {
  std::vector<double> place;
  double value = -std::numeric_limits<double>::infinity();
  StopReason reason = StopReason::invalid_start;
};

// One log posterior per thread, each with its own matrices, made when first needed.
class Workers {
 public:
  Workers(const Expression& kernel, const InputColumns& inputs, std::span<const double> target,
          const EvidenceOptions& options)
      : make_([&kernel, inputs, target, with_jacobian = options.laplace == Laplace::consistent,
               mean = options.mean] {
          return std::make_unique<LogPosterior>(kernel, inputs, target, with_jacobian, mean);
        }),
        posteriors_(options.threads),
        cpu_seconds_(options.threads, 0.0) {}

  // Runs work(contender, posterior) for all of them.
  void for_each(std::vector<Contender>& contenders,
                const std::function<void(Contender&, LogPosterior&)>& work) {
    parallel_for(posteriors_.size(), contenders.size(), [&](std::size_t task, std::size_t worker) {
      const double start = thread_cpu_seconds();
      if (!posteriors_[worker]) posteriors_[worker] = make_();
      work(contenders[task], *posteriors_[worker]);
      cpu_seconds_[worker] += thread_cpu_seconds() - start;
    });
  }

  void add_costs(MapFit& fit) const {
    for (std::size_t i = 0; i < posteriors_.size(); ++i) {
      if (!posteriors_[i]) continue;
      fit.value_evaluations += posteriors_[i]->num_values();
      fit.gradient_evaluations += posteriors_[i]->num_gradients();
      fit.cpu_seconds += cpu_seconds_[i];
    }
  }

 private:
  std::function<std::unique_ptr<LogPosterior>()> make_;
  std::vector<std::unique_ptr<LogPosterior>> posteriors_;
  std::vector<double> cpu_seconds_;
};

// The best `count`, of those that look like the same optimum only one.
void keep_best(std::vector<Contender>& contenders, std::size_t count) {
  std::stable_sort(contenders.begin(), contenders.end(),
                   [](const Contender& a, const Contender& b) { return a.value > b.value; });
  std::vector<Contender> kept;
  for (Contender& contender : contenders) {
    if (kept.size() == count || !std::isfinite(contender.value)) break;
    if (!kept.empty() && kept.back().value - contender.value < same_optimum) continue;
    kept.push_back(std::move(contender));
  }
  contenders = std::move(kept);
}

class MapFitter {
 public:
  MapFitter(const Expression& kernel, const FitData& data, const EvidenceOptions& options,
            const std::function<bool()>& should_stop)
      : kernel_(kernel),
        space_(kernel),
        data_(data),
        options_(options),
        should_stop_(should_stop),
        // The kernel is part of the seed, so that the order of evaluations does not matter.
        random_(options.seed * 0x9e3779b97f4a7c15U ^ hash64(tree_key(kernel))),
        full_(kernel, data.inputs, data.target, options) {}

  MapFit plain() {
    std::vector<Contender> contenders(std::max<std::size_t>(options_.restarts, 1));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      contenders[i].place = options_.starts == StartValues::reference
                                ? start_as_reference(space_, i == 0, random_)
                                : start_from_priors(space_, random_);
    }
    // As SciPy's L-BFGS-B by default: stop at a relative gain of 2e-9.
    const double tolerance = 2e-9 * static_cast<double>(data_.target.size());
    full_.for_each(contenders, [&](Contender& contender, LogPosterior& posterior) {
      follow(contender, posterior, options_.max_iterations, tolerance, maximize_lbfgs);
    });
    return finished(std::move(contenders), std::max<std::size_t>(options_.restarts, 1));
  }

  // Screening, then rounds in which fewer and fewer go further and further.
  MapFit informed(const std::vector<WarmStart>& warm_starts) {
    const bool is_sampled = data_.is_sampled();
    const std::size_t restarts = std::max<std::size_t>(options_.restarts, 1);
    const auto part = [&](std::size_t divisor) {
      return std::max<std::size_t>(restarts / divisor, 1);
    };
    // Where the whole data are cheap there is time to look around; where they are not, the sample
    // does the looking around, and few go on: it is a poor judge of those that are nearly equal.
    struct Round {
      std::size_t num_contenders;
      std::size_t max_iterations;
    };
    const std::size_t num_candidates = is_sampled ? 100 : 200;
    const Round first = is_sampled ? Round{part(2), 10} : Round{restarts, 5};
    const Round second = is_sampled ? Round{part(5), 5} : Round{part(3), 10};
    const Round last = {part(is_sampled ? 11 : 16), options_.max_iterations};

    Workers sample(kernel_, data_.sample_inputs, data_.sample_target, options_);
    Workers& scouts = is_sampled ? sample : full_;
    const std::vector<Contender> warm = warm_candidates(warm_starts);
    std::vector<Contender> contenders = warm;
    while (contenders.size() < num_candidates) {
      contenders.push_back({start_from_hints(space_, data_.hints, random_)});
    }
    scouts.for_each(contenders, [&](Contender& contender, LogPosterior& posterior) {
      if (should_stop_()) return;
      contender.value = posterior.value(contender.place);
    });
    const auto race = [&](const Round& round, Workers& workers, double tolerance,
                          const auto& maximizer) {
      workers.for_each(contenders, [&](Contender& contender, LogPosterior& posterior) {
        follow(contender, posterior, round.max_iterations, tolerance, maximizer);
      });
    };
    keep_best(contenders, first.num_contenders);
    const std::size_t num_starts = contenders.size();
    race(first, scouts, racing_tolerance, maximize);
    keep_best(contenders, second.num_contenders);
    if (is_sampled) add_best_of_all_rows(warm, contenders);
    race(second, full_, racing_tolerance, maximize);
    keep_best(contenders, last.num_contenders);
    race(last, full_, final_tolerance, maximize_to_the_end);
    MapFit fit = finished(std::move(contenders), num_starts);
    if (is_sampled) sample.add_costs(fit);
    return fit;
  }

 private:
  // What similar kernels know, the rest drawn: several times, unless they know everything.
  std::vector<Contender> warm_candidates(const std::vector<WarmStart>& warm_starts) {
    constexpr std::size_t completions = 8;
    std::vector<Contender> contenders;
    for (const WarmStart& warm : warm_starts) {
      const std::vector<double> known = transferred_parameters(kernel_, warm);
      if (known.empty()) continue;
      const bool is_whole = std::all_of(known.begin(), known.end(),
                                        [](double value) { return std::isfinite(value); });
      for (std::size_t c = 0; c < (is_whole ? 1 : completions); ++c) {
        std::vector<double> place = start_from_hints(space_, data_.hints, random_);
        for (std::size_t i = 0; i < known.size(); ++i) {
          if (std::isfinite(known[i])) place[i] = space_.free(i, known[i]);
        }
        contenders.push_back({std::move(place)});
      }
    }
    return contenders;
  }

  // The sample may not show what all rows have shown of a similar kernel, so that those starts are
  // not left to its judgement alone.
  void add_best_of_all_rows(std::vector<Contender> warm, std::vector<Contender>& contenders) {
    constexpr std::size_t num_added = 2;
    full_.for_each(warm, [&](Contender& contender, LogPosterior& posterior) {
      if (should_stop_()) return;
      contender.value = posterior.value(contender.place);
    });
    keep_best(warm, num_added);
    contenders.insert(contenders.end(), warm.begin(), warm.end());
  }

  template <class Maximizer>
  void follow(Contender& contender, LogPosterior& posterior, std::size_t max_iterations,
              double tolerance, const Maximizer& maximizer) {
    if (should_stop_()) {
      contender.reason = StopReason::stopped;
      return;
    }
    MaximizeOptions options;
    options.max_iterations = std::min(max_iterations, options_.max_iterations);
    options.tolerance = tolerance;
    options.should_stop = should_stop_;
    const MaximizeSummary summary = maximizer(posterior, contender.place, options);
    contender.reason = summary.reason;
    if (summary.reason == StopReason::invalid_start) {
      contender.value = -std::numeric_limits<double>::infinity();
      return;
    }
    contender.place = summary.place;
    contender.value = summary.value;
  }

  MapFit finished(std::vector<Contender> contenders, std::size_t num_starts) {
    MapFit fit;
    fit.num_starts = num_starts;
    keep_best(contenders, contenders.size());
    for (const Contender& contender : contenders) {
      fit.num_distinct_optima += contender.reason == StopReason::converged ? 1 : 0;
    }
    full_.add_costs(fit);
    if (contenders.empty()) {
      if (should_stop_()) fit.reason = StopReason::stopped;
      return fit;
    }
    fit.place = contenders.front().place;
    fit.value = contenders.front().value;
    fit.reason = contenders.front().reason;
    return fit;
  }

  const Expression& kernel_;
  ParameterSpace space_;
  const FitData& data_;
  const EvidenceOptions& options_;
  const std::function<bool()>& should_stop_;
  Random random_;
  Workers full_;
};

}  // namespace

MapFit fit_map(const Expression& kernel, const FitData& data, const EvidenceOptions& options,
               const std::vector<WarmStart>& warm_starts,
               const std::function<bool()>& should_stop) {
  MapFitter fitter(kernel, data, options, should_stop);
  return options.starts == StartValues::informed ? fitter.informed(warm_starts) : fitter.plain();
}

}  // namespace covary
