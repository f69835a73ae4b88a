#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <covary/dataset.h>
#include <covary/table.h>

namespace covary {

// Which columns of a table make up its time series.
struct TimeSeriesOptions {
  std::string target = {};
  std::string time = {};   // empty: the column of dates, or the one other column of numbers
  std::string group = {};  // the column that tells several series apart; empty: there is one
  MissingPolicy missing = MissingPolicy::reject;
};

// A series of one target, its rows in the order of time.
struct TimeSeries {
  std::string name = {};  // the level of the group; empty where there is one series
  Table table = {};       // the column of times, then the target; no cell is missing

  std::size_t num_rows() const { return table.num_rows; }
  const Column& time() const { return table.columns[0]; }
  const Column& target() const { return table.columns[1]; }

  // The same, up to so many rows from the beginning. REQUIRES: there are so many.
  TimeSeries first_rows(std::size_t count) const;

  // For a model of these rows alone.
  Dataset dataset(bool is_scaled = true) const;
};

// The series of a table, in the order of the group's levels. Adds to `notes` what a careful reader
// should know (columns and rows that were left out). Throws Error that names the option or the
// column.
std::vector<TimeSeries> time_series_of(const Table& table, const TimeSeriesOptions& options,
                                       std::vector<std::string>& notes);

}  // namespace covary
