#pragma once

#include <string>

#include <covary/dataset.h>
#include <covary/table.h>

namespace covary {

// Columns x and y of so many rows, as a file would give them: x(i) and y(i).
template <class X, class Y>
Table series_table(int num_rows, const X& x, const Y& y) {
  Table table;
  table.source = "test";
  table.num_rows = static_cast<std::size_t>(num_rows);
  table.line_steps = {{}};
  table.columns.resize(2);
  table.columns[0].name = std::string("x");  // of a literal, GCC 12 warns of what is not there
  table.columns[1].name = std::string("y");
  for (int i = 0; i < num_rows; ++i) {
    table.columns[0].values.push_back(x(i));
    table.columns[1].values.push_back(y(i));
  }
  return table;
}

// The same as data, y being the target.
template <class X, class Y>
Dataset series(int num_rows, const X& x, const Y& y) {
  return make_dataset(series_table(num_rows, x, y), {.target = "y"});
}

}  // namespace covary
