#include "store/run_store.h"

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "base/hash.h"
#include "store/evaluation_row.h"

namespace covary {
namespace {

constexpr std::int64_t application_id = 0x436f7679;  // "Covy", in the head of the file
constexpr std::int64_t format_version = 1;
// A million evaluations; checking a larger file would take minutes.
constexpr off_t max_file_bytes = 2'000'000'000;

// A file is a run of ours only if its schema is this, to the letter: no view or trigger of
// somebody else's ever runs. No indices: they could disagree with their tables in a damaged file.
const std::vector<std::string>& schema() {
  static const std::vector<std::string> tables = {
      "CREATE TABLE header (name TEXT NOT NULL, value TEXT NOT NULL) STRICT",
      "CREATE TABLE setting (name TEXT NOT NULL, value TEXT NOT NULL) STRICT",
      "CREATE TABLE fact (name TEXT NOT NULL, value TEXT NOT NULL) STRICT",
      evaluation_table_sql(),
      "CREATE TABLE seal (value INTEGER NOT NULL) STRICT",
  };
  return tables;
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

// ---- writing a new run ----

void insert_pair(const Database& database, const std::string& table, const std::string& name,
                 const std::string& value) {
  Statement insert(database, fmt::format("INSERT INTO {} (name, value) VALUES (?, ?)", table));
  insert.bind(0, std::string_view(name));
  insert.bind(1, std::string_view(value));
  insert.step();
}

void write_new(const std::string& path, const RunHeader& header) {
  Database database(path, Database::Access::create);
  Transaction transaction(database, "BEGIN IMMEDIATE");
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                               application_id, format_version)
                       .c_str());
  for (const std::string& table : schema()) database.execute(table.c_str());
  const std::array<std::pair<std::string, std::string>, 4> lines = {
      {{"covary_version", header.covary_version},
       {"created", header.created},
       {"seed", std::to_string(header.seed)},
       {"data_fingerprint", header.data_fingerprint}}};
  std::uint64_t seal = 0;
  for (const auto& [name, value] : lines) {
    insert_pair(database, "header", name, value);
    seal += row_hash("header", name, value);
  }
  std::size_t place = 0;
  for (const auto& [name, value] : header.settings) {
    insert_pair(database, "setting", name, value);
    seal += setting_hash(place++, name, value);
  }
  Statement insert(database, "INSERT INTO seal (value) VALUES (?)");
  insert.bind(0, std::bit_cast<std::int64_t>(seal));
  insert.step();
  transaction.commit();
}

// ---- reading, every value checked before it is used ----

struct Contents {
  RunHeader header;
  std::vector<StoredEvaluation> evaluations;
};

RunHeader header_from(const Database& database, std::map<std::string, std::string> lines) {
  RunHeader header;
  const std::string& seed = lines["seed"];
  const char* end = seed.data() + seed.size();
  const auto [last, error] = std::from_chars(seed.data(), end, header.seed);
  if (error != std::errc() || last != end) database.fail_as_damaged();
  header.covary_version = lines["covary_version"];
  header.created = lines["created"];
  header.data_fingerprint = lines["data_fingerprint"];
  return header;
}

// In one transaction, since a search may be writing, and checked against the seal.
Contents read_contents(Database& database) {
  Transaction transaction(database);
  std::uint64_t seal = 0;
  std::map<std::string, std::string> lines;
  Statement header(database, "SELECT name, value FROM header");
  while (header.step()) {
    seal += row_hash("header", header.text(0), header.text(1));
    lines[header.text(0)] = header.text(1);
  }
  Contents contents;
  contents.header = header_from(database, std::move(lines));
  Statement setting(database, "SELECT name, value FROM setting ORDER BY rowid");
  while (setting.step()) {
    seal += setting_hash(contents.header.settings.size(), setting.text(0), setting.text(1));
    contents.header.settings.emplace_back(setting.text(0), setting.text(1));
  }
  Statement fact(database, "SELECT name, value FROM fact");
  while (fact.step()) seal += row_hash("fact", fact.text(0), fact.text(1));
  Statement evaluation(database, evaluation_select_sql());
  while (evaluation.step()) {
    contents.evaluations.push_back(read_evaluation(evaluation));
    seal += evaluation_hash(contents.evaluations.back());
  }
  if (seal != read_seal(database)) database.fail_as_damaged();
  return contents;
}

std::int64_t pragma(const Database& database, const char* name) {
  Statement statement(database, fmt::format("PRAGMA {}", name));
  return statement.step() ? statement.integer(0) : 0;
}

// The structure, before any table is read: in a hostile file, pages that point at each other could
// make a table without an end. The cost is one pass over the file.
void check_structure(const Database& database, const std::string& folder) {
  if (pragma(database, "application_id") != application_id) database.fail_as_damaged();
  const std::int64_t version_of_file = pragma(database, "user_version");
  if (version_of_file > format_version) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the run in {} is of format version {}, this program reads version {}; "
                            "use the version of Covary that made it, or a newer one",
                            shown_source(folder), version_of_file, format_version));
  }
  if (version_of_file != format_version) database.fail_as_damaged();
  std::vector<std::string> tables;
  Statement select(database, "SELECT coalesce(sql, '') FROM sqlite_schema ORDER BY rowid");
  while (select.step() && tables.size() <= schema().size()) tables.push_back(select.text(0));
  if (tables != schema()) database.fail_as_damaged();
  Statement check(database, "PRAGMA quick_check(1)");
  if (!check.step() || check.text(0) != "ok") database.fail_as_damaged();
}

// ---- the folder ----

std::string file_of_run(const std::string& folder) { return folder + "/run.sqlite"; }

