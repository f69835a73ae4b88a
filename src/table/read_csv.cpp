// From bytes to a table: finds out the encoding and the separator from the beginning of the file,
// then streams it through the tokenizer into the builder without ever holding all of it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/table.h>

#include "base/utf8.h"
#include "table/byte_source.h"
#include "table/csv_stream.h"
#include "table/csv_tokenizer.h"
#include "table/separator.h"
#include "table/table_builder.h"

namespace covary {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct Beginning {
  std::string bytes;
  bool is_whole = false;
};

Beginning read_beginning(ByteSource& bytes) {
  Beginning beginning;
  beginning.bytes.resize(separator_sample_bytes);
  std::size_t size = 0;
  while (size < beginning.bytes.size()) {
    const std::size_t count = bytes.read(&beginning.bytes[size], beginning.bytes.size() - size);
    if (count == 0) {
      beginning.is_whole = true;
      break;
    }
    size += count;
  }
  beginning.bytes.resize(size);
  return beginning;
}

// Kinds of files that are often taken for CSV and are known by their first bytes.
void check_is_text(std::string_view beginning, const std::string& source) {
  struct Kind {
    std::string_view signature;
    std::string_view what;
  };
  static constexpr std::array<Kind, 4> kinds = {{
      {"\xFF\xFE", "is in UTF-16; save it as UTF-8"},
      {"\xFE\xFF", "is in UTF-16; save it as UTF-8"},
      {"PK\x03\x04", "is a spreadsheet or an archive; export it as CSV"},
      {"\x1F\x8B", "is compressed; decompress it first"},
  }};
  for (const Kind& kind : kinds) {
    if (beginning.starts_with(kind.signature)) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("{}: the file {}", shown_source(source), kind.what));
    }
  }
}

class Reader {
 public:
  Reader(const std::string& source, char separator, bool has_header)
      : source_(source),
        builder_(source, separator, has_header),
        tokenizer_(source, separator, has_header, builder_) {}

  void feed(std::string_view bytes) {
    const std::size_t num_good = checker_.accept(bytes);
    // What stands before an offending byte first, so that the first trouble of the file is the
    // one that is told, however the file is cut into pieces.
    tokenizer_.feed(bytes.substr(0, num_good));
    if (num_good < bytes.size()) throw_bad_encoding();
    num_bytes_ += bytes.size();
  }

  // To be called once some of the file is read.
  void reserve_for(std::uint64_t num_expected_bytes) {
    if (builder_.num_rows() == 0 || num_expected_bytes <= num_bytes_) return;
    const double rows_per_byte =
        static_cast<double>(builder_.num_rows()) / static_cast<double>(num_bytes_);
    // Room that stays unused costs no memory; growing once too often costs a copy.
    constexpr double margin = 1.1;
    builder_.reserve(
        static_cast<std::size_t>(margin * rows_per_byte * static_cast<double>(num_expected_bytes)));
  }

  Table finish() {
    if (!checker_.is_complete()) throw_bad_encoding();
    tokenizer_.finish();
    return std::move(builder_).finish();
  }

 private:
  [[noreturn]] void throw_bad_encoding() const {
    const std::string_view what = checker_.offence() == Utf8Checker::Offence::nul
                                      ? "has a NUL byte; save the file as text (UTF-8)"
                                      : "is not valid UTF-8; save the file as UTF-8";
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: line {} {}", shown_source(source_), tokenizer_.line(), what));
  }

  const std::string& source_;
  Utf8Checker checker_;
  TableBuilder builder_;
  CsvTokenizer tokenizer_;
  std::uint64_t num_bytes_ = 0;
};

char choose_separator(const CsvOptions& options, const Beginning& beginning) {
  if (!options.separator.has_value()) {
    return detect_separator(beginning.bytes, beginning.is_whole);
  }
  try {
    check_separator(*options.separator);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string("the separator ") + error.what());
  }
  return *options.separator;
}

}  // namespace

Table read_csv_stream(ByteSource& bytes, const std::string& source, const CsvOptions& options,
                      std::size_t chunk_bytes) {
  Beginning beginning = read_beginning(bytes);
  check_is_text(beginning.bytes, source);
  if (beginning.bytes.starts_with(byte_order_mark)) {
    beginning.bytes.erase(0, byte_order_mark.size());
  }
  Reader reader(source, choose_separator(options, beginning), options.has_header);
  for (std::size_t at = 0; at < beginning.bytes.size(); at += chunk_bytes) {
    reader.feed(std::string_view(beginning.bytes).substr(at, chunk_bytes));
  }
  if (!beginning.is_whole) {
    reader.reserve_for(bytes.expected_size());
    std::vector<char> chunk(chunk_bytes);
    while (const std::size_t count = bytes.read(chunk.data(), chunk.size())) {
      reader.feed({chunk.data(), count});
    }
  }
  return reader.finish();
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  FileSource bytes(path);
  return read_csv_stream(bytes, path, options);
}

Table read_csv_text(std::string_view text, const std::string& source, const CsvOptions& options) {
  TextSource bytes(text);
  return read_csv_stream(bytes, source, options);
}

}  // namespace covary
