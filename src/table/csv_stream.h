#pragma once

#include <cstddef>
#include <string>

#include <covary/table.h>

#include "table/byte_source.h"

namespace covary {

constexpr std::size_t csv_chunk_bytes = std::size_t{256} << 10U;

// What read_csv and read_csv_text come down to. The result does not depend on the size of the
// chunks in which the bytes pass; tests choose small ones to cut the text in every place.
Table read_csv_stream(ByteSource& bytes, const std::string& source, const CsvOptions& options,
                      std::size_t chunk_bytes = csv_chunk_bytes);

}  // namespace covary