// The file of the run, which is there and could be one.
std::string existing_file(const std::string& folder) {
  std::string file = file_of_run(folder);
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw Error(ErrorKind::no_input,
                errno == ENOENT || errno == ENOTDIR
                    ? fmt::format("{}: there is no run of Covary", shown_source(folder))
                    : fmt::format("{}: it cannot be read: {}", shown_source(file),
                                  std::generic_category().message(errno)));
  }
  // A pipe would be waited for without an end.
  if (!S_ISREG(status.st_mode) || status.st_size > max_file_bytes) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: it is not a run of Covary", shown_source(file)));
  }
  return file;
}

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
  throw Error(ErrorKind::cannot_write, fmt::format("{}: {}", shown_source(folder), why));
}

void make_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0) return;
  const int error = errno;
  struct stat status {};
  const bool exists = stat(folder.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return;
  refuse(folder, exists ? "it is there already and no folder; choose another place with --out"
                        : fmt::format("the folder cannot be made: {}",
                                      std::generic_category().message(error)));
}

// Somebody's files next to ours would be taken for results. A creation that was killed leaves
// nothing that counts.
void check_no_other_files(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != "run.lock" && !name.starts_with("run.sqlite")) {
      refuse(folder, fmt::format("it holds other files, such as {}; choose another place with "
                                 "--out, or use --force",
                                 covary::quoted(name)));
    }
  }
  if (error) refuse(folder, fmt::format("it cannot be read: {}", error.message()));
}

void remove_files(const std::string& folder, std::span<const char* const> names) {
  for (const char* name : names) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (unlink(path.c_str()) != 0 && errno != ENOENT) {
      refuse(path,
             fmt::format("it cannot be replaced: {}", std::generic_category().message(errno)));
    }
  }
}

// A name in a folder is on disk only after the folder is. Some systems cannot, and need not.
void sync_folder(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  const int error = fsync(file) != 0 ? errno : 0;
  close(file);
  if (error == EIO || error == ENOSPC || error == EDQUOT) {
    throw Error(ErrorKind::disk, fmt::format("{}: the disk failed: {}", shown_source(folder),
                                             std::generic_category().message(error)));
  }
}

}  // namespace

RunStore RunStore::create(const std::string& folder, RunHeader header, bool force) {
  make_folder(folder);
  const std::string file = file_of_run(folder);
  const auto is_taken = [&] { return access(file.c_str(), F_OK) == 0; };
  if (!force && !is_taken()) check_no_other_files(folder);
  std::optional<RunLock> lock(folder);
  if (!force && is_taken()) {
    refuse(folder,
           "there is a run already; go on with it with --resume, or replace it with --force");
  }
  // Beside the old run first, so that there is at every moment a whole run or none.
  constexpr std::array part = {"run.sqlite.part", "run.sqlite.part-journal"};
  remove_files(folder, part);
  header.created = utc_now();
  try {
    write_new(file + ".part", header);
  } catch (...) {
    for (const char* name : part) unlink(fmt::format("{}/{}", folder, name).c_str());
    throw;
  }
  // The journal last: it belongs to the old file, and would undo changes in the new one.
  constexpr std::array old = {"model.json",         "report.html",    "run.sqlite",
                              "run.sqlite-journal", "run.sqlite-wal", "run.sqlite-shm"};
  remove_files(folder, old);
  if (std::rename((file + ".part").c_str(), file.c_str()) != 0) {
    refuse(file, fmt::format("it cannot be written: {}", std::generic_category().message(errno)));
  }
  sync_folder(folder);
  sync_folder(folder + "/..");
  return {folder, std::move(lock)};
}

RunStore RunStore::open(const std::string& folder) {
  existing_file(folder);  // no lock file is left where there is no run
  return {folder, RunLock(folder)};
}

RunStore RunStore::open_read_only(const std::string& folder) { return {folder, std::nullopt}; }

RunStore::RunStore(const std::string& folder, std::optional<RunLock> lock)
    : lock_(std::move(lock)),
      database_(existing_file(folder),
                lock_.has_value() ? Database::Access::write : Database::Access::read) {
  check_structure(database_, folder);
  header_ = read_contents(database_).header;
}

std::vector<StoredEvaluation> RunStore::evaluations() {
  return read_contents(database_).evaluations;
}

void RunStore::add(const StoredEvaluation& evaluation) {
  Transaction transaction(database_, "BEGIN IMMEDIATE");
  Statement same(database_, "SELECT 1 FROM evaluation WHERE position = ?");
  same.bind(0, static_cast<std::int64_t>(evaluation.index));
  if (same.step()) {
    throw std::logic_error(fmt::format("evaluation {} is stored already", evaluation.index));
  }
  Statement insert(database_, evaluation_insert_sql());
  bind_evaluation(insert, evaluation);
  insert.step();
  change_seal(database_, evaluation_hash(evaluation));
  transaction.commit();
}

void RunStore::set_fact(const std::string& name, const std::string& text) {
  Transaction transaction(database_, "BEGIN IMMEDIATE");
  std::uint64_t difference = row_hash("fact", name, text);
  const std::optional<std::string> old = fact(name);
  if (old.has_value()) {
    difference -= row_hash("fact", name, *old);
    Statement update(database_, "UPDATE fact SET value = ? WHERE name = ?");
    update.bind(0, std::string_view(text));
    update.bind(1, std::string_view(name));
    update.step();
  } else {
    insert_pair(database_, "fact", name, text);
  }
  change_seal(database_, difference);
  transaction.commit();
}

std::optional<std::string> RunStore::fact(const std::string& name) const {
  Statement select(database_, "SELECT value FROM fact WHERE name = ?");
  select.bind(0, std::string_view(name));
  return select.step() ? std::optional(select.text(0)) : std::nullopt;
}

}  // namespace covary
