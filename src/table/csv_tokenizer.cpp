#include "table/csv_tokenizer.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "table/cell_place.h"

namespace covary {
namespace {

constexpr std::size_t max_record_bytes = std::size_t{16} << 20U;
constexpr std::size_t min_buffer_step_bytes = 4096;

}  // namespace

CsvTokenizer::CsvTokenizer(std::string source, char separator, bool has_header, RecordSink& sink)
    : source_(std::move(source)), has_header_(has_header), sink_(sink) {
  // Strict: a quote amid a field is an error, where libcsv would otherwise guess. Reporting all
  // line ends tells a blank line from a line end inside quotes.
  if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) throw std::bad_alloc();
  csv_set_delim(&parser_, static_cast<unsigned char>(separator));
}

CsvTokenizer::~CsvTokenizer() { csv_free(&parser_); }

void CsvTokenizer::on_field(void* text, std::size_t size, void* self) {
  auto& tokenizer = *static_cast<CsvTokenizer*>(self);
  if (tokenizer.failure_) return;
  ++tokenizer.num_fields_;
  try {
    tokenizer.sink_.field({static_cast<const char*>(text), size}, tokenizer.record_line_);
  } catch (...) {
    tokenizer.failure_ = std::current_exception();
  }
}

void CsvTokenizer::on_record(int /*terminator*/, void* self) {
  auto& tokenizer = *static_cast<CsvTokenizer*>(self);
  if (tokenizer.failure_) return;
  tokenizer.at_record_start_ = true;
  if (std::exchange(tokenizer.num_fields_, 0) == 0) return;  // a blank line
  ++tokenizer.num_records_;
  try {
    tokenizer.sink_.end_of_record(tokenizer.record_line_);
  } catch (...) {
    tokenizer.failure_ = std::current_exception();
  }
}

// libcsv does not say where it is, so it gets its bytes line by line: all records end at line ends.
void CsvTokenizer::feed(std::string_view bytes) {
  // A buffer that grows by its own size takes linear time for a long field; libcsv would add the
  // same few bytes again and again.
  csv_set_blk_size(&parser_, std::max(min_buffer_step_bytes, csv_get_buffer_size(&parser_)));
  constexpr std::size_t none = std::string_view::npos;
  std::size_t at = 0;
  std::size_t line_feed = bytes.find('\n');
  std::size_t carriage_return = bytes.find('\r');
  while (at < bytes.size()) {
    if (std::exchange(after_carriage_return_, false) && bytes[at] == '\n') {
      feed_within_line(bytes.substr(at, 1));  // the rest of a line end that is counted already
      ++at;
      continue;
    }
    // Searched again only when passed, or files that have only one of the two would take quadratic
    // time.
    if (line_feed != none && line_feed < at) line_feed = bytes.find('\n', at);
    if (carriage_return != none && carriage_return < at) carriage_return = bytes.find('\r', at);
    const std::size_t line_end = std::min(line_feed, carriage_return);
    const std::size_t next = line_end == none ? bytes.size() : line_end + 1;
    feed_within_line(bytes.substr(at, next - at));
    if (line_end != none) {
      ++line_;
      after_carriage_return_ = bytes[line_end] == '\r';
    }
    at = next;
  }
}

void CsvTokenizer::feed_within_line(std::string_view bytes) {
  if (std::exchange(at_record_start_, false)) {
    record_line_ = line_;
    record_bytes_ = 0;
  }
  const std::size_t room = max_record_bytes - record_bytes_;
  parse(bytes.substr(0, room));
  if (bytes.size() > room) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: line {} is longer than {} MiB; is a closing quote missing, or is "
                            "this not a CSV file?",
                            shown_source(source_), record_line_, max_record_bytes >> 20U));
  }
  record_bytes_ += bytes.size();
}

void CsvTokenizer::rethrow_failure() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void CsvTokenizer::parse(std::string_view bytes) {
  const std::size_t num_parsed =
      csv_parse(&parser_, bytes.data(), bytes.size(), &on_field, &on_record, this);
  rethrow_failure();
  if (num_parsed == bytes.size()) return;
  if (csv_error(&parser_) != CSV_EPARSE) throw std::bad_alloc();
  const std::string where =
      line_ == record_line_ ? std::string() : fmt::format(" on line {}", line_);
  throw Error(ErrorKind::bad_data,
              fmt::format("{}: {} has a quote in the middle of a field{}; put the whole field in "
                          "quotes and write a quote inside it twice",
                          shown_source(source_), place(), where));
}

void CsvTokenizer::finish() {
  const int status = csv_fini(&parser_, &on_field, &on_record, this);
  rethrow_failure();
  if (status == 0) return;
  throw Error(ErrorKind::bad_data, fmt::format("{}: the quote opened in {} is never closed",
                                               shown_source(source_), place()));
}

std::string CsvTokenizer::place() const {
  if (has_header_ && num_records_ == 0) return fmt::format("the header (line {})", record_line_);
  return row_place(num_records_ + (has_header_ ? 0 : 1), record_line_);
}

}  // namespace covary
