#include "search/search_setup.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <covary/kernels.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "evidence/memory.h"
#include "search/averaged_model.h"
#include "search/first_sentences.h"
#include "search/seen_kernels.h"
#include "search/transform_choice.h"
#include "search/undecided.h"

namespace covary {
namespace {

constexpr std::size_t walk_length = 2;  // of the initial set (paper, A.6)
constexpr std::size_t default_iterations = 50;
constexpr std::size_t most_evaluations = 200;     // of a search that looks for its end itself
constexpr std::size_t most_joined_at_random = 8;  // of the initial set, beside the base kernels
constexpr std::size_t paper_steps_of_small_spaces = 6;  // paper, section D: airline
constexpr std::size_t more_starts = 4;                  // times as many for finalists
// Kernels under way in a search that is to be the same for any number of threads or workers.
constexpr std::size_t fixed_under_way = 3;

// What people would say first, and then the paper's initial set; unless repeats are allowed,
// kernels that are there already make way for further ones of the same making, and the last ones
// for the sentences. Of many inputs only some are joined at random: what the first kernels teach is
// of more use than further ones. Greedy search begins with the base kernels alone.
std::vector<Expression> initial_set(const Grammar& grammar, const SearchOptions& options) {
  if (options.method == SearchMethod::greedy) return grammar.start_kernels();
  Random random(combine64(options.seed, 0));
  std::vector<Expression> drawn = grammar.initial_kernels(walk_length, random);
  if (options.unique == Uniqueness::none) return drawn;
  SeenKernels seen(options.unique);
  const auto is_new = [&](const Expression& kernel) {
    if (seen.contains(kernel)) return false;
    seen.add(kernel);
    return true;
  };
  const bool has_sentences = options.unique == Uniqueness::family;
  std::vector<Expression> sentences;
  if (has_sentences) {
    FirstSentences first = first_sentences(grammar.space());
    sentences = std::move(first.usual);
    std::move(first.rare.begin(), first.rare.end(), std::back_inserter(sentences));
  }
  const std::size_t num_base_kernels = grammar.space().base_kernels.size();
  const auto num_longer = static_cast<std::size_t>(
      std::count_if(sentences.begin(), sentences.end(),
                    [](const Expression& sentence) { return !sentence.is_leaf(); }));
  const std::size_t size =
      has_sentences ? std::max(std::min(drawn.size(), num_base_kernels + most_joined_at_random),
                               num_base_kernels + num_longer)
                    : drawn.size();
  std::vector<Expression> kernels;
  std::copy_if(sentences.begin(), sentences.end(), std::back_inserter(kernels), is_new);
  if (has_sentences) {  // room is short, and every base kernel is to be known
    std::stable_partition(drawn.begin(), drawn.end(),
                          [](const Expression& kernel) { return kernel.is_leaf(); });
  }
  for (const Expression& kernel : drawn) {
    if (kernels.size() < size && is_new(kernel)) kernels.push_back(kernel);
  }
  return grammar.grow(std::move(kernels), size, random, is_new);
}

// Whether the method knows what to expect of kernels, in the informed way.
bool has_expectations(const SearchOptions& options) {
  const bool has_surrogate =
      options.method == SearchMethod::sot || options.method == SearchMethod::hellinger;
  return has_surrogate && options.acquisition == Acquisition::informed;
}

// Nothing is looked at before all options are known to be possible.
SearchSpace space_of(const SearchOptions& options, const InputNames& inputs) {
  check_options(options);
  return make_search_space(options.space, inputs);
}

// The kernel that says no more than a number.
std::string name_of_constant() {
  const auto kernels = all_base_kernels();
  const auto found = std::find_if(kernels.begin(), kernels.end(), [](const BaseKernel* one) {
    return !one->uses_input && !one->is_white;
  });
  return std::string((*found)->name);
}

// There is nothing to search for in a target that is the same in every row: the constant kernel
// says all of it, and no other one can say more.
SearchOptions suited_to(const Dataset* data, const InputNames& inputs, SearchOptions options) {
  if (data == nullptr || !data->has_constant_target()) return options;
  static_cast<void>(space_of(options, inputs));  // wrong options are wrong all the same
  options.space = {.space = name_of_constant(), .operators = "+"};
  options.evidence.transform = TargetTransform::none;
  options.max_evaluations = 1;
  options.ensemble = 1;
  options.average = Average::none;
  return options;
}

}  // namespace

bool has_open_end(const SearchOptions& options) {
  return !options.max_evaluations && has_expectations(options);
}

std::size_t num_usual_evaluations(const SearchSpace& space) {
  return (1 + walk_length) * space.base_kernels.size() + default_iterations;
}

std::size_t num_planned_evaluations(const SearchOptions& options, const SearchSpace& space) {
  const std::size_t usual = num_usual_evaluations(space);
  return options.max_evaluations.value_or(has_open_end(options) ? std::max(usual, most_evaluations)
                                                                : usual);
}

void check_has_end(const SearchOptions& options, const SearchSpace& space) {
  // Hours, where each takes some seconds.
  constexpr std::size_t most_without_asking = 2000;
  const std::size_t planned = num_planned_evaluations(options, space);
  if (options.max_evaluations || options.time_limit > 0.0 || planned <= most_without_asking) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("a search with {} base kernels would take up to {} evaluations and not "
                  "end within reason; keep the inputs that say most of the target with "
                  "{}, name those to use with {}, or say where it is to end "
                  "with {} or {}",
                  space.base_kernels.size(), planned, option_text("screen"), option_text("inputs"),
                  option_text("max_evaluations"), option_text("time_limit")));
}

