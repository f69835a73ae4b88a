#include "table/table_builder.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "table/cell_place.h"

namespace covary {
namespace {

constexpr std::size_t max_columns = 100'000;

bool is_data(std::string_view name, DecimalComma decimal_comma) {
  const CellKind kind = parse_cell(name, decimal_comma).kind;
  return kind != CellKind::missing && kind != CellKind::text;
}

}  // namespace

TableBuilder::TableBuilder(std::string source, char separator, const CsvOptions& options)
    : source_(std::move(source)),
      decimal_comma_(separator == ',' ? DecimalComma::never : DecimalComma::allowed),
      day_order_(options.day_order),
      has_header_(options.has_header),
      in_header_(options.has_header) {}

void TableBuilder::field(std::string_view text, std::size_t line) {
  const std::size_t position = num_fields_++;
  if (in_header_) {
    check_number_of_columns(line);
    names_.emplace_back(trimmed(text));
    return;
  }
  if (position == columns_.size()) {
    if (has_header_ || num_rows_ > 0) return;  // one too many; end_of_record says how many
    check_number_of_columns(line);
    columns_.emplace_back(day_order_);
  }
  if (position < columns_.size()) {
    columns_[position].add(text, decimal_comma_, num_rows_ + 1, line);
  }
}

void TableBuilder::end_of_record(std::size_t line) {
  if (in_header_) {
    end_of_header(line);
  } else {
    if (num_fields_ != columns_.size()) throw_ragged(line);
    ++num_rows_;
    if (line_steps_.empty() ||
        line != line_steps_.back().line + (num_rows_ - line_steps_.back().row)) {
      line_steps_.push_back({num_rows_, line});
    }
  }
  num_fields_ = 0;
}

namespace {

void note_rounded(const ColumnBuilder& builder, const Column& column,
                  std::vector<std::string>& notes) {
  if (column.type != ColumnType::number || !builder.first_rounded()) return;
  notes.push_back(fmt::format(
      "column {} has whole numbers beyond 2^53, which double precision rounds, such as {} in row "
      "{}: those that differ in their last digits only are taken as equal",
      quoted(column.name), builder.first_rounded()->text, builder.first_rounded()->row));
}

}  // namespace

void TableBuilder::end_of_header(std::size_t line) {
  check_names(line);
  in_header_ = false;
  columns_.resize(names_.size(), ColumnBuilder(day_order_));
  if (std::all_of(names_.begin(), names_.end(),
                  [&](const std::string& name) { return is_data(name, decimal_comma_); })) {
    header_looks_like_data_ = true;
    notes_.push_back(
        fmt::format("the first row of {} looks like data, not names; if the file has no header, "
                    "use {}",
                    shown_source(source_), switch_text("no_header")));
  }
}

void TableBuilder::check_names(std::size_t line) const {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].empty()) {
      throw Error(
          ErrorKind::bad_data,
          fmt::format("{}: the header (line {}) has no name for column {} of {}; name it, "
                      "or use {} if the first row is data",
                      shown_source(source_), line, i + 1, names_.size(), switch_text("no_header")));
    }
    const auto [earlier, is_new] = positions.emplace(names_[i], i);
    if (!is_new) {
      throw Error(
          ErrorKind::bad_data,
          fmt::format("{}: the header (line {}) gives the name {} to columns {} and {}; "
                      "rename one of them",
                      shown_source(source_), line, quoted(names_[i]), earlier->second + 1, i + 1));
    }
  }
}

void TableBuilder::check_number_of_columns(std::size_t line) const {
  if (num_fields_ <= max_columns) return;
  throw Error(ErrorKind::bad_data,
              fmt::format("{}: line {} has more than {} columns; is this a CSV file with another "
                          "separator?",
                          shown_source(source_), line, max_columns));
}

void TableBuilder::throw_ragged(std::size_t line) const {
  throw Error(ErrorKind::bad_data,
              fmt::format("{}: {} has {} field{}, but {} has {}; is a separator or a quote missing "
                          "or one too many?",
                          shown_source(source_), row_place(num_rows_ + 1, line), num_fields_,
                          num_fields_ == 1 ? "" : "s", has_header_ ? "the header" : "the first row",
                          columns_.size()));
}

void TableBuilder::reserve(std::size_t num_rows) {
  for (ColumnBuilder& column : columns_) column.reserve(num_rows);
}

Table TableBuilder::take() {
  if (in_header_ || num_rows_ == 0) {
    const std::string_view what =
        has_header_ && !in_header_ ? "the file has a header but no data" : "the file is empty";
    throw Error(ErrorKind::bad_data, fmt::format("{}: {}", shown_source(source_), what));
  }
  Table table;
  table.source = source_;
  table.num_rows = num_untaken_rows();
  // The last one tells of what comes next.
  if (!line_steps_.empty()) table.line_steps = std::exchange(line_steps_, {line_steps_.back()});
  table.header_looks_like_data = header_looks_like_data_;
  table.notes = notes_;
  table.columns.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::string name = has_header_ ? names_[i] : fmt::format("column_{}", i + 1);
    table.columns.push_back(columns_[i].take(std::move(name), table.num_rows));
    note_rounded(columns_[i], table.columns.back(), table.notes);
  }
  num_taken_ = num_rows_;
  return table;
}

}  // namespace covary
