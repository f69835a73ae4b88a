#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include <covary/expression.h>
#include <covary/search.h>

namespace covary::app {

// How a search gets on, on stderr: one line that changes on a terminal, a line each elsewhere.
class Progress final : public SearchObserver {
 public:
  Progress(InputNames inputs, std::size_t num_rows, const SearchOptions& options);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;

  void screened(const Dataset& kept) override;
  void starting(std::size_t num_planned, std::size_t num_done) override;
  void climbing(std::size_t num_rows, std::size_t num_planned) override;
  void evaluated(const SearchRecord& record) override;
  void recorded(const SearchRecord& record, const SearchRecord* best) override;
  void ended(SearchEnd end, const std::optional<double>& expected_gain) override;
  void conditioning(const WorkEstimate& estimate) override;
  void refining(const WorkEstimate& estimate, std::size_t num_kernels,
                std::size_t num_steps) override;
  void stepping(std::size_t num_done, std::size_t num_at_most) override;
  void finishing(std::size_t num_finalists) override;

 private:
  std::string time_left() const;
  void begin_rung(std::size_t num_planned);
  void show(const std::string& line);

  InputNames inputs_;
  std::size_t num_rows_;
  bool has_open_end_;  // then the number of evaluations is the most there can be
  double time_limit_;
  double start_ = 0.0;
  double begin_ = 0.0;  // of the first evaluation that is new
  std::size_t num_evaluations_ = 0;
  std::size_t num_recorded_ = 0;
  std::size_t num_new_ = 0;             // of the recorded
  double new_work_ = 0.0;               // that they were, in a unit of its own
  double largest_work_ = 0.0;           // of any one recorded
  std::set<std::size_t> are_new_ = {};  // not found on disk; by index
  double seconds_of_steps_ = 0.0;       // on all rows, as estimated
  bool is_terminal_;
  std::mutex mutex_;  // of what is shown: steps are told of by the thread that takes them
  bool has_line_ = false;
};

}  // namespace covary::app
