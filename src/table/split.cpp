#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <covary/dataset.h>
#include <covary/error.h>
#include <covary/option_text.h>
#include <covary/random.h>

namespace covary {
namespace {

constexpr std::size_t min_training_rows = 3;

// How many rows are for training.
std::size_t num_training_rows(std::size_t num_rows, const SplitOptions& options) {
  const std::size_t holdout = options.holdout.value_or(0);
  if (!options.rows.has_value()) {
    if (holdout > num_rows) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} is more than the {} rows of the table",
                              option_text("holdout", std::to_string(holdout)), num_rows));
    }
    if (num_rows - holdout < min_training_rows) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} leaves {} of {} rows for training; at least {} are needed",
                              option_text("holdout", std::to_string(holdout)), num_rows - holdout,
                              num_rows, min_training_rows));
    }
    return num_rows - holdout;
  }
  const std::size_t rows = *options.rows;
  if (rows <= num_rows && holdout <= num_rows - rows) return rows;
  if (holdout == 0) {
    throw Error(ErrorKind::usage, fmt::format("{} is more than the {} rows of the table",
                                              option_text("rows", std::to_string(rows)), num_rows));
  }
  const bool has_sum = holdout <= std::numeric_limits<std::size_t>::max() - rows;
  throw Error(ErrorKind::usage,
              fmt::format("{} and {} need {} rows; the table has {}",
                          option_text("rows", std::to_string(rows)),
                          option_text("holdout", std::to_string(holdout)),
                          has_sum ? fmt::to_string(rows + holdout) : "too many", num_rows));
}

}  // namespace

Split split_rows(const Dataset& data, const SplitOptions& options) {
  check_settings(options, split_settings());
  const std::size_t num_rows = data.num_rows();
  const std::size_t num_training = num_training_rows(num_rows, options);
  const std::size_t num_holdout = options.holdout.value_or(0);
  if (num_training == num_rows) return {data, std::nullopt};

  Random random(options.seed);
  const std::vector<std::size_t> training = random.sample(num_rows, num_training);
  Split split{data.rows(training), std::nullopt};
  if (num_holdout == 0) return split;

  std::vector<std::size_t> all(num_rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> others;
  std::set_difference(all.begin(), all.end(), training.begin(), training.end(),
                      std::back_inserter(others));
  std::vector<std::size_t> holdout = random.sample(others.size(), num_holdout);
  for (std::size_t& index : holdout) index = others[index];
  split.holdout = data.rows(holdout);
  return split;
}

}  // namespace covary
