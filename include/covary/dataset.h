#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <covary/calendar.h>
#include <covary/settings.h>
#include <covary/table.h>
#include <covary/target_transform.h>

namespace covary {

enum class MissingPolicy { reject, drop };

struct DatasetOptions {
  std::string target = {};               // name of the column to explain
  std::vector<std::string> inputs = {};  // empty: all others of numbers, dates and categories
  // Columns to take as categories whatever they hold; those of text with few levels are without
  // being named.
  std::vector<std::string> categories = {};
  MissingPolicy missing = MissingPolicy::reject;
  bool scale = true;  // inputs to [0, 1], target to mean 0 and sd 1
};

const std::vector<Setting<DatasetOptions>>& dataset_settings();

// An invertible change of unit, scaled = (transformed raw - offset) / factor, and what the raw
// numbers mean. Only targets are transformed; categories are not scaled, a raw number being the
// index of a level.
struct Scaling {
  std::string name;
  ColumnType type = ColumnType::number;
  double offset = 0.0;
  double factor = 1.0;
  TargetTransform transform = TargetTransform::none;
  // Of a transformed target: what `factor` would be without the transform.
  double plain_factor = 1.0;
  // Of an input of numbers that count time: how many days one is, 365.25 of years such as 1949.25;
  // 0 of other inputs.
  double days_a_unit = 0.0;
  std::vector<std::string> levels = {};  // of a category
  std::string date_format = {};          // of dates, as Column::date_format

  bool is_category() const { return type == ColumnType::category; }
  bool counts_years() const { return days_a_unit == days_of_a_year; }

  double to_scaled(double raw) const;
  double to_raw(double scaled) const;

  // The transformed number, before it is scaled.
  double to_transformed(double scaled) const;

  // The factor of the raw numbers, transform or not.
  double raw_factor() const { return transform == TargetTransform::none ? factor : plain_factor; }

  // How long a year is on the scaled input; 0 if it has no calendar.
  double year() const;

  // log |d scaled / d standardised|, standardised being scaled without the transform.
  double log_jacobian(double scaled) const;

  // A raw value as people read it: as format_value(), or the name of its level.
  std::string value_text(double raw, int digits = 6) const;

  // Of the raw number, where the scaled one is Gaussian.
  Moments raw_moments(double mean, double sd) const;

  // Whether numbers mean the same: how dates are written plays no role.
  bool operator==(const Scaling& other) const;
};

// The numbers that a model sees: scaled inputs and target, with the way back to the user's units.
// Cheap to copy: copies share the numbers.
class Dataset {
 public:
  // Throws Error unless there is a scaling of another name for each input, all columns are of one
  // length, and all numbers are finite.
  Dataset(std::vector<std::vector<double>> inputs, std::vector<double> target,
          std::vector<Scaling> input_scalings, Scaling target_scaling, std::string fingerprint,
          std::vector<std::string> notes, std::size_t num_candidates = 0);

  std::size_t num_rows() const { return content_->target.size(); }
  std::size_t num_inputs() const { return content_->inputs.size(); }
  std::span<const double> input(std::size_t i) const { return content_->inputs[i]; }  // scaled
  std::span<const double> target() const { return content_->target; }                 // scaled
  const Scaling& input_scaling(std::size_t i) const { return content_->input_scalings[i]; }
  const Scaling& target_scaling() const { return content_->target_scaling; }
  std::vector<std::string> input_names() const;

  // How many inputs these were chosen from by how much they say of the target (screening.h); their
  // own number where none was left out.
  std::size_t num_candidates() const {
    return content_->num_candidates > 0 ? content_->num_candidates : num_inputs();
  }

  // Whether there is one input, and it has an order: what a model says of it is a curve.
  bool is_curve() const { return num_inputs() == 1 && !input_scaling(0).is_category(); }

  // Whether every row has the same target: all that a model can say is that value.
  bool has_constant_target() const;

  // 32 hexadecimal digits over names, types, levels and raw values of the used columns, in row
  // order: the same for the same numbers in any file format.
  const std::string& fingerprint() const { return content_->fingerprint; }

  // What a careful reader should know (ignored columns, dropped rows, repeated rows).
  const std::vector<std::string>& notes() const { return content_->notes; }

  // Whether the numbers of both mean the same: names, types and units.
  bool has_scalings_of(const Dataset& other) const;
  bool has_input_scalings_of(const Dataset& other) const;

  // The same rows with the target transformed, and scaled anew where it was scaled. Throws Error if
  // a value is out of the transform's domain.
  Dataset with_transform(TargetTransform transform) const;

  // What is added to a log density of the scaled targets to make it one of the targets without
  // their transform, standardised.
  double log_jacobian() const;

  // The given rows, in the given order, with the same scalings and fingerprint. Throws Error for
  // one that is not there.
  Dataset rows(std::span<const std::size_t> indices) const;

  // All rows with the given inputs only, in the given order; the fingerprint is that of the whole
  // table. REQUIRES: columns is not empty.
  Dataset with_inputs(std::span<const std::size_t> columns) const;

  // The same numbers, scalings and fingerprint. Notes do not count: no model depends on them.
  bool operator==(const Dataset& other) const;

 private:
  struct Content {
    std::vector<std::vector<double>> inputs;
    std::vector<double> target;
    std::vector<Scaling> input_scalings;
    Scaling target_scaling;
    std::string fingerprint;
    std::vector<std::string> notes;
    std::size_t num_candidates;  // 0: as many as there are
  };
  std::shared_ptr<const Content> content_;
};

// Of each input, as Scaling::year().
std::vector<double> years_of(const Dataset& data);

// In their own units: one input, all of them (column by column, as models take new points), and the
// target.
std::vector<double> raw_input(const Dataset& data, std::size_t column);
std::vector<std::vector<double>> raw_inputs(const Dataset& data);
std::vector<double> raw_target(const Dataset& data);

// The way back, for points of any number. `scaled_inputs` throws Error unless there is a column for
// each input, all of equal length and of finite numbers.
std::vector<double> scaled_input(const Dataset& data, std::size_t column, std::vector<double> raw);
std::vector<std::vector<double>> scaled_inputs(const Dataset& data,
                                               const std::vector<std::vector<double>>& raw);

// Chooses columns, treats missing cells, checks that there is something to learn, and scales.
// The scaling statistics are those of all usable rows of the table, as in the paper.
Dataset make_dataset(const Table& table, const DatasetOptions& options);

// The values of a table's column for a model's input of that name. Levels that the model has not
// seen get indices of their own beyond those that it has. Throws Error if there is no such column,
// its type is another, or a cell has no usable value.
std::vector<double> input_values(const Table& table, const Scaling& input);

struct SplitOptions {
  std::optional<std::size_t> rows = {};     // train on a uniform sample of so many rows
  std::optional<std::size_t> holdout = {};  // keep so many of the other rows for testing
  std::uint64_t seed = 1;
};

const std::vector<Setting<SplitOptions>>& split_settings();

struct Split {
  Dataset training;
  std::optional<Dataset> holdout;
};

// Uniform samples without replacement, the same for the same seed on every machine; rows stay in
// the order of the file. Without `rows`, everything that is not held out is for training.
Split split_rows(const Dataset& data, const SplitOptions& options);

}  // namespace covary
