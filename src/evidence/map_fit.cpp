#include "evidence/map_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/parallel.h"
#include "evidence/warm_start.h"
#include "optim/look.h"

namespace covary {
namespace {

// Places closer than this in log posterior are taken for one optimum.
constexpr double same_optimum = 1e-3;
// Loose while starts race against each other, tight for those that reach the end.
constexpr double racing_tolerance = 1e-3;
constexpr double final_tolerance = 1e-6;

// In nats a row: what is worth another step where steps take minutes.
constexpr double worth_a_step = 1e-4;

// In nats; two walks into one optimum end up to a few racing tolerances apart.
constexpr double different_optimum = 0.02;

struct Contender {
  std::vector<double> place;
  double value = -std::numeric_limits<double>::infinity();
  StopReason reason = StopReason::invalid_start;
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
  MapFitter(const Expression& kernel, const LogPrior& prior, const FitData& data,
            const EvidenceOptions& options, FitWork& work)
      : kernel_(kernel),
        prior_(prior),
        data_(data),
        options_(options),
        work_(work),
        // The kernel is part of the seed, so that the order of evaluations does not matter.
        random_(options.seed * 0x9e3779b97f4a7c15U ^ hash64(tree_key(kernel))) {}

  MapFit plain() {
    std::vector<Contender> contenders(options_.restarts);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      contenders[i].place = options_.starts == StartValues::reference
                                ? start_as_reference(prior_.space(), i == 0, random_)
                                : start_from_priors(prior_.space(), random_);
    }
    // As SciPy's L-BFGS-B by default: stop at a relative gain of 2e-9.
    const double tolerance = 2e-9 * static_cast<double>(data_.rows().size());
    race(contenders, data_.rows(), options_.max_iterations, tolerance, lbfgs_stepper);
    return finished(std::move(contenders), options_.restarts);
  }

  // From where other rows have led this very kernel; nothing if that is not among what is given.
  std::optional<MapFit> from_known(const std::vector<WarmStart>& warm_starts) {
    std::vector<Contender> contenders;
    for (const WarmStart& warm : warm_starts) {
      const bool is_itself = to_string(warm.kernel) == to_string(kernel_);
      if (is_itself) contenders.push_back({prior_.space().free(warm.parameters)});
    }
    if (contenders.empty()) return std::nullopt;
    if (options_.few_steps) contenders.resize(1);
    const std::size_t num_starts = contenders.size();
    if (options_.few_steps) {
      take_few_steps(contenders.front());
    } else {
      race(contenders, data_.rows(), options_.max_iterations, final_tolerance, persistent_stepper);
    }
    return finished(std::move(contenders), num_starts);
  }

  // Screening, then rounds in which fewer and fewer go further and further. What walks do not get
  // right by themselves, the periods and places of change, is then drawn anew one at a time. Of
  // thousands of rows all of that happens on the first rung of them, and what comes out climbs.
  MapFit informed(const std::vector<WarmStart>& warm_starts) {
    const bool is_sampled = data_.is_sampled();
    const std::size_t restarts = options_.restarts;
    const auto part = [&](std::size_t divisor) {
      return std::max<std::size_t>(restarts / divisor, 1);
    };
    // Where the whole data are cheap there is time to look around; where they are not, the sample
    // does the looking around, and few go on: it is a poor judge of those that are nearly equal.
    struct Round {
      std::size_t num_contenders;
      std::size_t max_iterations;
    };
    const std::vector<std::size_t> many_hilled = many_hilled_parameters(prior_.space());
    // Without such parameters nearly all starts that are worth a walk end at the same place.
    const double share = many_hilled.empty() ? 0.5 : 0.75;
    const auto part_of = [share](std::size_t count) {
      return static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
    };
    const std::size_t num_candidates = is_sampled ? 100 : part_of(200);
    const Round first = is_sampled ? Round{part(2), 10} : Round{part_of(restarts), 5};
    const Round second = is_sampled ? Round{part(5), 5} : Round{part_of(part(3)), 10};
    const Round last = {part(is_sampled ? 11 : 16), options_.max_iterations};

    const TrainingRows& scouted = is_sampled ? data_.sample() : data_.rows();
    const TrainingRows& judged = data_.rungs().empty() ? data_.rows() : data_.rungs().front();
    const std::vector<Contender> warm = warm_candidates(warm_starts);
    std::vector<Contender> contenders = warm;
    while (contenders.size() < num_candidates) {
      contenders.push_back({start_from_hints(prior_.space(), data_.hints(), random_)});
    }
    screen(contenders, scouted);
    keep_best(contenders, first.num_contenders);
    const std::size_t num_starts = contenders.size();
    race(contenders, scouted, first.max_iterations, racing_tolerance, newton_stepper);
    keep_best(contenders, second.num_contenders);
    if (is_sampled) add_best_of(warm, judged, contenders);
    race(contenders, judged, second.max_iterations, racing_tolerance, newton_stepper);
    if (!is_sampled) redraw_parts(contenders, many_hilled, 3 * restarts / 7);
    if (is_sampled) try_less_noise(contenders, judged);
    keep_best(contenders, last.num_contenders);
    for (const TrainingRows& rows : data_.rungs()) {
      race(contenders, rows, last.max_iterations, racing_tolerance, persistent_stepper);
      keep_best(contenders, 1);
    }
    race(contenders, data_.rows(), last.max_iterations, final_tolerance, persistent_stepper);
    return finished(std::move(contenders), num_starts);
  }

