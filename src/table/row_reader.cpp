#include <algorithm>
#include <utility>

#include <covary/row_reader.h>

#include "table/byte_source.h"
#include "table/csv_stream.h"

namespace covary {

struct RowReader::State {
  State(const std::string& path, const CsvOptions& options, std::vector<Scaling> needed)
      : bytes(path),
        stream(bytes, name_of_source(path), options),
        columns(std::move(needed)),
        ready(columns.size()) {}

  FileSource bytes;
  CsvStream stream;
  std::vector<Scaling> columns;
  std::vector<std::vector<double>> ready;
  std::size_t num_ready = 0;
  std::vector<std::string> notes;
  bool has_begun = false;
  bool is_at_end = false;

  void read(std::size_t num_rows) {
    while (!is_at_end && stream.num_untaken_rows() < num_rows) is_at_end = !stream.read_some();
    // A file without rows is refused; what is at its end is not.
    if (has_begun && stream.num_untaken_rows() == 0) return;
    const Table table = stream.take();
    has_begun = true;
    notes = table.notes;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::vector<double> values = input_values(table, columns[i]);
      ready[i].insert(ready[i].end(), values.begin(), values.end());
    }
    num_ready += table.num_rows;
  }
};

RowReader::RowReader(const std::string& path, const CsvOptions& options,
                     std::vector<Scaling> columns)
    : state_(std::make_unique<State>(path, options, std::move(columns))) {}

RowReader::~RowReader() = default;

std::vector<std::vector<double>> RowReader::next(std::size_t num_rows) {
  State& state = *state_;
  if (state.num_ready < num_rows && !state.is_at_end) state.read(num_rows - state.num_ready);
  const std::size_t size = std::min(num_rows, state.num_ready);
  std::vector<std::vector<double>> rows;
  for (std::vector<double>& values : state.ready) {
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(size);
    rows.emplace_back(values.begin(), end);
    values.erase(values.begin(), end);
  }
  state.num_ready -= size;
  return rows;
}

const std::vector<std::string>& RowReader::notes() const { return state_->notes; }
double RowReader::share_read() const { return state_->stream.share_read(); }

}  // namespace covary
