#include "search/ladder.h"

#include <algorithm>
#include <array>

#include "evidence/memory.h"
#include "search/search_setup.h"

namespace covary {
namespace {

constexpr std::size_t first_rows = 500;
constexpr std::size_t growth = 3;
// A fit of more takes minutes on one core.
constexpr std::size_t most_rows = 4500;
constexpr std::size_t most_rows_of_all = 6000;
constexpr std::size_t proposals_above = 4;  // on the second rung
constexpr std::array<std::size_t, 3> promotions = {10, 4, 3};

}  // namespace

std::vector<Rung> ladder_of(std::size_t num_rows, const SearchOptions& options) {
  const bool is_short = 2 * num_rows <= 3 * first_rows;
  if (is_short || options.fidelity == Fidelity::exact) return {{num_rows, 0, 0, 0}};
  const bool ends_with_all = num_rows <= most_rows_of_all;
  const std::size_t most = ends_with_all ? num_rows / 2 : most_rows;
  std::vector<Rung> rungs;
  for (std::size_t rows = first_rows; rungs.empty() || rows <= most; rows *= growth) {
    rungs.push_back({rows, rows, 0, 0});
  }
  if (ends_with_all) rungs.push_back({num_rows, 0, 0, 0});
  for (std::size_t r = 1; r < rungs.size(); ++r) {
    rungs[r].num_promoted = promotions[std::min(r, promotions.size()) - 1];
  }
  const bool can_be_refined = !ends_with_all && num_kept_rows(num_rows) == num_rows &&
                              options.warm_starts && options.evidence.criterion != Criterion::cv;
  if (can_be_refined) rungs.push_back({num_rows, 0, options.ensemble.value_or(1), 0, true});
  const bool learns = options.method == SearchMethod::sot && has_open_end(options);
  if (learns && rungs.size() > 1) rungs[1].num_proposed = proposals_above;
  return rungs;
}

std::string device_used(const SearchOptions& options, std::size_t num_rows) {
  return device_used(options.evidence.device, ladder_of(num_rows, options).back().num_rows);
}

double operations_of(const std::vector<SearchRecord>& records) {
  double sum = 0.0;
  for (const SearchRecord& record : records) {
    const Evidence& evidence = record.evidence;
    sum +=
        step_operations(evidence.rows) * (static_cast<double>(evidence.value_evaluations) / 3.0 +
                                          static_cast<double>(evidence.gradient_evaluations) / 1.5);
  }
  return sum;
}

double step_operations(std::size_t num_rows) {
  const auto n = static_cast<double>(num_rows);
  return n * n * n;
}

std::vector<Expression> promoted(const std::vector<SearchRecord>& below, std::size_t count,
                                 const std::vector<Expression>& always) {
  std::vector<Expression> kernels;
  const auto is_new = [&](const Expression& kernel) {
    return std::none_of(kernels.begin(), kernels.end(),
                        [&](const Expression& other) { return same_polynomial(kernel, other); });
  };
  std::vector<SearchRecord> wanted;
  std::copy_if(below.begin(), below.end(), std::back_inserter(wanted),
               [&](const SearchRecord& record) {
                 return std::any_of(always.begin(), always.end(), [&](const Expression& kernel) {
                   return same_polynomial(kernel, record.kernel);
                 });
               });
  const auto add = [&](const std::vector<Finalist>& finalists) {
    for (const Finalist& finalist : finalists) {
      if (is_new(finalist.kernel)) kernels.push_back(finalist.kernel);
    }
  };
  // The best one first, and those of other kinds before what may be the same kernel with small
  // changes: the time may be up before the last.
  add(best_of(below, 1));
  add(best_of(wanted, wanted.size()));
  add(best_of(below, count));
  return kernels;
}

}  // namespace covary