SearchSetup::SearchSetup(const InputNames& inputs, const Dataset* data, SearchOptions options,
                         SearchStart start)
    : options_(suited_to(data, inputs, std::move(options))),
      grammar_(space_of(options_, inputs)),
      ladder_(ladder_of(data != nullptr ? data->num_rows() : 1, options_)) {
  const bool is_small = grammar_.space().base_kernels.size() <= 4;
  if (options_.acquisition == Acquisition::paper && is_small) {
    options_.generations = std::min(options_.generations, paper_steps_of_small_spaces);
  }
  if (data != nullptr) check_has_end(options_, grammar_.space());
  strategy_ = make_strategy(grammar_, options_, data);
  const bool is_constant = data != nullptr && data->has_constant_target();
  plan_.initial_kernels = is_constant ? grammar_.start_kernels() : initial_set(grammar_, options_);
  // Values of a measure that is not ours are in units of their own, which no rule knows.
  plan_.max_evaluations = data != nullptr
                              ? num_planned_evaluations(options_, grammar_.space())
                              : options_.max_evaluations.value_or(num_usual_evaluations());
  if (data != nullptr && has_open_end(options_)) plan_.stopping_rule = StoppingRule{};
  plan_.unique = options_.unique;
  plan_.simplifies_first = options_.unique == Uniqueness::family && has_expectations(options_);
  if (data == nullptr) plan_.num_under_way = options_.deterministic ? fixed_under_way : 1;
  if (data != nullptr) plan_for_rows();
  plan_.seed = options_.seed;
  plan_.warm_starts = options_.warm_starts;
  plan_.earlier_wall_seconds = start.wall_seconds;
  done_above_ = std::move(start.done);
  take_done();
  if (!are_finalists_refitted() && options_.time_limit > 0.0) {
    constexpr double most = 0.5;
    const auto num_models = static_cast<double>(most_kernels(*data, options_));
    share_for_the_end_ =
        std::min(num_models * model_seconds(data->num_rows()) / options_.time_limit, most);
  }
  if (data != nullptr && are_sentences_averaged(*data, options_)) {
    always_promoted_ = first_sentences(grammar_.space()).usual;
  }
  if (!options_.evidence.transform) options_.evidence.transform = start.transform;
  // Elsewhere all kernels are alike before data are seen, as in the paper: of several inputs nobody
  // knows beforehand which act together, and sentences stood in the way of what does.
  const bool are_kernels_weighed =
      inputs.size() == 1 && options_.evidence.priors == Priors::informed &&
      options_.unique == Uniqueness::family && is_log_evidence(options_.evidence.criterion);
  if (are_kernels_weighed) {
    FirstSentences first = first_sentences(grammar_.space());
    structure_prior_.emplace(grammar_.space(), std::move(first.usual), std::move(first.rare));
  }
}

void SearchSetup::plan_for_rows() {
  plan_.num_threads = rung().is_refinement ? 1  // whose steps take all threads
                                           : affordable_threads(rung().num_rows, options_.threads,
                                                                options_.evidence.device);
  // One more than threads, so that none of them waits for the order of the history.
  plan_.num_under_way = options_.deterministic  ? fixed_under_way
                        : plan_.num_threads > 1 ? plan_.num_threads + 1
                                                : 1;
  plan_.num_rows = static_cast<double>(rung().num_rows);
}

// What earlier parts have done on this rung.
void SearchSetup::take_done() {
  plan_.first_index = first_index_of(rung_);
  plan_.done.clear();
  const auto end = done_above_.lower_bound(first_index_of(rung_ + 1));
  for (auto next = done_above_.begin(); next != end;) {
    plan_.done.emplace(next->first - plan_.first_index, std::move(next->second));
    next = done_above_.erase(next);
  }
}

Evidence SearchSetup::judged(const Expression& kernel, Evidence evidence) const {
  if (!structure_prior_) return evidence;
  evidence.log_structure_prior = structure_prior_->log_probability(kernel);
  if (evidence.value) *evidence.value += evidence.log_structure_prior;
  return evidence;
}

void SearchSetup::choose_transform(const Dataset& data, const std::atomic<bool>* interrupted) {
  constexpr double share_of_time = 0.05;  // of a limit, for each evaluation
  EvidenceOptions evidence = this->evidence();
  evidence.time_limit = share_of_time * options_.time_limit;
  const double start = wall_seconds();
  options_.evidence.transform =
      covary::choose_transform(data, grammar_.space(), evidence, plan_.num_threads, interrupted)
          .transform;
  plan_.earlier_wall_seconds += wall_seconds() - start;
}

