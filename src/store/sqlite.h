#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace covary {

// A connection to one SQLite file that may come from anywhere. Every failure is an Error of one
// sentence: cannot_write or no_input by access, disk, in_use, or bad_data for a file that is
// damaged or not ours.
class Database {
 public:
  enum class Access {
    create,  // makes the file if there is none
    write,   // a commit is on disk when it returns
    read,    // changes nothing, but finishes what a killed writer left half done
  };

  Database(const std::string& path, Access access);

  void execute(const char* sql);
  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }

  // Throws the Error for a result code of SQLite's.
  [[noreturn]] void fail(int code) const;
  [[noreturn]] void fail_as_damaged() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };

  std::string path_;
  Access access_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// One SQL statement. Columns and parameters count from 0; a column of another type than the one
// asked for is damage.
class Statement {
 public:
  Statement(const Database& database, const std::string& sql);

  void bind(int parameter, std::int64_t number);
  void bind(int parameter, double number);
  void bind(int parameter, std::string_view text);
  void bind_blob(int parameter, std::string_view bytes);
  void bind_null(int parameter);

  bool step();  // whether there is a row

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string blob(int column) const;

  const Database& database() const { return database_; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::string bytes(int column, int type) const;
  void check(int code) const;

  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Undone unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database, const char* begin = "BEGIN");
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction(Transaction&&) = delete;
  Transaction& operator=(Transaction&&) = delete;

  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace covary