 private:
  // The sample is sparser than all rows, so that it takes for noise what changes from row to row.
  void try_less_noise(std::vector<Contender>& contenders, const TrainingRows& judged) {
    constexpr std::size_t num_draws = 12;
    constexpr std::size_t num_walks = 1;
    constexpr std::size_t max_iterations = 10;
    keep_best(contenders, contenders.size());
    if (contenders.empty() || work_.is_over()) return;
    std::vector<Contender> draws(num_draws);
    for (Contender& draw : draws) {
      draw.place = with_term_shortened(contenders.front().place, kernel_, prior_.space(), random_);
    }
    screen(draws, judged);
    keep_best(draws, num_walks);
    race(draws, judged, max_iterations, racing_tolerance, newton_stepper);
    contenders.insert(contenders.end(), draws.begin(), draws.end());
  }

  // Looks for the right hills one parameter at a time, the rest of a good place kept: each in turn
  // is drawn many times, and the best draw goes uphill. From the best two, since the best may be a
  // place that no single change leads away from.
  void redraw_parts(std::vector<Contender>& contenders, const std::vector<std::size_t>& many_hilled,
                    std::size_t num_walks) {
    constexpr std::size_t num_kept = 2;
    constexpr std::size_t walks_per_round = 4;
    constexpr std::size_t max_iterations = 6;
    constexpr double share_of_best = 0.67;
    if (many_hilled.empty()) return;
    keep_best(contenders, num_kept);
    std::vector<std::size_t> turns;
    while (num_walks > 0 && !contenders.empty() && !work_.is_over()) {
      std::vector<Redraw> redraws(std::min(num_walks, walks_per_round));
      num_walks -= redraws.size();
      for (Redraw& redraw : redraws) {
        if (turns.empty()) turns = shuffled(many_hilled);
        redraw.parameter = turns.back();
        turns.pop_back();
        redraw.from = random_.uniform() < share_of_best ? 0 : contenders.size() - 1;
      }
      std::vector<Contender> walks = best_redraws(contenders, redraws);
      race(walks, data_.rows(), max_iterations, racing_tolerance, newton_stepper);
      contenders.insert(contenders.end(), walks.begin(), walks.end());
      keep_best(contenders, num_kept);
    }
  }

