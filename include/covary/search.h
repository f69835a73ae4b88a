#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <covary/dataset.h>
#include <covary/ensemble.h>
#include <covary/evidence.h>
#include <covary/expression.h>
#include <covary/grammar.h>
#include <covary/holdout.h>
#include <covary/long_work.h>
#include <covary/model.h>
#include <covary/screening.h>
#include <covary/settings.h>

namespace covary {

enum class SearchMethod {
  sot,        // Bayesian optimisation with the symbolic transport distance (paper, algorithm 1)
  hellinger,  // the same with the distance of two kernels as priors on the data (BOMS)
  greedy,     // all neighbours of the best kernel, again and again (CKS)
  treegep,    // genetic programming with mutation and crossover
  random,     // random neighbours of random kernels that were proposed before
};

// Which kernels count as evaluated already, and are not proposed again.
enum class Uniqueness {
  none,
  tree,
  polynomial,
  family,  // nor is a kernel proposed that has more base kernels than its shortest form
};

// How the next kernel is chosen: the paper's way, or with what we found to help (scaled values,
// weak priors, no tree twice, every second one a small change of the best).
enum class Acquisition { informed, paper };

// What the predictions of a kernel are averaged over: what the data leave open about its
// parameters, or nothing, which leaves the best ones.
enum class Average { parameters, none };

// On which rows kernels are compared: on few at first, and the best of them on more, where there
// are many; or always on all.
enum class Fidelity { automatic, exact };

std::size_t num_cores();

struct SearchOptions {
  // Evidence goes on rising slowly as kernels grow, long after people can read them.
  SearchSpaceOptions space = {.max_leaves = 10};
  // Its threads, seed and time limit are those of the search. Fewer starts than for one kernel by
  // itself: similar kernels hand theirs on, and the finalists get more. A transform of the target
  // that is left open is chosen by a few evaluations before those of the search.
  EvidenceOptions evidence = {.transform = std::nullopt, .restarts = 20};
  SearchMethod method = SearchMethod::sot;
  // All evaluations, the initial set included. Without it, the search ends when nothing more is to
  // be expected (has_open_end), or after the initial set and 50 more.
  std::optional<std::size_t> max_evaluations = {};
  double time_limit = 0.0;  // of the whole search in seconds; 0: none
  std::uint64_t seed = 1;
  std::size_t threads = num_cores();
  // Kernels under way at a time follow from the number of threads, and with them what is known when
  // the next one is proposed. With this, they do not: the result is the same for any number.
  bool deterministic = false;
  Uniqueness unique = Uniqueness::family;
  std::size_t population = 100;  // of the evolutionary search for the next kernel
  std::size_t generations = 10;
  bool warm_starts = true;    // fits start also from the parameters of similar kernels
  std::size_t finalists = 5;  // of the best kernels that are fitted once more, with more starts
  // The most kernels that make up the model; if not given, of one input the best 5, of several up
  // to 13 of all kinds, fewer from 780 rows on, 3 up to 12,000 rows, then 1.
  std::optional<std::size_t> ensemble = {};
  Average average = Average::parameters;  // of their predictions
  Acquisition acquisition = Acquisition::informed;
  Fidelity fidelity = Fidelity::automatic;
  // So many inputs at the most, those that say most of the target one by one (screening.h); 0: all
  // of them; if not given, most_inputs_by_default.
  std::optional<std::size_t> screen = {};

  // `--preset paper`: to the letter of the paper and its reference implementation.
  static SearchOptions paper();
};

const std::vector<Setting<SearchOptions>>& search_settings();

// Every setting of the search, its space and its evidence: name and value.
std::vector<std::pair<std::string, std::string>> settings_of(const SearchOptions& options);

// Sets one of them by its name. Throws Error if there is no such setting or value.
void set_setting(SearchOptions& options, const std::string& name, const std::string& value);

// Whether the search looks for its end itself: no number of evaluations is given, and its method
// and acquisition say what they expect of the next kernels (docs/search.md, Budget).
bool has_open_end(const SearchOptions& options);
inline constexpr std::size_t kernels_looked_ahead = 20;  // by that search, each time

// Evaluations that the search will do at the most, on the first of its rungs where it has several.
std::size_t num_planned_evaluations(const SearchOptions& options, const SearchSpace& space);
// Those of a search that does not look for its end.
std::size_t num_usual_evaluations(const SearchSpace& space);

// One evaluation of the search, in the order of proposals.
struct SearchRecord {
  std::size_t index = 0;  // from a million on those on the second rung, and so on
  Expression kernel;
  Evidence evidence;
  bool is_initial = false;
  double wall_seconds = 0.0;         // from the beginning of the search to the evaluation's end
  double acquisition_seconds = 0.0;  // CPU time that proposing it took
  // What the surrogate expected, per row, and its weights of base, paths and subtrees.
  std::optional<double> predicted_mean = {};
  std::optional<double> predicted_sd = {};
  std::vector<double> weights = {};
};

enum class SearchEnd { max_evaluations, time_limit, interrupted, exhausted, nothing_expected };
std::string_view to_string(SearchEnd end);
std::optional<SearchEnd> search_end_from(std::string_view word);  // none for another word

// "the time was up": why a search ended; `expected_gain` is that of its result.
std::string end_words(SearchEnd end, const std::optional<double>& expected_gain = {});

// One of the best kernels, after it was fitted once more.
struct Finalist {
  Expression kernel;
  Evidence evidence;
  // Judged on some of the rows, and so near to the best one that all of them may say the opposite
  // (docs/math/undecided.md).
  bool is_undecided = false;
};

// By how much the value of a finalist is less than that of the best on the same rows, which comes
// before it.
double behind(const std::vector<Finalist>& finalists, std::size_t place);

struct SearchResult {
  std::string kernel;  // the best one, with the inputs' names
  FittedModel model;   // and fitted
  Ensemble ensemble;   // the best SearchOptions::ensemble models; what the model file holds
  double value;        // of the criterion, on the rows that the finalists were judged on
  double value_per_row;
  // Best first. Of many rows, what is fitted to all of them comes before what it was chosen from,
  // on fewer: values compare on equal rows.
  std::vector<Finalist> finalists;
  std::vector<SearchRecord> history;  // in the order of proposals
  SearchEnd end;
  std::uint64_t seed;
  std::size_t failed_evaluations;
  double seconds;              // wall-clock time, over all parts of a resumed search
  double oracle_seconds;       // CPU time of all evaluations of the history
  double acquisition_seconds;  // CPU time of all proposals
  // What the next kernels_looked_ahead kernels promised in the end, in nats; of a search that looks
  // for its end itself.
  std::optional<double> expected_gain = {};
  // On the rows of RunOptions::holdout.
  std::optional<HoldoutFigures> holdout = {};
};

// Thrown if a search was interrupted before it had a model: before the first kernel had a value, or
// while the best was conditioned on many rows.
class SearchInterrupted : public std::runtime_error {
 public:
  SearchInterrupted() : std::runtime_error("interrupted before there was a model") {}
};

// Looks on; what it does cannot change the search, except by throwing.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;

