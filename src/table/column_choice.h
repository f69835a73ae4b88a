#pragma once

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include <covary/dataset.h>
#include <covary/table.h>

namespace covary {

struct ColumnChoice {
  const Column* target = nullptr;
  std::vector<const Column*> inputs;
  std::list<Column> categories;   // those inputs that the table has in another form
  bool inputs_are_named = false;  // by the user, who then has to know if one is of no use
};

// The target and the inputs that the options ask for. Tells columns that are left out in `notes`
// and throws Error for those that cannot be used.
ColumnChoice choose_columns(const Table& table, const DatasetOptions& options,
                            std::vector<std::string>& notes);

// Why the first cell of a column of text is neither a number nor a date: a sentence that begins
// with the cell in quotes. Empty if the column does not know it.
std::string why_text(const Column& column);

// The column of that name; the error names the option that asked for it.
const Column& find_column(const Table& table, const std::string& name, std::string_view option);

// ---- pieces of messages about columns ----

std::vector<std::string> names_of(const Table& table);
std::string place_of(const Table& table, const CellNote& cell, const Column& column);
std::string column_place(const Table& table, const Column& column);  // `a.csv: column "age"`

// Throws Error if a cell is not of the column's type, or the values cannot be trusted; `way_out` is
// what could be done besides correcting it.
void check_cells(const Table& table, const Column& column, std::string_view way_out);

}  // namespace covary
