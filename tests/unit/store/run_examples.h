#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/expression.h>
#include <covary/random.h>

#include "store/run_store.h"
#include "unit/random_expression.h"

namespace covary {

// A folder of its own that is removed at the end. In memory where that can be: every stored row
// waits for the disk, which is slow while something else writes, and no test takes its power away.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_("/dev/shm/covary_run_XXXXXX") {
    if (mkdtemp(path_.data()) != nullptr) return;
    path_ = testing::TempDir() + "covary_run_XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }
  std::string run() const { return path_ + "/airline.covary"; }

 private:
  std::string path_;
};

// Any double but NaN: of every size, denormal, zero of either sign, infinite.
inline double random_double(Random& random) {
  while (true) {
    const auto number =
        std::bit_cast<double>((random.index(1ULL << 32U) << 32U) | random.index(1ULL << 32U));
    const double odd[] = {0.0, -0.0, 5e-324, -5e-324, 1.0, -3.0, 1.0 / 0.0, 2e-310, 1e308};
    const double chosen = random.index(3) == 0 ? odd[random.index(std::size(odd))] : number;
    if (chosen == chosen) return chosen;
  }
}

inline std::vector<double> random_doubles(Random& random) {
  std::vector<double> numbers(random.index(12));
  for (double& number : numbers) number = random_double(random);
  return numbers;
}

inline std::string random_text(Random& random) {
  std::string text(random.index(60), ' ');
  for (char& c : text) c = static_cast<char>(random.index(256));
  return text;
}

// The same for the same index.
inline StoredEvaluation example_evaluation(std::size_t index) {
  Random random(index);
  StoredEvaluation e;
  e.index = index;
  e.kernel = to_string(random_expression(random, 1 + random.index(6), 3));
  if (random.index(4) != 0) e.value = random_double(random);
  e.outcome =
      to_string(e.value.has_value() ? FitOutcome::converged : FitOutcome::not_positive_definite);
  e.message = random_text(random);
  e.hessian_repaired = random.index(2) == 0;
  e.log_marginal_likelihood = random_double(random);
  e.log_prior = random_double(random);
  e.log_posterior = random_double(random);
  e.jitter = random_double(random);
  e.parameters = random_doubles(random);
  e.num_starts = random.index(100);
  e.num_distinct_optima = random.index(10);
  e.value_evaluations = random.index(1ULL << 40U);
  e.gradient_evaluations = random.index(1000);
  e.seconds = random_double(random);
  e.wall_seconds = random_double(random);
  e.acquisition_seconds = random_double(random);
  e.origin = random.index(2) == 0 ? "initial" : "proposed";
  if (random.index(2) == 0) e.predicted_mean = random_double(random);
  if (random.index(2) == 0) e.predicted_sd = random_double(random);
  e.weights = random_doubles(random);
  return e;
}

inline RunHeader example_header() {
  RunHeader header;
  header.seed = 18446744073709551615ULL;
  header.settings = {{"method", "sot"}, {"rows", ""}, {"max_evaluations", "62"}, {"seed", "7"}};
  header.data_fingerprint = "5e6bc18e428f613cf6c00133dc15c54d";
  return header;
}

// == takes -0.0 for 0.0; these do not.
inline std::vector<std::uint64_t> bits_of(const StoredEvaluation& e) {
  std::vector<double> numbers = {e.value.value_or(1.0),
                                 e.log_marginal_likelihood,
                                 e.log_prior,
                                 e.log_posterior,
                                 e.jitter,
                                 e.seconds,
                                 e.wall_seconds,
                                 e.acquisition_seconds,
                                 e.predicted_mean.value_or(1.0),
                                 e.predicted_sd.value_or(1.0)};
  numbers.insert(numbers.end(), e.parameters.begin(), e.parameters.end());
  numbers.insert(numbers.end(), e.weights.begin(), e.weights.end());
  std::vector<std::uint64_t> bits;
  bits.reserve(numbers.size());
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

inline bool is_same(const StoredEvaluation& one, const StoredEvaluation& other) {
  return one == other && bits_of(one) == bits_of(other);
}

// Whether they are example_evaluation(0), (1), ..., in this order, bit for bit.
inline bool are_examples(const std::vector<StoredEvaluation>& evaluations) {
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (!is_same(evaluations[i], example_evaluation(i))) return false;
  }
  return true;
}

}  // namespace covary
