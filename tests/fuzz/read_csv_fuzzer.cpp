// Whatever the bytes are, reading them ends in a table or in a proper error, the same one however
// the bytes are cut into chunks; and a dataset made of the table has only sound numbers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <covary/dataset.h>
#include <covary/error.h>
#include <covary/table.h>

#include "fuzz/claims.h"
#include "table/byte_source.h"
#include "table/csv_stream.h"

namespace {

// The first byte of the input: bits 0-2 the separator, bit 3 no header, bits 4-6 the chunk size.
covary::CsvOptions options_from(unsigned char byte) {
  static constexpr std::string_view separators = ",;\t|";
  covary::CsvOptions options;
  if (const unsigned choice = byte & 7U; choice < separators.size()) {
    options.separator = separators[choice];
  }
  options.has_header = (byte & 8U) == 0;
  return options;
}

std::size_t chunk_size_from(unsigned char byte) {
  return std::max<std::size_t>(1, (byte >> 4U) & 7U);
}

struct Outcome {
  std::optional<covary::Table> table;
  std::string error;
};

Outcome read(std::string_view text, const covary::CsvOptions& options, std::size_t chunk_bytes) {
  Outcome outcome;
  try {
    covary::TextSource bytes(text);
    outcome.table = covary::read_csv_stream(bytes, "data.csv", options, chunk_bytes);
  } catch (const covary::Error& error) {
    covary::require(error.kind() == covary::ErrorKind::bad_data, "bad bytes are bad data");
    outcome.error = error.what();
    covary::require_sentence(outcome.error);
  }
  return outcome;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

bool same_note(const std::optional<covary::CellNote>& a, const std::optional<covary::CellNote>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a.has_value() || (a->row == b->row && a->line == b->line && a->text == b->text);
}

void require_same(const covary::Table& a, const covary::Table& b) {
  covary::require(a.num_rows == b.num_rows && a.columns.size() == b.columns.size(), "same shape");
  covary::require(a.notes == b.notes, "same notes");
  for (std::size_t row = 1; row <= a.num_rows; ++row) {
    covary::require(a.line_of(row) == b.line_of(row), "same lines");
  }
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const covary::Column& left = a.columns[i];
    const covary::Column& right = b.columns[i];
    covary::require(left.name == right.name && left.type == right.type, "same names and types");
    covary::require(left.date_format == right.date_format &&
                        left.has_open_day_order == right.has_open_day_order,
                    "same formats of dates");
    covary::require(same_bits(left.values, right.values), "same values");
    covary::require(left.num_unusable == right.num_unusable && left.num_stray == right.num_stray &&
                        left.conflict == right.conflict,
                    "same counts");
    covary::require(same_note(left.first_unusable, right.first_unusable) &&
                        same_note(left.first_stray, right.first_stray),
                    "same notes on cells");
  }
}

void check_table(const covary::Table& table) {
  covary::require(table.num_rows > 0 && !table.columns.empty(), "a table is not empty");
  for (const covary::Column& column : table.columns) {
    const bool is_text = column.type == covary::ColumnType::text;
    covary::require(column.values.size() == (is_text ? 0 : table.num_rows), "a value for each row");
    covary::require(!column.name.empty(), "a column has a name");
    covary::require(table.find(column.name) == &column, "names are unique");
    covary::require((column.num_stray > 0) == column.first_stray.has_value(),
                    "stray cells are noted");
    covary::require((column.num_unusable > 0) == column.first_unusable.has_value(),
                    "unusable cells are noted");
    if (is_text) continue;
    const auto num_bad =
        static_cast<std::size_t>(std::count_if(column.values.begin(), column.values.end(),
                                               [](double value) { return !std::isfinite(value); }));
    covary::require(num_bad == column.num_unusable + column.num_stray,
                    "unusable cells are counted");
  }
  for (const std::string& note : table.notes) covary::require_sentence(note);
  std::size_t last_line = 0;
  for (std::size_t row = 1; row <= table.num_rows; ++row) {
    covary::require(table.line_of(row) > last_line, "lines rise");
    last_line = table.line_of(row);
  }
}

void check_scaled(const covary::Scaling& scaling, double scaled, bool is_input) {
  covary::require(std::isfinite(scaled), "scaled values are finite");
  if (is_input) covary::require(scaled >= 0.0 && scaled <= 1.0, "scaled inputs are in [0, 1]");
  const double raw = scaling.to_raw(scaled);
  covary::require(std::isfinite(raw), "raw values are finite");
  const double error = std::fabs(scaling.to_scaled(raw) - scaled);
  // Raw values are rounded to their own precision, which is coarse in units of a small factor.
  const double unit = 1e-15 * (1.0 + std::fabs(scaled) + std::fabs(raw) / scaling.factor +
                               std::fabs(scaling.offset) / scaling.factor);
  covary::require(error <= 4.0 * unit, "scaling can be undone");
}

void check_dataset(const covary::Table& table, covary::MissingPolicy policy, bool scale) {
  covary::DatasetOptions options;
  options.target = table.columns.back().name;
  options.missing = policy;
  options.scale = scale;
  try {
    const covary::Dataset data = covary::make_dataset(table, options);
    covary::require(data.num_rows() >= 3 && data.num_rows() <= table.num_rows, "enough rows");
    covary::require(data.num_inputs() >= 1 && data.num_inputs() < table.columns.size(),
                    "enough inputs");
    covary::require(data.fingerprint().size() == 32, "a fingerprint has 32 digits");
    for (const double value : data.target()) {
      covary::require(std::isfinite(value), "the target is finite");
      if (scale) check_scaled(data.target_scaling(), value, false);
    }
    for (std::size_t i = 0; i < data.num_inputs(); ++i) {
      for (const double value : data.input(i)) {
        covary::require(std::isfinite(value), "inputs are finite");
        if (scale) check_scaled(data.input_scaling(i), value, true);
      }
    }
    for (const std::string& note : data.notes()) covary::require_sentence(note);
    covary::require(covary::make_dataset(table, options).fingerprint() == data.fingerprint(),
                    "the fingerprint is the same again");
  } catch (const covary::Error& error) {
    covary::require(error.kind() == covary::ErrorKind::bad_data, "a bad table is bad data");
    covary::require_sentence(error.what());
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned char choice = data[0];
  const std::string_view text = covary::text_of(data, size).substr(1);
  const covary::CsvOptions options = options_from(choice);
  const Outcome whole = read(text, options, covary::csv_chunk_bytes);
  const Outcome cut = read(text, options, chunk_size_from(choice));
  covary::require(whole.error == cut.error, "errors do not depend on the chunk size");
  if (!whole.table.has_value() || !cut.table.has_value()) return 0;
  require_same(*whole.table, *cut.table);
  check_table(*whole.table);
  check_dataset(*whole.table, covary::MissingPolicy::reject, true);
  check_dataset(*whole.table, covary::MissingPolicy::drop, true);
  check_dataset(*whole.table, covary::MissingPolicy::drop, false);
  return 0;
}
