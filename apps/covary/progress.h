#pragma once

#include <cstddef>
#include <string>

#include <covary/expression.h>
#include <covary/search.h>

namespace covary::app {

// How a search gets on, on stderr: one line that changes on a terminal, a line each elsewhere.
class Progress final : public SearchObserver {
 public:
  Progress(InputNames inputs, std::size_t num_rows, std::size_t num_evaluations);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;

  void recorded(const SearchRecord& record, const SearchRecord* best) override;
  void finishing(std::size_t num_finalists) override;

 private:
  void show(const std::string& line);

  InputNames inputs_;
  double num_rows_;
  std::size_t num_evaluations_;
  double begin_;
  std::size_t num_done_ = 0;
  std::size_t num_resumed_ = 0;
  bool is_terminal_;
  bool has_line_ = false;
};

}  // namespace covary::app