EvidenceOptions SearchSetup::evidence() const {
  EvidenceOptions evidence = options_.evidence;
  evidence.seed = options_.seed;
  evidence.threads = 1;
  evidence.time_limit = 0.0;
  evidence.judged_rows = rung().judged_rows;
  if (rung_ > 0 && evidence.starts == StartValues::informed) evidence.starts = StartValues::known;
  if (rung().is_refinement) {
    evidence.few_steps = true;
    evidence.starts = StartValues::known;
    evidence.threads = options_.threads;
    evidence.time_limit = seconds_left_;
    evidence.max_iterations = std::min(evidence.max_iterations, num_steps_);
  }
  return evidence;
}

EvidenceOptions SearchSetup::evidence_of_finalists() const {
  EvidenceOptions evidence = this->evidence();
  evidence.restarts *= more_starts;
  evidence.seed = combine64(options_.seed, more_starts);
  return evidence;
}

std::vector<Finalist> best_of(const std::vector<SearchRecord>& records, std::size_t count) {
  std::vector<const SearchRecord*> ranked;
  for (const SearchRecord& record : records) {
    if (record.evidence.value) ranked.push_back(&record);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const SearchRecord* a, const SearchRecord* b) {
    return *a->evidence.value > *b->evidence.value;
  });
  std::vector<Finalist> best;
  for (const SearchRecord* record : ranked) {
    if (best.size() == count) break;
    const bool is_new = std::none_of(best.begin(), best.end(), [&](const Finalist& other) {
      return same_polynomial(record->kernel, other.kernel);
    });
    if (is_new) best.push_back({record->kernel, record->evidence});
  }
  return best;
}

std::vector<Finalist> finalists_of(const std::vector<SearchRecord>& history,
                                   const std::vector<Rung>& ladder, const SearchOptions& options,
                                   SearchEnd end) {
  // Values of different rungs do not compare.
  std::size_t highest = 0;
  for (const SearchRecord& record : history) {
    if (record.evidence.value) highest = std::max(highest, rung_of(record.index));
  }
  const auto best_on = [&](std::size_t rung) {
    std::vector<SearchRecord> compared;
    std::copy_if(history.begin(), history.end(), std::back_inserter(compared),
                 [&](const SearchRecord& record) { return rung_of(record.index) == rung; });
    return best_of(compared, std::max(options.finalists, options.ensemble.value_or(1)));
  };
  std::vector<Finalist> finalists = best_on(highest);
  if (highest < ladder.size() && ladder[highest].is_refinement) {
    std::ranges::move(best_on(highest - 1), std::back_inserter(finalists));
  }
  if (!finalists.empty()) return finalists;
  if (end == SearchEnd::interrupted) throw SearchInterrupted();
  if (history.empty()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the time limit of {} s was reached before the first kernel was "
                            "evaluated",
                            shown_number(options.time_limit)));
  }
  const Evidence& first = history.front().evidence;
  throw Error(first.outcome == FitOutcome::out_of_memory ? ErrorKind::memory : ErrorKind::bad_data,
              fmt::format("none of {} kernels could be fitted: {}", history.size(), first.message));
}

double behind(const std::vector<Finalist>& finalists, std::size_t place) {
  const Evidence& evidence = finalists[place].evidence;
  const auto best = std::find_if(finalists.begin(), finalists.end(), [&](const Finalist& finalist) {
    return finalist.evidence.rows == evidence.rows;
  });
  return *best->evidence.value - *evidence.value;
}

void improve(Finalist& finalist, const Evidence& again) {
  if (again.value && again.log_posterior > finalist.evidence.log_posterior) {
    finalist.evidence = again;
  }
}

SearchResult result_of(const Dataset& data, const SearchOptions& options,
                       std::vector<Finalist> finalists, std::vector<SearchRecord> history,
                       double wall_seconds, SearchEnd end, const LongWork& work) {
  std::stable_sort(finalists.begin(), finalists.end(), [](const Finalist& a, const Finalist& b) {
    if (a.evidence.rows != b.evidence.rows) return a.evidence.rows > b.evidence.rows;
    return *a.evidence.value > *b.evidence.value;
  });
  const Finalist& best = finalists.front();
  const double value = *best.evidence.value;
  const Dataset explained = data.with_transform(best.evidence.transform);
  Ensemble ensemble = averaged_model(finalists, history, explained, options, end, work);
  const FittedModel model = ensemble.members().front();
  if (end != SearchEnd::interrupted) {
    LongWork asking = work;
    asking.starting = {};  // too little to tell of
    note_undecided(finalists, data, ensemble, options.evidence.mean, asking);
  }
  SearchResult result{model.kernel_text(),
                      model,
                      std::move(ensemble),
                      value,
                      value / best.evidence.num_rows(data.num_rows()),
                      std::move(finalists),
                      std::move(history),
                      end,
                      options.seed,
                      0,
                      wall_seconds,
                      0.0,
                      0.0};
  for (const SearchRecord& record : result.history) {
    result.failed_evaluations += record.evidence.value ? 0U : 1U;
    result.oracle_seconds += record.evidence.seconds;
    result.acquisition_seconds += record.acquisition_seconds;
  }
  return result;
}

}  // namespace covary
