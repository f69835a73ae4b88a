#include "evidence/fit_data.h"

#include <utility>

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

}  // namespace

FitData::FitData(const Dataset& data, MeanFunction mean, Priors priors)
    : FitData(data, data, mean, priors) {}

FitData::FitData(const Dataset& data, const Dataset& whole, MeanFunction mean, Priors priors)
    : FitData(data, sample_of(data), whole, mean, priors) {}

FitData::FitData(Dataset data, Dataset sample, const Dataset& whole, MeanFunction mean,
                 Priors priors)
    : data_(std::move(data)),
      sample_(std::move(sample)),
      rows_(training_rows(data_, mean)),
      sample_rows_(training_rows(sample_, mean)),
      hints_(data_hints(training_rows(whole, mean).inputs, whole.target(), inputs_of(whole))),
      prior_scales_(covary::prior_scales(whole, priors)) {}

}  // namespace covary
