#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <covary/dataset.h>

#include "paper_data.h"

namespace covary::paper {

// What the user has asked for; the same for every experiment.
struct Plan {
  std::string data_folder;
  std::string out_folder;
  std::vector<PaperData> sets;  // those whose files are there, in the paper's order
  std::vector<std::uint64_t> seeds;
  std::vector<std::string> presets;  // "default", "paper"
  std::vector<std::string> methods;  // "sot", "hellinger", ...
  std::uint64_t split_seed = 1;      // of training and test rows: one split for all seeds
  std::size_t threads = 1;
  std::size_t kernels = 500;   // of meta-regression: for training, and for testing
  bool quick = false;          // few rows, few evaluations: whether it works, not what comes out
  bool finished_only = false;  // tables and figures of what is there, without further work
  const std::atomic<bool>* interrupted = nullptr;

  std::size_t rows_of(const PaperData& data) const;
  TrainingAndTest split(const PaperData& data) const;
  // Only the sets of those names, in that order, as far as they are there.
  std::vector<PaperData> sets_named(const std::vector<std::string>& names) const;
};

}  // namespace covary::paper
