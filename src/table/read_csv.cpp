// From bytes to a table: finds out the encoding and the separator from the beginning of the file,
// then streams it through the tokenizer into the builder without ever holding all of it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/table.h>

#include "base/checkpoint.h"
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

struct CsvStream::State {
  State(ByteSource& source_of_bytes, std::string source_name, char separator,
        const CsvOptions& options, std::size_t size_of_chunks)
      : bytes(source_of_bytes),
        source(std::move(source_name)),
        chunk_bytes(size_of_chunks),
        builder(source, separator, options),
        tokenizer(source, separator, options.has_header, builder) {}

  ByteSource& bytes;
  std::string source;
  std::size_t chunk_bytes;
  Utf8Checker checker;
  TableBuilder builder;
  CsvTokenizer tokenizer;
  Beginning beginning;
  std::size_t at = 0;  // in the beginning
  std::vector<char> chunk;
  std::uint64_t num_bytes = 0;
  bool is_at_end = false;

  void feed(std::string_view text) {
    const std::size_t num_good = checker.accept(text);
    // What stands before an offending byte first, so that the first trouble of the file is the
    // one that is told, however the file is cut into pieces.
    tokenizer.feed(text.substr(0, num_good));
    if (num_good < text.size()) throw_bad_encoding();
    num_bytes += text.size();
  }

  void end() {
    if (!checker.is_complete()) throw_bad_encoding();
    tokenizer.finish();
    is_at_end = true;
  }

  [[noreturn]] void throw_bad_encoding() const {
    const std::string_view what = checker.offence() == Utf8Checker::Offence::nul
                                      ? "has a NUL byte; save the file as text (UTF-8)"
                                      : "is not valid UTF-8; save the file as UTF-8";
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: line {} {}", shown_source(source), tokenizer.line(), what));
  }
};

CsvStream::CsvStream(ByteSource& bytes, const std::string& source, const CsvOptions& options,
                     std::size_t chunk_bytes) {
  Beginning beginning = read_beginning(bytes);
  check_is_text(beginning.bytes, source);
  if (beginning.bytes.starts_with(byte_order_mark)) {
    beginning.bytes.erase(0, byte_order_mark.size());
  }
  state_ = std::make_unique<State>(bytes, source, choose_separator(options, beginning), options,
                                   chunk_bytes);
  state_->beginning = std::move(beginning);
}

CsvStream::~CsvStream() = default;

bool CsvStream::read_some() {
  StopPoint::pass();
  State& state = *state_;
  if (state.is_at_end) return false;
  const Beginning& beginning = state.beginning;
  if (state.at < beginning.bytes.size()) {
    state.feed(std::string_view(beginning.bytes).substr(state.at, state.chunk_bytes));
    state.at += state.chunk_bytes;
    return true;
  }
  if (!beginning.is_whole) {
    state.chunk.resize(state.chunk_bytes);
    if (const std::size_t count = state.bytes.read(state.chunk.data(), state.chunk.size())) {
      state.feed({state.chunk.data(), count});
      return true;
    }
  }
  state.end();
  return false;
}

void CsvStream::reserve_for_all() {
  const State& state = *state_;
  const std::uint64_t num_expected_bytes = state.bytes.expected_size();
  if (state.builder.num_rows() == 0 || num_expected_bytes <= state.num_bytes) return;
  const double rows_per_byte =
      static_cast<double>(state.builder.num_rows()) / static_cast<double>(state.num_bytes);
  // Room that stays unused costs no memory; growing once too often costs a copy.
  constexpr double margin = 1.1;
  state_->builder.reserve(
      static_cast<std::size_t>(margin * rows_per_byte * static_cast<double>(num_expected_bytes)));
}

double CsvStream::share_read() const {
  const auto expected = static_cast<double>(state_->bytes.expected_size());
  if (expected == 0.0) return 0.0;
  return std::min(static_cast<double>(state_->num_bytes) / expected, 1.0);
}

std::size_t CsvStream::num_untaken_rows() const { return state_->builder.num_untaken_rows(); }
Table CsvStream::take() { return state_->builder.take(); }

Table read_csv_stream(ByteSource& bytes, const std::string& source, const CsvOptions& options,
                      std::size_t chunk_bytes) {
  CsvStream stream(bytes, source, options, chunk_bytes);
  if (stream.read_some()) stream.reserve_for_all();
  while (stream.read_some()) {
  }
  return stream.take();
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  FileSource bytes(path);
  return read_csv_stream(bytes, name_of_source(path), options);
}

Table read_csv_text(std::string_view text, const std::string& source, const CsvOptions& options) {
  TextSource bytes(text);
  return read_csv_stream(bytes, source, options);
}

}  // namespace covary
