#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/option_text.h>
#include <covary/screening.h>

namespace covary {
namespace {

// A wave of so many half turns over the input is the finest that is looked for: a year's in a
// series of sixteen years.
constexpr std::size_t most_terms = 32;
constexpr std::size_t rows_a_term = 3;
constexpr std::size_t most_rows = 20'000;  // what fewer show is shown well enough

using Values = std::vector<double>;

double product(const Values& a, const Values& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// From 0 to 1, equal values in the middle of the places that they share.
Values ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Values ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = 0.5 * static_cast<double>(first + end) / static_cast<double>(order.size());
    for (; first < end; ++first) ranks[order[first]] = rank;
  }
  return ranks;
}

// Of regressions on `num_terms` columns that explain that share of the target, with the prior of
// Zellner that counts as much as one row.
double log_bayes_factor(std::size_t num_rows, std::size_t num_terms, double share) {
  const auto n = static_cast<double>(num_rows);
  const double unexplained = std::max(1.0 - share, 0.0);
  return 0.5 * ((n - 1.0 - static_cast<double>(num_terms)) * std::log1p(n) -
                (n - 1.0) * std::log1p(n * unexplained));
}

// The target is centred and of length 1.
double relation_of_category(std::span<const double> levels, const Values& target) {
  const auto num_levels =
      static_cast<std::size_t>(*std::max_element(levels.begin(), levels.end())) + 1;
  Values sum(num_levels, 0.0);
  Values count(num_levels, 0.0);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    sum[static_cast<std::size_t>(levels[i])] += target[i];
    count[static_cast<std::size_t>(levels[i])] += 1.0;
  }
  double share = 0.0;
  std::size_t num_terms = 0;
  for (std::size_t level = 0; level < num_levels; ++level) {
    if (count[level] == 0.0) continue;
    share += sum[level] * sum[level] / count[level];
    ++num_terms;
  }
  const std::size_t most = levels.size() - 2;
  return log_bayes_factor(levels.size(), std::min(num_terms - 1, most), share);
}

// By polynomials in the cosine of the rank, made orthogonal over the rows one after the other: the
// cosines themselves where no value is there twice, and no more of them than there are values. The
// best number of them counts.
double relation_of_numbers(std::span<const double> input, const Values& target) {
  constexpr double nothing = 1e-8;  // what is left of a column once there is no value to tell apart
  const std::size_t n = input.size();
  Values place = ranks_of(input);
  for (double& x : place) x = std::cos(std::numbers::pi * x);
  const std::size_t terms = std::min(most_terms, std::max<std::size_t>(n / rows_a_term, 1));
  Values before(n, 0.0);
  Values now(n, 1.0 / std::sqrt(static_cast<double>(n)));
  double length = 0.0;
  double share = 0.0;
  double best = log_bayes_factor(n, 1, 0.0);
  for (std::size_t term = 1; term <= terms; ++term) {
    double along = 0.0;
    for (std::size_t i = 0; i < n; ++i) along += place[i] * now[i] * now[i];
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = (place[i] - along) * now[i] - length * before[i];
    }
    length = std::sqrt(product(before, before));
    if (length < nothing) break;
    for (double& value : before) value /= length;
    std::swap(before, now);
    const double slope = product(now, target);
    share += slope * slope;
    best = std::max(best, log_bayes_factor(n, term, share));
  }
  return best;
}

// Every k-th row, so that at most so many are left.
std::vector<std::size_t> rows_to_look_at(std::size_t num_rows) {
  const std::size_t step = (num_rows + most_rows - 1) / most_rows;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < num_rows; row += step) rows.push_back(row);
  return rows;
}

// Ranks, so that neither a transform of the target nor a far outlier counts.
Values centred_ranks(std::span<const double> target) {
  Values ranks = ranks_of(target);
  for (double& rank : ranks) rank -= 0.5;
  const double length = std::sqrt(product(ranks, ranks));
  for (double& rank : ranks) rank /= length > 0.0 ? length : 1.0;
  return ranks;
}

}  // namespace

std::vector<double> input_relations(const Dataset& all) {
  const Dataset data = all.num_rows() > most_rows ? all.rows(rows_to_look_at(all.num_rows())) : all;
  std::vector<double> relations(data.num_inputs(), 0.0);
  if (data.num_rows() < rows_a_term) return relations;
  const Values target = centred_ranks(data.target());
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    relations[i] = data.input_scaling(i).is_category() ? relation_of_category(data.input(i), target)
                                                       : relation_of_numbers(data.input(i), target);
  }
  return relations;
}

Dataset screened(const Dataset& data, std::size_t most) {
  if (most == 0 || data.num_inputs() <= most) return data;
  const std::vector<double> relations = input_relations(data);
  std::vector<std::size_t> columns(data.num_inputs());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::size_t a, std::size_t b) { return relations[a] > relations[b]; });
  columns.resize(most);
  std::sort(columns.begin(), columns.end());
  return data.with_inputs(columns);
}

std::optional<Dataset> with_inputs_named(const Dataset& data,
                                         const std::vector<std::string>& names) {
  const std::vector<std::string> all = data.input_names();
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto found = std::find(all.begin(), all.end(), name);
    if (found == all.end()) return std::nullopt;
    columns.push_back(static_cast<std::size_t>(found - all.begin()));
  }
  if (columns.empty()) return std::nullopt;
  return data.with_inputs(columns);
}

bool is_screened(const Dataset& data) { return data.num_candidates() > data.num_inputs(); }

std::string screening_note(const Dataset& kept) {
  constexpr std::size_t most_named = 8;
  return fmt::format(
      "{} of {} inputs are kept, those that say most of {} one by one: {}; one that matters only "
      "together with others is not seen: {} says how many to keep, {} which",
      kept.num_inputs(), kept.num_candidates(), quoted(kept.target_scaling().name),
      name_list(kept.input_names(), most_named), option_text("screen"), option_text("inputs"));
}

}  // namespace covary
