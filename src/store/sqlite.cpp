#include "store/sqlite.h"

#include <cerrno>
#include <new>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "store/whole_file.h"

namespace covary {
namespace {

// Longer than any text of ours; keeps a hostile length from becoming an allocation.
constexpr int max_value_bytes = 16'000'000;
// Readers hold the file for milliseconds; who holds it for longer has forgotten it.
constexpr int busy_milliseconds = 30'000;

// Without a slash in front, "file:..." would be taken for a URI.
std::string plain_path(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

// A rollback journal, not a write-ahead log: at rest a run is one file, which can be copied, read
// from a medium that is read-only and kept on a network disk. The log would save a few syncs, which
// do not count beside an evaluation. EXTRA also syncs the folder after the journal is deleted:
// with FULL, the last commit can be undone by a loss of power.
Database::Database(const std::string& path, Access access) : path_(path), access_(access) {
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(plain_path(path).c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, max_value_bytes);
  sqlite3_busy_timeout(handle, busy_milliseconds);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
  if (access == Access::read) {
    execute("PRAGMA query_only = ON");
    return;
  }
  // A file that may not be written is opened without a word.
  if (sqlite3_db_readonly(handle, "main") != 0) fail(SQLITE_READONLY);
  execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA");
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::fail(int code) const {
  const std::string file = shown_source(path_);
  const int system_error = handle() == nullptr ? 0 : sqlite3_system_errno(handle());
  const std::string reason = system_error == 0 ? std::string(sqlite3_errstr(code & 0xff))
                                               : std::generic_category().message(system_error);
  switch (code & 0xff) {
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_FULL:
      throw Error(ErrorKind::disk,
                  fmt::format("{}: the disk is full; what was stored before is kept", file));
    case SQLITE_IOERR:
      throw Error(
          ErrorKind::disk,
          fmt::format("{}: the disk failed: {}; what was stored before is kept", file, reason));
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_ROLLBACK) {
        throw Error(
            ErrorKind::no_input,
            fmt::format("{}: a write to it was cut short, which only somebody who may write "
                        "there can mend; let its owner go on with the search, or read a "
                        "copy of its folder",
                        file));
      }
      // Its own head says so, where nothing else does.
      if (code == SQLITE_READONLY && ::access(path_.c_str(), W_OK) == 0) fail_as_damaged();
      [[fallthrough]];
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      if (access_ == Access::read) {
        throw Error(ErrorKind::no_input, fmt::format("{}: it cannot be read: {}", file, reason));
      }
      // SQLite tries to read what it could not make, and tells of that.
      if (system_error == ENOENT) {
        throw Error(
            ErrorKind::disk,
            fmt::format("{}: no new file can be made there; what was stored before is kept", file));
      }
      throw Error(kind_of_write_error(system_error),
                  fmt::format("{}: it cannot be written: {}", file, reason));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw Error(ErrorKind::in_use,
                  fmt::format("{}: another program has it open and does not let go of it", file));
    default:
      fail_as_damaged();
  }
}

void Database::fail_as_damaged() const {
  throw Error(
      ErrorKind::bad_data,
      fmt::format("{}: it is damaged, or not a run of Covary; put back a copy of its folder, "
                  "or begin a new run with {}",
                  shown_source(path_), switch_text("force")));
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(const Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  statement_.reset(statement);
  check(code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind(int parameter, std::int64_t number) {
  check(sqlite3_bind_int64(statement_.get(), parameter + 1, number));
}

void Statement::bind(int parameter, double number) {
  check(sqlite3_bind_double(statement_.get(), parameter + 1, number));
}

// SQLite copies text and bytes; a null pointer would mean NULL to it.
void Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text64(statement_.get(), parameter + 1, text.empty() ? "" : text.data(),
                            text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_blob(int parameter, std::string_view bytes) {
  check(sqlite3_bind_blob64(statement_.get(), parameter + 1, bytes.empty() ? "" : bytes.data(),
                            bytes.size(), SQLITE_TRANSIENT));
}

void Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_.get(), parameter + 1));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  return code == SQLITE_ROW;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) database_.fail_as_damaged();
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_FLOAT) database_.fail_as_damaged();
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const { return bytes(column, SQLITE_TEXT); }
std::string Statement::blob(int column) const { return bytes(column, SQLITE_BLOB); }

std::string Statement::bytes(int column, int type) const {
  if (sqlite3_column_type(statement_.get(), column) != type) database_.fail_as_damaged();
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr
             ? std::string()
             : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Transaction::Transaction(Database& database, const char* begin) : database_(database) {
  database.execute(begin);
}

Transaction::~Transaction() {
  // SQLite may have rolled back by itself already. If it cannot now, the next opening will.
  if (is_open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

}  // namespace covary
