#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <covary/dataset.h>
#include <covary/table.h>

namespace covary {

// The columns of a CSV file that a model needs, some rows at a time and in bounded memory: a pipe
// can be read, and a file of any length. Values, and what is refused, are those of input_values()
// of the whole table; cells are complained about once they are read, with what was read up to
// there.
class RowReader {
 public:
  // `columns` as the model has them. Throws Error as read_csv does.
  RowReader(const std::string& path, const CsvOptions& options, std::vector<Scaling> columns);
  ~RowReader();
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  RowReader(RowReader&&) = delete;
  RowReader& operator=(RowReader&&) = delete;

  // The values of the next rows, column by column: as many as are asked for, fewer at the end, and
  // none after it. Throws Error.
  std::vector<std::vector<double>> next(std::size_t num_rows);

  const std::vector<std::string>& notes() const;  // the table's, once there were rows
  double share_read() const;                      // 0 of a pipe

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace covary
