#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <covary/table.h>

#include "table/byte_source.h"

namespace covary {

constexpr std::size_t csv_chunk_bytes = std::size_t{256} << 10U;

// A CSV file as tables of the rows that were read since the last one.
class CsvStream {
 public:
  // Nothing but the name is kept. Throws Error for what is no text.
  CsvStream(ByteSource& bytes, const std::string& source, const CsvOptions& options,
            std::size_t chunk_bytes = csv_chunk_bytes);
  ~CsvStream();
  CsvStream(const CsvStream&) = delete;
  CsvStream& operator=(const CsvStream&) = delete;
  CsvStream(CsvStream&&) = delete;
  CsvStream& operator=(CsvStream&&) = delete;

  bool read_some();           // a chunk; false at the end of the file
  void reserve_for_all();     // room for as many rows as the file seems to have
  double share_read() const;  // of the bytes; 0 where it is not known how many there are

  std::size_t num_untaken_rows() const;
  Table take();  // as TableBuilder's

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What read_csv and read_csv_text come down to. The result does not depend on the size of the
// chunks in which the bytes pass; tests choose small ones to cut the text in every place.
Table read_csv_stream(ByteSource& bytes, const std::string& source, const CsvOptions& options,
                      std::size_t chunk_bytes = csv_chunk_bytes);

}  // namespace covary
