#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <covary/evidence.h>

#include "store/sqlite.h"

namespace covary {

// One evaluation as it is kept. Its doubles come back bit for bit. REQUIRES: none is NaN.
struct StoredEvaluation {
  std::size_t index = 0;    // the place in the history: proposals are numbered 0, 1, 2, ...
  std::string kernel = {};  // text that parses back
  Evidence evidence = {};
  double wall_seconds = 0.0;         // since the run began, summed over its resumed parts
  double acquisition_seconds = 0.0;  // CPU time spent to propose it
  std::string origin = {};           // "initial", "proposed", "final"
  std::optional<double> predicted_mean = {};
  std::optional<double> predicted_sd = {};
  std::vector<double> weights = {};  // of the distances when it was proposed; may be empty
};

// A table of evaluations. What it is made with, stored by, read by and sealed by follows from one
// list of columns, of which each format version has a part.
struct EvaluationTable {
  const char* name;
  const char* key;          // the column of StoredEvaluation::index; `index` is a word of SQL's own
  const char* hash_prefix;  // so that a row in the wrong table is noticed
};
inline constexpr EvaluationTable evaluation_table = {"evaluation", "position", ""};
inline constexpr EvaluationTable finalist_table = {"finalist", "rank", "finalist"};

std::string table_sql(const EvaluationTable& table, int format);
std::string insert_sql(const EvaluationTable& table, int format);
std::string select_sql(const EvaluationTable& table, int format);  // by rising index

void bind_evaluation(Statement& insert, const StoredEvaluation& evaluation,
                     const EvaluationTable& table, int format);
StoredEvaluation read_evaluation(const Statement& row, const EvaluationTable& table, int format);

// A hash of every bit of it, the same on every machine.
std::uint64_t evaluation_hash(const StoredEvaluation& evaluation, const EvaluationTable& table,
                              int format);

}  // namespace covary
