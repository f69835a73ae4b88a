#include "store/run_store.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
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
#include <covary/option_text.h>

#include "store/evaluation_row.h"
#include "store/run_contents.h"
#include "store/whole_file.h"

namespace covary {
namespace {

// A million evaluations; checking a larger file would take minutes.
constexpr off_t max_file_bytes = 2'000'000'000;

// ---- the folder ----

std::string file_of_run(const std::string& folder) { return folder + "/run.sqlite"; }

// The file of the run, which is there and could be one.
std::string existing_file(const std::string& folder) {
  std::string file = file_of_run(folder);
  struct stat status {};
  const bool is_named = !folder.empty();  // else the name would be that of a file in /
  if (!is_named || stat(file.c_str(), &status) != 0) {
    throw Error(ErrorKind::no_input,
                !is_named || errno == ENOENT || errno == ENOTDIR
                    ? fmt::format("{}: there is no run of Covary; name the folder that a "
                                  "search or a forecast has made",
                                  shown_source(folder))
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

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw Error(kind_of_write_error(error), fmt::format("{}: {}: {}", shown_source(path), what,
                                                      std::generic_category().message(error)));
}

void make_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0) return;
  const int error = errno;
  struct stat status {};
  const bool exists = stat(folder.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return;
  if (exists) {
    refuse(folder,
           "it is there already and no folder; choose another place with " + option_text("out"));
  }
  fail(folder, "the folder cannot be made", error);
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
                                 "{}, or use {}",
                                 covary::quoted(name), option_text("out"), switch_text("force")));
    }
  }
  if (error) refuse(folder, fmt::format("it cannot be read: {}", error.message()));
}

void remove_files(const std::string& folder, std::span<const char* const> names) {
  for (const char* name : names) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (unlink(path.c_str()) != 0 && errno != ENOENT) fail(path, "it cannot be replaced", errno);
  }
}

// A name in a folder is on disk only after the folder is. Some systems cannot, and need not.
void sync_folder(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  const int error = fsync(file) != 0 ? errno : 0;
  close(file);
  if (kind_of_write_error(error) == ErrorKind::disk) fail(folder, "the disk failed", error);
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
           fmt::format("there is a run already; go on with it with {}, or replace it with {}",
                       switch_text("resume"), switch_text("force")));
  }
  // Beside the old run first, so that there is at every moment a whole run or none.
  constexpr std::array part = {"run.sqlite.part", "run.sqlite.part-journal"};
  remove_files(folder, part);
  header.created = utc_now();
  try {
    Database database(file + ".part", Database::Access::create);
    Transaction transaction(database, "BEGIN IMMEDIATE");
    write_contents(database, {.header = header});
    transaction.commit();
  } catch (...) {
    for (const char* name : part) unlink(fmt::format("{}/{}", folder, name).c_str());
    throw;
  }
  // The journal last: it belongs to the old file, and would undo changes in the new one.
  constexpr std::array old = {"model.json",     "model.json.support", "report.html",
                              "forecast.csv",   "run.sqlite",         "run.sqlite-journal",
                              "run.sqlite-wal", "run.sqlite-shm"};
  remove_files(folder, old);
  if (std::rename((file + ".part").c_str(), file.c_str()) != 0) {
    fail(file, "it cannot be written", errno);
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
  if (lock_.has_value()) upgrade(database_);
  header_ = contents().header;
}

// In one transaction, since a search may be writing.
RunContents RunStore::contents() {
  Transaction transaction(database_);
  return read_contents(database_);
}

void RunStore::add(const StoredEvaluation& evaluation) {
  Transaction transaction(database_, "BEGIN IMMEDIATE");
  Statement same(database_, "SELECT 1 FROM evaluation WHERE position = ?");
  same.bind(0, static_cast<std::int64_t>(evaluation.index));
  if (same.step()) {
    throw std::logic_error(fmt::format("evaluation {} is stored already", evaluation.index));
  }
  add_evaluation(database_, evaluation_table, evaluation);
  transaction.commit();
}

void RunStore::set_fact(const std::string& name, const std::string& text) {
  Transaction transaction(database_, "BEGIN IMMEDIATE");
  replace_fact(database_, name, text);
  transaction.commit();
}

void RunStore::finish(const std::vector<StoredEvaluation>& finalists,
                      const std::map<std::string, std::string>& facts) {
  Transaction transaction(database_, "BEGIN IMMEDIATE");
  replace_finalists(database_, finalists);
  for (const auto& [name, text] : facts) replace_fact(database_, name, text);
  transaction.commit();
}

std::optional<std::string> RunStore::fact(const std::string& name) const {
  return read_fact(database_, name);
}

}  // namespace covary
