#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/evaluation_row.h"
#include "store/run_header.h"
#include "store/sqlite.h"

namespace covary {

// Everything that the file of a run holds; docs/run_folder.md.
struct RunContents {
  RunHeader header = {};
  std::map<std::string, std::string> facts = {};
  // In the order of their index. Indices may be missing if evaluations ended out of order.
  std::vector<StoredEvaluation> evaluations = {};
  std::vector<StoredEvaluation> finalists = {};  // the best first
};

// Unless another thing is said, these are for the transaction of the caller. What they read may be
// anybody's file; it is checked before it is used, and Error of kind bad_data says what is wrong.

// Whether the file is a run of ours, of this format version or one before it, and whole. Before any
// table is read: in a hostile file, pages that point at each other could make a table without an
// end. The cost is one pass over the file.
void check_structure(const Database& database, const std::string& folder);

// Makes tables of the newest format in a file that has none, and fills them.
void write_contents(Database& database, const RunContents& contents);

// Of any format, and checked against the seal; what an older format does not have is as by default.
RunContents read_contents(const Database& database);

// Turns a run of an older format into one of the newest, in a transaction of its own.
void upgrade(Database& database);

// ---- changes that keep the seal; for the newest format ----

void add_evaluation(const Database& database, const EvaluationTable& table,
                    const StoredEvaluation& evaluation);
void replace_finalists(const Database& database, const std::vector<StoredEvaluation>& finalists);
void replace_fact(const Database& database, const std::string& name, const std::string& text);
std::optional<std::string> read_fact(const Database& database, const std::string& name);

}  // namespace covary
