#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <covary/table.h>

#include "table/cell.h"
#include "table/column_builder.h"
#include "table/csv_tokenizer.h"

namespace covary {

// Turns records into a table: names from the header, then one column builder for each field.
class TableBuilder final : public RecordSink {
 public:
  TableBuilder(std::string source, char separator, const CsvOptions& options);

  void field(std::string_view text, std::size_t line) override;
  void end_of_record(std::size_t line) override;

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_untaken_rows() const { return num_rows_ - num_taken_; }
  void reserve(std::size_t num_rows);

  // The table of the rows since the last call: of all, once the file is at its end. Cells count
  // rows from the beginning of the file. Throws Error where there are none.
  Table take();

 private:
  void end_of_header(std::size_t line);
  void check_names(std::size_t line) const;
  void check_number_of_columns(std::size_t line) const;
  [[noreturn]] void throw_ragged(std::size_t line) const;

  std::string source_;
  DecimalComma decimal_comma_;
  DayOrder day_order_;
  bool has_header_;
  bool in_header_;
  std::vector<std::string> names_;
  std::vector<ColumnBuilder> columns_;
  std::size_t num_fields_ = 0;  // of the record so far
  std::size_t num_rows_ = 0;    // complete ones
  std::size_t num_taken_ = 0;
  std::vector<Table::LineStep> line_steps_;
  bool header_looks_like_data_ = false;
  std::vector<std::string> notes_;
};

}  // namespace covary
