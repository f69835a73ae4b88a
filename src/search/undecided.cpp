#include "search/undecided.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evidence/judged_rows.h"

namespace covary {
namespace {

// The spread of differences is asked of no more rows: it is one number.
constexpr std::size_t most_asked_rows = 2'000;

// Sums of so many neighbours hardly depend on each other any more.
constexpr std::size_t rows_of_block = 50;

double sum_of_squares(std::span<const double> values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
}

// As every row is predicted by the others, in the order of the input where there is only one.
std::vector<double> log_densities(const Finalist& finalist, const Dataset& data,
                                  const std::vector<std::size_t>& rows, MeanFunction mean,
                                  const LongWork& work) {
  const Dataset asked = data.with_transform(finalist.evidence.transform).rows(rows);
  const FittedModel model(finalist.kernel, finalist.evidence.parameters, asked, mean, work);
  return model.leave_one_out_log_density(work);
}

std::vector<std::size_t> rows_to_ask(const Dataset& data, std::size_t num_judged) {
  std::vector<std::size_t> rows = judged_rows(data, std::min(num_judged, most_asked_rows));
  if (data.is_curve()) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return data.input(0)[a] < data.input(0)[b];
    });
  }
  return rows;
}

void note_those_within_the_error(std::vector<Finalist>& finalists, const Dataset& data,
                                 MeanFunction mean, const LongWork& work) {
  // Behind what was fitted to all rows come those that it was chosen from.
  const std::size_t compared = finalists.back().evidence.rows;
  const auto first =
      std::find_if(finalists.begin(), finalists.end(),
                   [&](const Finalist& finalist) { return finalist.evidence.rows == compared; });
  const Finalist& best = *first;
  const auto num_rows = static_cast<double>(data.num_rows());
  const double num_judged = best.evidence.num_rows(data.num_rows());
  if (num_judged >= num_rows) return;
  const std::vector<std::size_t> rows = rows_to_ask(data, static_cast<std::size_t>(num_judged));
  const std::vector<double> of_best = log_densities(best, data, rows, mean, work);
  for (auto next = first + 1; next != finalists.end(); ++next) {
    Finalist& finalist = *next;
    std::vector<double> differences = log_densities(finalist, data, rows, mean, work);
    for (std::size_t i = 0; i < differences.size(); ++i)
      differences[i] = of_best[i] - differences[i];
    const double extra_parameters = static_cast<double>(best.kernel.num_parameters()) -
                                    static_cast<double>(finalist.kernel.num_parameters());
    const ExpectedLead lead =
        expected_lead(*best.evidence.value - *finalist.evidence.value, differences, data.is_curve(),
                      num_judged, num_rows, extra_parameters);
    finalist.is_undecided = !lead.is_certain();
  }
}

const FittedModel* model_of(const Ensemble& ensemble, const Expression& kernel) {
  const auto member = std::find_if(
      ensemble.members().begin(), ensemble.members().end(),
      [&](const FittedModel& model) { return same_polynomial(model.kernel(), kernel); });
  return member == ensemble.members().end() ? nullptr : &*member;
}

void note_overlapping_intervals(std::vector<Finalist>& finalists, const Ensemble& ensemble) {
  const FittedModel::Interval best = ensemble.members().front().log_marginal_likelihood_interval();
  for (std::size_t f = 1; f < finalists.size(); ++f) {
    const FittedModel* model = model_of(ensemble, finalists[f].kernel);
    if (model == nullptr || model->is_exact()) continue;
    const FittedModel::Interval other = model->log_marginal_likelihood_interval();
    if (other.upper > best.lower && best.upper > other.lower) finalists[f].is_undecided = true;
  }
}

}  // namespace

ExpectedLead expected_lead(double lead_on_judged, std::span<const double> differences,
                           bool are_in_order, double num_judged, double num_rows,
                           double extra_parameters) {
  std::vector<double> sums;
  const std::size_t size = are_in_order ? rows_of_block : 1;
  for (std::size_t first = 0; first + size <= differences.size(); first += size) {
    const auto block = differences.subspan(first, size);
    sums.push_back(std::accumulate(block.begin(), block.end(), 0.0));
  }
  const double others = num_rows - num_judged;
  if (sums.size() < 2 || others <= 0.0) return {lead_on_judged, 0.0};
  const auto count = static_cast<double>(sums.size());
  const auto rows_of_sum = static_cast<double>(size);
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / count;
  const double variance = sum_of_squares(sums, mean) / (count - 1.0) / rows_of_sum;
  // Half a nat is what parameters gain where they were fitted, and what it costs to learn them.
  const double price = 0.5 * (others / num_judged + std::log(num_rows / num_judged));
  return {lead_on_judged + others * mean / rows_of_sum - extra_parameters * price,
          others * std::sqrt(variance * (1.0 / (count * rows_of_sum) + 1.0 / others))};
}

void note_undecided(std::vector<Finalist>& finalists, const Dataset& data, const Ensemble& model,
                    MeanFunction mean, const LongWork& work) {
  if (finalists.size() < 2) return;
  note_those_within_the_error(finalists, data, mean, work);
  note_overlapping_intervals(finalists, model);
}

}  // namespace covary