  // Before anything else, where inputs were left out: the data that kernels are evaluated on.
  virtual void screened(const Dataset& kept) { static_cast<void>(kept); }
  // Once nothing stands in the way: evaluations in all, and those that an earlier part of the run
  // has done already.
  virtual void starting(std::size_t num_planned, std::size_t num_done) {
    static_cast<void>(num_planned);
    static_cast<void>(num_done);
  }
  // The best kernels so far are compared on more rows: so many evaluations follow at the most.
  virtual void climbing(std::size_t num_rows, std::size_t num_planned) {
    static_cast<void>(num_rows);
    static_cast<void>(num_planned);
  }
  // The best kernel, or the best so many, is fitted to all rows: what that will take for each at
  // the most, and in how many steps.
  virtual void refining(const WorkEstimate& estimate, std::size_t num_kernels,
                        std::size_t num_steps) {
    static_cast<void>(num_steps);
    climbing(estimate.num_rows, num_kernels);
  }
  // Before each of them, by the thread that takes it.
  virtual void stepping(std::size_t num_done, std::size_t num_at_most) {
    static_cast<void>(num_done);
    static_cast<void>(num_at_most);
  }
  // The moment that an evaluation is done, by whichever thread did it, one at a time.
  virtual void evaluated(const SearchRecord& record) { static_cast<void>(record); }
  // Once it has its place in the history: `best` is the best record up to then, or null.
  virtual void recorded(const SearchRecord& record, const SearchRecord* best) {
    static_cast<void>(record);
    static_cast<void>(best);
  }
  // Why no further kernel is evaluated, once it is so; not told of a search that was interrupted.
  virtual void ended(SearchEnd end, const std::optional<double>& expected_gain) {
    static_cast<void>(end);
    static_cast<void>(expected_gain);
  }
  // Before the finalists are fitted once more.
  virtual void finishing(std::size_t num_finalists) { static_cast<void>(num_finalists); }
  // Before a model of many rows is conditioned on all of them: what that will take.
  virtual void conditioning(const WorkEstimate& estimate) { static_cast<void>(estimate); }
};

// Throws Error that names the option if a value is impossible; whoever searches does so first.
void check_options(const SearchOptions& options);

// What a search of so many rows computes its likelihoods on: a device's name or "CPU".
std::string device_used(const SearchOptions& options, std::size_t num_rows);

// The data with the inputs that a search with these options keeps.
Dataset screened(const Dataset& data, const SearchOptions& options);

// Finds the kernel with the largest criterion (paper, algorithm 1). Stops soon after `interrupted`
// becomes true. Throws Error if an option is impossible, the data do not fit into memory, or no
// kernel can be fitted.
SearchResult search(const Dataset& data, const SearchOptions& options = {},
                    const std::vector<SearchObserver*>& observers = {},
                    const std::atomic<bool>* interrupted = nullptr);

// A search kept in a folder, evaluation by evaluation; docs/run_folder.md.
struct RunOptions {
  std::string folder;
  bool resume = false;  // go on with the run that is there
  bool force = false;   // replace the run that is there
  // What else the run depends on (how rows were chosen, say): name and value, compared on resume.
  std::vector<std::pair<std::string, std::string>> settings = {};
  // Rows that were kept from the search: how well it predicts them belongs to the run.
  std::optional<Dataset> holdout = {};
};
void check_options(const RunOptions& run);  // as that of SearchOptions

SearchResult search_in_folder(const Dataset& data, const SearchOptions& options,
                              const RunOptions& run,
                              const std::vector<SearchObserver*>& observers = {},
                              const std::atomic<bool>* interrupted = nullptr);

}  // namespace covary
