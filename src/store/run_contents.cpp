#include "store/run_contents.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/error.h>
#include <covary/evidence_fields.h>
#include <covary/message_text.h>

#include "base/hash.h"

namespace covary {
namespace {

constexpr std::int64_t application_id = 0x436f7679;  // "Covy", in the head of the file

// 1: version 0.1; its finalists are JSON in a fact. 2: finalists are rows. Later ones: more fields.
constexpr int first_format = 1;
constexpr int format_with_finalists = 2;
constexpr int newest_format = [] {
  int newest = format_with_finalists;
  for_each_evidence_field([&](const auto& field) { newest = std::max(newest, field.since); });
  return newest;
}();

// A file is a run of ours only if its schema is this, to the letter: no view or trigger of
// somebody else's ever runs. No indices: they could disagree with their tables in a damaged file.
std::vector<std::string> schema(int format) {
  std::vector<std::string> tables = {
      "CREATE TABLE header (name TEXT NOT NULL, value TEXT NOT NULL) STRICT",
      "CREATE TABLE setting (name TEXT NOT NULL, value TEXT NOT NULL) STRICT",
      "CREATE TABLE fact (name TEXT NOT NULL, value TEXT NOT NULL) STRICT",
      table_sql(evaluation_table, format),
  };
  if (format >= format_with_finalists) tables.push_back(table_sql(finalist_table, format));
  tables.emplace_back("CREATE TABLE seal (value INTEGER NOT NULL) STRICT");
  return tables;
}

std::int64_t pragma(const Database& database, const char* name) {
  Statement statement(database, fmt::format("PRAGMA {}", name));
  return statement.step() ? statement.integer(0) : 0;
}

int format_of(const Database& database) {
  const std::int64_t format = pragma(database, "user_version");
  if (format < first_format || format > newest_format) database.fail_as_damaged();
  return static_cast<int>(format);
}

using SchemaRow = std::array<std::string, 4>;  // of sqlite_schema, less the page it begins on

SchemaRow schema_row(const std::string& sql) {
  constexpr std::string_view before_name = "CREATE TABLE ";
  const std::string name = sql.substr(before_name.size(), sql.find(" (") - before_name.size());
  return {"table", name, name, sql};
}

// ---- the seal: the sum of the hashes of all rows, since SQLite does not notice a changed byte
// ---- inside a value, nor a row that is lost

std::uint64_t row_hash(const std::string& table, const std::string& name,
                       const std::string& value) {
  return hash64(fmt::format("{}:{}:{}:{}", table, name.size(), name, value));
}

std::uint64_t setting_hash(std::size_t place, const std::string& name, const std::string& value) {
  return row_hash(fmt::format("setting {}", place), name, value);
}

std::uint64_t read_seal(const Database& database) {
  Statement select(database, "SELECT value FROM seal");
  if (!select.step()) database.fail_as_damaged();
  return std::bit_cast<std::uint64_t>(select.integer(0));
}

void change_seal(const Database& database, std::uint64_t difference) {
  Statement update(database, "UPDATE seal SET value = ?");
  update.bind(0, std::bit_cast<std::int64_t>(read_seal(database) + difference));
  update.step();
}

// ---- rows ----

void insert_pair(const Database& database, const std::string& table, const std::string& name,
                 const std::string& value) {
  Statement insert(database, fmt::format("INSERT INTO {} (name, value) VALUES (?, ?)", table));
  insert.bind(0, std::string_view(name));
  insert.bind(1, std::string_view(value));
  insert.step();
}

std::vector<StoredEvaluation> read_evaluations(const Database& database,
                                               const EvaluationTable& table, int format,
                                               std::uint64_t& seal) {
  std::vector<StoredEvaluation> evaluations;
  Statement select(database, select_sql(table, format));
  while (select.step()) {
    evaluations.push_back(read_evaluation(select, table, format));
    seal += evaluation_hash(evaluations.back(), table, format);
  }
  return evaluations;
}

std::vector<std::pair<std::string, std::string>> lines_of(const RunHeader& header) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"covary_version", header.covary_version},
      {"created", header.created},
      {"seed", std::to_string(header.seed)},
      {"data_fingerprint", header.data_fingerprint}};
  if (header.is_scaled) lines.emplace_back("scaled", *header.is_scaled ? "yes" : "no");
  if (header.rows_fingerprint) lines.emplace_back("rows_fingerprint", *header.rows_fingerprint);
  return lines;
}

RunHeader header_from(const Database& database, std::map<std::string, std::string> lines) {
  RunHeader header;
  const std::string& seed = lines["seed"];
  const char* end = seed.data() + seed.size();
  const auto [last, error] = std::from_chars(seed.data(), end, header.seed);
  if (error != std::errc() || last != end) database.fail_as_damaged();
  header.covary_version = lines["covary_version"];
  header.created = lines["created"];
  header.data_fingerprint = lines["data_fingerprint"];
  if (lines.contains("scaled")) header.is_scaled = lines["scaled"] == "yes";
  if (lines.contains("rows_fingerprint")) header.rows_fingerprint = lines["rows_fingerprint"];
  return header;
}

// Format 1 kept of its finalists no more than kernel, value and parameters, as text.
std::vector<StoredEvaluation> finalists_of_format_1(const Database& database,
                                                    const std::string& text) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array() || list.empty()) database.fail_as_damaged();
  std::vector<StoredEvaluation> finalists;
  try {
    for (const nlohmann::json& entry : list) {
      StoredEvaluation finalist;
      finalist.index = finalists.size();
      finalist.kernel = entry.at("kernel").get<std::string>();
      finalist.evidence.value = entry.at("value").get<double>();
      finalist.evidence.outcome = FitOutcome::converged;
      finalist.evidence.parameters = entry.at("parameters").get<std::vector<double>>();
      finalist.origin = "final";
      finalists.push_back(std::move(finalist));
    }
  } catch (const nlohmann::json::exception&) {
    database.fail_as_damaged();
  }
  return finalists;
}

}  // namespace

