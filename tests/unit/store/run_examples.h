#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/evidence_fields.h>
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

inline void fill(double& value, Random& random) { value = random_double(random); }
inline void fill(bool& value, Random& random) { value = random.index(2) == 0; }
inline void fill(std::size_t& value, Random& random) { value = random.index(1ULL << 40U); }
inline void fill(std::string& value, Random& random) { value = random_text(random); }
inline void fill(std::vector<double>& value, Random& random) { value = random_doubles(random); }
inline void fill(std::optional<double>& value, Random& random) {
  if (random.index(4) != 0) value = random_double(random);
}
inline void fill(FitOutcome& value, Random& random) {
  value = static_cast<FitOutcome>(random.index(5));
}

inline void fill(TargetTransform& value, Random& random) {
  value = all_target_transforms()[random.index(all_target_transforms().size())];
}

// The same for the same index.
inline StoredEvaluation example_evaluation(std::size_t index) {
  Random random(index);
  StoredEvaluation e;
  e.index = index;
  e.kernel = to_string(random_expression(random, 1 + random.index(6), 3));
  for_each_evidence_field([&](const auto& field) { fill(e.evidence.*field.member, random); });
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
  header.is_scaled = true;
  header.rows_fingerprint = "0123456789abcdef0123456789abcdef";
  return header;
}

// Every bit of it as text; == would take -0.0 for 0.0.
class BitText {
 public:
  void add(double value) { text_ += fmt::format("{:x} ", std::bit_cast<std::uint64_t>(value)); }
  void add(bool value) { text_ += value ? "yes " : "no "; }
  void add(std::size_t value) { text_ += fmt::format("{} ", value); }
  void add(const std::string& value) { text_ += fmt::format("{}:{} ", value.size(), value); }
  void add(const std::vector<double>& values) {
    add(values.size());
    for (const double value : values) add(value);
  }
  void add(const std::optional<double>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  void add(FitOutcome value) { add(std::string(to_string(value))); }
  void add(TargetTransform value) { add(std::string(to_string(value))); }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline std::string bits_of(const StoredEvaluation& e) {
  BitText bits;
  bits.add(e.index);
  bits.add(e.kernel);
  for_each_evidence_field([&](const auto& field) { bits.add(e.evidence.*field.member); });
  bits.add(e.wall_seconds);
  bits.add(e.acquisition_seconds);
  bits.add(e.origin);
  bits.add(e.predicted_mean);
  bits.add(e.predicted_sd);
  bits.add(e.weights);
  return bits.text();
}

inline bool is_same(const StoredEvaluation& one, const StoredEvaluation& other) {
  return bits_of(one) == bits_of(other);
}

// Whether they are example_evaluation(0), (1), ..., in this order, bit for bit.
inline bool are_examples(const std::vector<StoredEvaluation>& evaluations) {
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    if (!is_same(evaluations[i], example_evaluation(i))) return false;
  }
  return true;
}

}  // namespace covary