  std::vector<std::size_t> shuffled(std::vector<std::size_t> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random_.index(i)]);
    return items;
  }

  struct Redraw {
    std::size_t parameter = 0;
    std::size_t from = 0;  // which contender
  };

  // The best of many draws for each.
  std::vector<Contender> best_redraws(const std::vector<Contender>& contenders,
                                      const std::vector<Redraw>& redraws) {
    constexpr std::size_t num_draws = 16;
    std::vector<Contender> draws;
    for (const Redraw& redraw : redraws) {
      for (std::size_t i = 0; i < num_draws; ++i) {
        draws.push_back({with_part_redrawn(contenders[redraw.from].place, redraw.parameter,
                                           prior_.space(), data_.hints(), random_)});
      }
    }
    screen(draws, data_.rows());
    std::vector<Contender> best;
    for (auto group = draws.begin(); group != draws.end(); group += num_draws) {
      auto top = std::max_element(
          group, group + num_draws,
          [](const Contender& a, const Contender& b) { return a.value < b.value; });
      if (std::isfinite(top->value)) best.push_back(std::move(*top));
    }
    return best;
  }

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
        std::vector<double> place = start_from_hints(prior_.space(), data_.hints(), random_);
        for (std::size_t i = 0; i < known.size(); ++i) {
          if (std::isfinite(known[i])) place[i] = prior_.space().free(i, known[i]);
        }
        contenders.push_back({std::move(place)});
      }
    }
    return contenders;
  }

  // The sample may not show what more rows have shown of a similar kernel, so that those starts are
  // not left to its judgement alone.
  void add_best_of(std::vector<Contender> warm, const TrainingRows& judged,
                   std::vector<Contender>& contenders) {
    constexpr std::size_t num_added = 2;
    screen(warm, judged);
    keep_best(warm, num_added);
    contenders.insert(contenders.end(), warm.begin(), warm.end());
  }

  // The value of each on some rows.
  void screen(std::vector<Contender>& contenders, const TrainingRows& rows) {
    std::vector<Look> looks;
    looks.reserve(contenders.size());
    for (const Contender& contender : contenders) looks.emplace_back(contender.place);
    std::vector<Stepper*> walks;
    walks.reserve(looks.size());
    for (Look& look : looks) walks.push_back(&look);
    work_.lead(kernel_, prior_, rows, walks);
    for (std::size_t i = 0; i < looks.size(); ++i) contenders[i].value = looks[i].value();
  }

  // No step begins that, by what those before it took, would not be done in time, with what judging
  // the place takes after it.
  void take_few_steps(Contender& contender) {
    constexpr double steps_of_judging = 0.5;
    MaximizeOptions options;
    options.max_iterations = options_.max_iterations;
    options.tolerance = worth_a_step * static_cast<double>(data_.rows().size());
    options.least_promise = options.tolerance;
    const double begin = wall_seconds();
    std::size_t num_done = 0;  // the gradient at the start counts as a step
    if (work_.stepping) work_.stepping(0, options.max_iterations);
    options.should_stop = [&] {
      if (work_.is_over()) return true;
      if (work_.stepping && num_done > 0) work_.stepping(num_done, options_.max_iterations);
      const double seconds = wall_seconds() - begin;
      const double step = seconds / static_cast<double>(++num_done);
      return options_.time_limit > 0.0 &&
             seconds + (1.0 + steps_of_judging) * step > options_.time_limit;
    };
    const std::unique_ptr<MaximizingStepper> stepper = newton_stepper(contender.place, options);
    Stepper* walk = stepper.get();
    work_.lead(kernel_, prior_, data_.rows(), {&walk, 1});
    take(contender, *stepper, true);
  }

  // Each goes uphill from where it is.
  void race(std::vector<Contender>& contenders, const TrainingRows& rows,
            std::size_t max_iterations, double tolerance, StepperMaker make_stepper) {
    MaximizeOptions options;
    options.max_iterations = std::min(max_iterations, options_.max_iterations);
    options.tolerance = tolerance;
    options.should_stop = work_.should_stop();
    std::vector<std::unique_ptr<MaximizingStepper>> steppers;
    std::vector<Stepper*> walks;
    for (const Contender& contender : contenders) {
      steppers.push_back(make_stepper(contender.place, options));
      walks.push_back(steppers.back().get());
    }
    work_.lead(kernel_, prior_, rows, walks);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      take(contenders[i], *steppers[i], &rows == &data_.rows());
    }
  }

  // What a walk has come to.
  void take(Contender& contender, const MaximizingStepper& stepper, bool is_of_all_rows) {
    if (!stepper.is_done()) {  // it has not begun: time is up
      contender.reason = StopReason::stopped;
      return;
    }
    const MaximizeSummary& summary = stepper.summary();
    contender.reason = summary.reason;
    contender.value = summary.value;
    contender.place = summary.place;
    if (summary.reason == StopReason::converged && is_of_all_rows) optima_.push_back(summary.value);
  }

  std::size_t num_distinct_optima() {
    std::sort(optima_.begin(), optima_.end());
    std::size_t count = optima_.empty() ? 0 : 1;
    for (std::size_t i = 1; i < optima_.size(); ++i) {
      if (optima_[i] - optima_[i - 1] > different_optimum) ++count;
    }
    return count;
  }

  MapFit finished(std::vector<Contender> contenders, std::size_t num_starts) {
    MapFit fit;
    fit.num_starts = num_starts;
    fit.num_distinct_optima = num_distinct_optima();
    keep_best(contenders, contenders.size());
    if (contenders.empty()) {
      if (work_.is_over()) fit.reason = StopReason::stopped;
      return fit;
    }
    fit.place = contenders.front().place;
    fit.value = contenders.front().value;
    fit.reason = contenders.front().reason;
    return fit;
  }

  const Expression& kernel_;
  const LogPrior& prior_;
  const FitData& data_;
  const EvidenceOptions& options_;
  FitWork& work_;
  Random random_;
  std::vector<double> optima_;  // log posteriors where walks on all rows converged
};

}  // namespace

MapFit fit_map(const Expression& kernel, const LogPrior& prior, const FitData& data,
               const EvidenceOptions& options, const std::vector<WarmStart>& warm_starts,
               FitWork& work) {
  MapFitter fitter(kernel, prior, data, options, work);
  if (options.starts == StartValues::known) {
    if (std::optional<MapFit> fit = fitter.from_known(warm_starts)) return *std::move(fit);
  }
  const bool is_informed =
      options.starts == StartValues::informed || options.starts == StartValues::known;
  return is_informed ? fitter.informed(warm_starts) : fitter.plain();
}

}  // namespace covary