void check_structure(const Database& database, const std::string& folder) {
  if (pragma(database, "application_id") != application_id) database.fail_as_damaged();
  if (const std::int64_t format = pragma(database, "user_version"); format > newest_format) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the run in {} is of format version {}, this program reads version {}; "
                            "use the version of Covary that made it, or a newer one",
                            shown_source(folder), format, newest_format));
  }
  const std::vector<std::string> expected = schema(format_of(database));
  std::size_t num_tables = 0;
  Statement select(database,
                   "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema "
                   "ORDER BY rowid");
  while (select.step()) {
    const SchemaRow row = {select.text(0), select.text(1), select.text(2), select.text(3)};
    if (num_tables == expected.size() || row != schema_row(expected[num_tables])) {
      database.fail_as_damaged();
    }
    ++num_tables;
  }
  if (num_tables != expected.size()) database.fail_as_damaged();
  Statement check(database, "PRAGMA quick_check(1)");
  if (!check.step() || check.text(0) != "ok") database.fail_as_damaged();
}

void write_contents(Database& database, const RunContents& contents) {
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                               application_id, newest_format)
                       .c_str());
  for (const std::string& table : schema(newest_format)) database.execute(table.c_str());
  std::uint64_t seal = 0;
  for (const auto& [name, value] : lines_of(contents.header)) {
    insert_pair(database, "header", name, value);
    seal += row_hash("header", name, value);
  }
  std::size_t place = 0;
  for (const auto& [name, value] : contents.header.settings) {
    insert_pair(database, "setting", name, value);
    seal += setting_hash(place++, name, value);
  }
  Statement insert(database, "INSERT INTO seal (value) VALUES (?)");
  insert.bind(0, std::bit_cast<std::int64_t>(seal));
  insert.step();
  for (const auto& [name, text] : contents.facts) replace_fact(database, name, text);
  for (const StoredEvaluation& evaluation : contents.evaluations) {
    add_evaluation(database, evaluation_table, evaluation);
  }
  replace_finalists(database, contents.finalists);
}

RunContents read_contents(const Database& database) {
  const int format = format_of(database);
  std::uint64_t seal = 0;
  std::map<std::string, std::string> lines;
  Statement header(database, "SELECT name, value FROM header");
  while (header.step()) {
    seal += row_hash("header", header.text(0), header.text(1));
    lines[header.text(0)] = header.text(1);
  }
  RunContents contents{.header = header_from(database, std::move(lines))};
  Statement setting(database, "SELECT name, value FROM setting ORDER BY rowid");
  while (setting.step()) {
    seal += setting_hash(contents.header.settings.size(), setting.text(0), setting.text(1));
    contents.header.settings.emplace_back(setting.text(0), setting.text(1));
  }
  Statement fact(database, "SELECT name, value FROM fact");
  while (fact.step()) {
    seal += row_hash("fact", fact.text(0), fact.text(1));
    contents.facts[fact.text(0)] = fact.text(1);
  }
  contents.evaluations = read_evaluations(database, evaluation_table, format, seal);
  if (format >= format_with_finalists) {
    contents.finalists = read_evaluations(database, finalist_table, format, seal);
  }
  if (seal != read_seal(database)) database.fail_as_damaged();
  if (format < format_with_finalists) {
    if (const auto text = contents.facts.extract("finalists")) {
      contents.finalists = finalists_of_format_1(database, text.mapped());
    }
  }
  return contents;
}

void upgrade(Database& database) {
  if (format_of(database) == newest_format) return;
  Transaction transaction(database, "BEGIN IMMEDIATE");
  const RunContents contents = read_contents(database);
  for (const char* table : {"header", "setting", "fact", "evaluation", "finalist", "seal"}) {
    database.execute(fmt::format("DROP TABLE IF EXISTS {}", table).c_str());
  }
  write_contents(database, contents);
  transaction.commit();
}

void add_evaluation(const Database& database, const EvaluationTable& table,
                    const StoredEvaluation& evaluation) {
  Statement insert(database, insert_sql(table, newest_format));
  bind_evaluation(insert, evaluation, table, newest_format);
  insert.step();
  change_seal(database, evaluation_hash(evaluation, table, newest_format));
}

void replace_finalists(const Database& database, const std::vector<StoredEvaluation>& finalists) {
  std::uint64_t old = 0;
  read_evaluations(database, finalist_table, newest_format, old);
  Statement(database, "DELETE FROM finalist").step();
  change_seal(database, std::uint64_t{0} - old);
  for (const StoredEvaluation& finalist : finalists) {
    add_evaluation(database, finalist_table, finalist);
  }
}

void replace_fact(const Database& database, const std::string& name, const std::string& text) {
  std::uint64_t difference = row_hash("fact", name, text);
  if (const std::optional<std::string> old = read_fact(database, name)) {
    difference -= row_hash("fact", name, *old);
    Statement update(database, "UPDATE fact SET value = ? WHERE name = ?");
    update.bind(0, std::string_view(text));
    update.bind(1, std::string_view(name));
    update.step();
  } else {
    insert_pair(database, "fact", name, text);
  }
  change_seal(database, difference);
}

std::optional<std::string> read_fact(const Database& database, const std::string& name) {
  Statement select(database, "SELECT value FROM fact WHERE name = ?");
  select.bind(0, std::string_view(name));
  return select.step() ? std::optional(select.text(0)) : std::nullopt;
}

}  // namespace covary
