// The options of this layer as users meet them, on the command line and elsewhere.
#include <string>
#include <string_view>
#include <vector>

#include <covary/dataset.h>
#include <covary/settings.h>
#include <covary/table.h>

#include "table/column_list.h"
#include "table/separator.h"

namespace covary {

const std::vector<Setting<CsvOptions>>& csv_settings() {
  static const std::vector<Setting<CsvOptions>> table = {
      {"separator", "CHARACTER",
       "What separates the columns: one character, or comma, semicolon or tab; comma, semicolon, "
       "tab and | are detected if not given.",
       [](CsvOptions& options, std::string_view text) {
         options.separator = parse_separator(text);
       },
       [](const CsvOptions& options) {
         return options.separator.has_value() ? separator_name(*options.separator) : std::string();
       },
       [](const CsvOptions& options) {
         if (options.separator.has_value()) check_separator(*options.separator);
       }},
      settings::flag("no_header", &CsvOptions::has_header, false,
                     "The first row is data; columns are named column_1, column_2, ..."),
      settings::choice<CsvOptions, DayOrder>(
          "day_order", &CsvOptions::day_order,
          {{"auto", DayOrder::automatic},
           {"day-first", DayOrder::day_first},
           {"month-first", DayOrder::month_first}},
          "Which number of 03/04/2024 is the day; a column that has 13/04/2024 says so itself."),
  };
  return table;
}

const std::vector<Setting<DatasetOptions>>& dataset_settings() {
  static const std::vector<Setting<DatasetOptions>> table = {
      settings::text("target", &DatasetOptions::target, "COLUMN", "The column to explain."),
      {"inputs", "COLUMNS",
       "The columns to explain it by, as in a,b or `wind, speed`,b; all other columns of numbers, "
       "dates and categories if not given.",
       [](DatasetOptions& options, std::string_view text) {
         options.inputs = split_column_list(text);
       },
       [](const DatasetOptions& options) { return join_column_list(options.inputs); }},
      {"categories", "COLUMNS",
       "Columns to take as categories, numbers and dates included; those of text with few levels "
       "are without being named.",
       [](DatasetOptions& options, std::string_view text) {
         options.categories = split_column_list(text);
       },
       [](const DatasetOptions& options) { return join_column_list(options.categories); }},
      settings::choice<DatasetOptions, MissingPolicy>(
          "missing", &DatasetOptions::missing,
          {{"reject", MissingPolicy::reject}, {"drop", MissingPolicy::drop}},
          "What to do about missing and infinite values: stop, or leave their rows out."),
      settings::flag("no_scale", &DatasetOptions::scale, false,
                     "Take the numbers as they are; otherwise inputs are scaled to [0, 1] and the "
                     "target to mean 0 and standard deviation 1."),
  };
  return table;
}

const std::vector<Setting<SplitOptions>>& split_settings() {
  static const std::vector<Setting<SplitOptions>> table = {
      settings::whole_number("rows", &SplitOptions::rows, 3,
                             "Train on a uniform sample of so many rows; on all if not given."),
      settings::whole_number("holdout", &SplitOptions::holdout, 1,
                             "Keep so many of the other rows for testing."),
      settings::whole_number("seed", &SplitOptions::seed, 0,
                             "Fixes all random choices; the same seed gives the same result."),
  };
  return table;
}

}  // namespace covary
