#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include <csv.h>

namespace covary {

// Receives the fields of a file in order. `line` is the one that the record begins on.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void field(std::string_view text, std::size_t line) = 0;
  virtual void end_of_record(std::size_t line) = 0;

 protected:
  RecordSink() = default;
  RecordSink(const RecordSink&) = default;
  RecordSink& operator=(const RecordSink&) = default;
  RecordSink(RecordSink&&) = default;
  RecordSink& operator=(RecordSink&&) = default;
};

// libcsv, with what it lacks: line numbers, a bound on the length of a record, and sentences for
// what is wrong with quotes. The bytes come in pieces that may be cut anywhere.
class CsvTokenizer {
 public:
  CsvTokenizer(std::string source, char separator, bool has_header, RecordSink& sink);
  ~CsvTokenizer();
  CsvTokenizer(const CsvTokenizer&) = delete;
  CsvTokenizer& operator=(const CsvTokenizer&) = delete;
  CsvTokenizer(CsvTokenizer&&) = delete;
  CsvTokenizer& operator=(CsvTokenizer&&) = delete;

  void feed(std::string_view bytes);
  void finish();

  std::size_t line() const { return line_; }  // of the next byte

 private:
  static void on_field(void* text, std::size_t size, void* self);
  static void on_record(int terminator, void* self);
  void feed_within_line(std::string_view bytes);
  void parse(std::string_view bytes);
  void rethrow_failure();
  std::string place() const;

  std::string source_;
  bool has_header_;
  RecordSink& sink_;
  csv_parser parser_ = {};
  std::size_t line_ = 1;
  bool after_carriage_return_ = false;
  bool at_record_start_ = true;
  std::size_t record_line_ = 1;
  std::size_t record_bytes_ = 0;
  std::size_t num_fields_ = 0;   // of the record so far
  std::size_t num_records_ = 0;  // complete ones that are not blank, the header included
  // What the sink threw: it must not pass through libcsv's C code.
  std::exception_ptr failure_;
};

}  // namespace covary
