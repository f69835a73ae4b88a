#pragma once

#include <vector>

#include <covary/dataset.h>
#include <covary/evidence.h>

#include "evidence/prior_scales.h"
#include "evidence/start_values.h"
#include "inference/likelihood.h"

namespace covary {

// The data that fits see, with what was learnt from them once for all kernels.
class FitData {
 public:
  FitData(const Dataset& data, MeanFunction mean, Priors priors = Priors::paper);
  // Of some rows of `whole`, which says what is usual of the inputs.
  FitData(const Dataset& data, const Dataset& whole, MeanFunction mean, Priors priors);
  // With a sample of the caller's own.
  FitData(Dataset data, Dataset sample, const Dataset& whole, MeanFunction mean, Priors priors);

  const Dataset& data() const { return data_; }
  const TrainingRows& rows() const { return rows_; }
  const DataHints& hints() const { return hints_; }
  std::span<const InputScale> prior_scales() const { return prior_scales_; }

  // Some of the rows, to rank and refine starts cheaply; all of them if there are few.
  const TrainingRows& sample() const { return sample_rows_; }
  bool is_sampled() const { return sample_rows_.size() < rows_.size(); }

  // Of thousands of rows, three times as many from one to the next: a walk that has found its hill
  // on few needs few steps on more. Empty where all rows are not many more than the first would be.
  const std::vector<TrainingRows>& rungs() const { return rung_rows_; }

 private:
  Dataset data_;
  Dataset sample_;
  std::vector<Dataset> rungs_;
  TrainingRows rows_;
  TrainingRows sample_rows_;
  std::vector<TrainingRows> rung_rows_;
  DataHints hints_;
  std::vector<InputScale> prior_scales_;
};

}  // namespace covary
