#include "evidence/fit_data.h"

#include <utility>

#include "evidence/judged_rows.h"
#include "evidence/row_sample.h"
#include "evidence/training_rows.h"

namespace covary {
namespace {

constexpr std::size_t max_unsampled_rows = 200;
constexpr std::size_t sample_size = 125;

Dataset sample_of(const Dataset& data) {
  if (data.num_rows() <= max_unsampled_rows) return data;
  return data.rows(row_sample(data, sample_size));
}

// As searches climb (search/ladder.cpp), but to the end in every fit.
std::vector<Dataset> rungs_of(const Dataset& data) {
  constexpr std::size_t first_rows = 1500;
  constexpr std::size_t growth = 3;
  std::vector<Dataset> rungs;
  for (std::size_t rows = first_rows; 2 * rows <= data.num_rows(); rows *= growth) {
    rungs.push_back(data.rows(judged_rows(data, rows)));
  }
  return rungs;
}

std::vector<TrainingRows> training_rows_of(const std::vector<Dataset>& data, MeanFunction mean) {
  std::vector<TrainingRows> rows;
  rows.reserve(data.size());
  for (const Dataset& some : data) rows.push_back(training_rows(some, mean));
  return rows;
}

}  // namespace

FitData::FitData(const Dataset& data, MeanFunction mean, Priors priors)
    : FitData(data, data, mean, priors) {}

FitData::FitData(const Dataset& data, const Dataset& whole, MeanFunction mean, Priors priors)
    : FitData(data, sample_of(data), whole, mean, priors) {}

FitData::FitData(Dataset data, Dataset sample, const Dataset& whole, MeanFunction mean,
                 Priors priors)
    : data_(std::move(data)),
      sample_(std::move(sample)),
      rungs_(rungs_of(data_)),
      rows_(training_rows(data_, mean)),
      sample_rows_(training_rows(sample_, mean)),
      rung_rows_(training_rows_of(rungs_, mean)),
      hints_(data_hints(training_rows(whole, mean).inputs, whole.target(), inputs_of(whole))),
      prior_scales_(covary::prior_scales(whole, priors)) {}

}  // namespace covary
