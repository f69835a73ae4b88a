#pragma once

#include <cstdint>
#include <string>

#include "store/run_store.h"
#include "store/sqlite.h"

namespace covary {

// The table `evaluation`. What it is made with, stored by, read by and sealed by follows from one
// list of columns.
std::string evaluation_table_sql();
std::string evaluation_insert_sql();
std::string evaluation_select_sql();  // by rising position

void bind_evaluation(Statement& insert, const StoredEvaluation& evaluation);
StoredEvaluation read_evaluation(const Statement& row);

// A hash of every bit of it, the same on every machine.
std::uint64_t evaluation_hash(const StoredEvaluation& evaluation);

}  // namespace covary
