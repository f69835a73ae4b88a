#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <covary/calendar.h>

namespace covary {

// The prior of one parameter, on inputs scaled to [0, 1] and a target of variance 1.
struct Prior {
  enum class Family {
    gamma,        // shape, rate: mean shape / rate
    exponential,  // rate: mean 1 / rate
    normal,       // mean, standard deviation
    log_normal,   // median, standard deviation of the logarithm
    log_uniform,  // lowest, highest: the logarithm is uniform between theirs
  };
  Family family;
  double first;
  double second = 0.0;

  static constexpr Prior gamma(double shape, double rate) { return {Family::gamma, shape, rate}; }
  static constexpr Prior exponential(double rate) { return {Family::exponential, rate}; }
  static constexpr Prior normal(double mean, double sd) { return {Family::normal, mean, sd}; }
  static constexpr Prior log_normal(double median, double sd) {
    return {Family::log_normal, median, sd};
  }
  static constexpr Prior log_uniform(double lowest, double highest) {
    return {Family::log_uniform, lowest, highest};
  }

  bool is_positive() const { return family != Family::normal; }  // else any real number
  bool operator==(const Prior&) const = default;
};

std::string to_string(const Prior& prior);  // "Gamma(2, 3)"

// What the values of an input are, and so which base kernels act on it.
enum class InputKind {
  number,    // numbers and dates
  category,  // levels, of which only equality counts
};

// What a parameter measures, and so how to show it in the user's units.
enum class Quantity {
  target_variance,  // square of the target's unit
  slope_variance,   // square of the target's unit per input unit
  variance_rate,    // square of the target's unit, per input unit
  input_length,     // a distance along the input: lengthscale, period, width
  input_location,   // a place on the input
  shape,            // a plain number
};

// Whether it is a size of the kernel: a kernel c times as large has c times these.
bool is_variance(Quantity quantity);

// How values and derivatives are computed; of use inside the library only.
struct KernelNumerics;
struct OperatorNumerics;
template <class Numerics>
struct Variants;

struct Parameter {
  std::string_view name;  // "lengthscale": the word in JSON, Python and the report
  std::string_view symbol;
  Quantity quantity;
  Prior prior;
};

// The part that a base kernel plays where a product of several is put into words.
enum class KernelRole {
  plain,       // its noun by itself, its modifier beside others
  smooth,      // varies over a lengthscale, its first input_length; the roughest gives the noun
  periodic,    // repeats after a period, its first input_length
  polynomial,  // one degree by itself; beside others their size grows with it away from 0
  wandering,   // as plain; goes on from where it was last
};

// What a kernel's functions are along an ordered input, where its rows can be taken one after the
// other (docs/math/state_space.md), and which parameters such a kernel has, in this order.
enum class StateForm {
  none,         // no finite state says all that the past knows
  matern12,     // lengthscale, variance
  matern32,     //
  matern52,     //
  random_walk,  // variance, constant variance
  constant,     // variance
  line,         // variance, constant variance
  noise,        // variance
  cycle,        // lengthscale, variance, and the period unless the calendar gives it
  smooth,       // lengthscale, variance
};

// A base kernel in other libraries, as Python text; empty where there is no counterpart, which the
// exporters then say. Parameters stand by their names, the input's column as `column`.
struct KernelExports {
  // An expression of sklearn.gaussian_process.kernels; constant(v) is a ConstantKernel, around(v)
  // are the bounds of a parameter.
  std::string_view sklearn = {};
  // A function of column and parameters; times() and with_values() stand before it.
  std::string_view gpytorch = {};
  std::string_view gpflow = {};  // an expression
};

// What the data tell of an input before any model is fitted.
struct InputTraits {
  InputKind kind = InputKind::number;
  std::size_t num_values = 0;             // different ones
  bool is_alone = false;                  // there is no other input
  bool is_even = false;                   // one row a value, in nearly even steps
  bool has_calendar = false;              // dates, or numbers that count years
  std::vector<CalendarUnit> cycles = {};  // of the calendar: those that the sampling can show

  // Rows in an order that means something, as those of a time series.
  bool is_sequence() const { return is_alone && (has_calendar || is_even); }
};

// A covariance function of one input. One file in src/kernels/base_kernels/ and one line in the
// registry make a base kernel; parser, printer, grammar, explanation, report and exporters find all
// that they need here. What has a default need not be said.
struct BaseKernel {
  std::string_view name;   // "SE": the word in kernel expressions
  std::string_view title;  // "squared exponential"
  std::string_view formula;
  std::span<const Parameter> parameters;
  const Variants<KernelNumerics>* numerics;
  bool is_stationary;         // k(x, x') depends on x - x' only
  std::string_view noun;      // the function it describes: "smooth function"
  std::string_view modifier;  // what it does to another as a factor: "with smoothly varying size"
                              // or, of categories, before the input's name: "differing by"

  InputKind acts_on = InputKind::number;
  KernelRole role = KernelRole::plain;
  // Among smooth ones. With `is_named_by_length`, words for the lengthscale ("very smooth") take
  // the place of the noun.
  double roughness = 1.0;
  bool is_named_by_length = false;
  // Of a kernel that repeats after a stretch of the calendar instead of a period of its own: its
  // formula sees the input in that unit, and it acts only on inputs that have a calendar.
  CalendarUnit calendar_unit = CalendarUnit::none;
  // The lengthscale of a squared exponential that is like it near x = x'; of a smooth one, its
  // lengthscale if not given. Functions take values in the order of `parameters`, and after them
  // the period that the calendar gives.
  double (*peak_length)(std::span<const double> values) = nullptr;
  // A further sentence about its values, or an empty one.
  std::string_view (*remark)(std::span<const double> values) = nullptr;
  // If the product of two on one input is another one: makes `values` those of the product.
  void (*merge)(std::span<double> values, std::span<const double> others) = nullptr;
  // Linear in all parameters: the sum of two on one input is another one, with the sums of them.
  bool adds_up = false;
  // The parameter that is added to all else, as a constant function would be.
  std::optional<std::size_t> constant_place = std::nullopt;
  bool uses_input = true;  // else it is the same on every input
  // White noise: independent from row to row, even where their inputs are equal.
  bool is_white = false;
  StateForm state_form = StateForm::none;
  // Whether a search that is left the choice (`--space auto`) has it for such an input.
  bool (*is_offered)(const InputTraits& input) = nullptr;  // if not given: no
  KernelExports exports = {};
};

// A constant function, and nothing else.
inline bool is_constant(const BaseKernel& kernel) { return !kernel.uses_input && !kernel.is_white; }

// Where the first parameter that is a length along the input stands; nothing if there is none.
std::optional<std::size_t> length_place(const BaseKernel& kernel);

// The names of the base kernels that act on such inputs.
std::vector<std::string> kernel_names(InputKind kind);

// How expressions may be rearranged under an operator without changing the kernel.
enum class Algebra {
  sum,      // a product distributes over it
  product,  // distributes over sums
  none,
};

// A closed operation T(A, B) on kernels (paper, section 2.3).
struct Operator {
  std::string_view name;    // "ADD": the word in trees and features
  std::string_view symbol;  // "+" between its operands, or "CP" before them: CP(A, B)
  bool is_infix;
  std::string_view title;
  std::string_view formula;
  std::span<const Parameter> parameters;
  const Variants<OperatorNumerics>* numerics;
  bool is_commutative;  // T(A, B) = T(B, A)
  bool is_associative;  // T(A, T(B, C)) = T(T(A, B), C)
  Algebra algebra;
  bool acts_on_input;  // bound to one input column of numbers, as base kernels are
  std::string_view words;
  // What each use costs under informed priors, in nats: how surprising it is before data are seen.
  double price = 0.0;
  // As that of a base kernel; of an operator that acts on no input, whether it is offered at all.
  bool (*is_offered)(const InputTraits& input) = nullptr;
};

// Every known base kernel and operator, in the order in which they are listed to users.
std::span<const BaseKernel* const> all_base_kernels();
std::span<const Operator* const> all_operators();

const BaseKernel* find_base_kernel(std::string_view name);  // nullptr if there is none
const Operator* find_operator(std::string_view symbol);     // by symbol or name; nullptr if none

const BaseKernel& constant_kernel();  // the one that is_constant()

// The operators that every search knows by name.
const Operator& add_operator();
const Operator& mult_operator();
const Operator& change_point_operator();

// A base kernel on one input column, counted from 0: the paper's SE_i. One that does not use its
// input stands on column 0.
struct BoundKernel {
  const BaseKernel* kernel = nullptr;
  std::size_t column = 0;
  // Of a kernel with a calendar unit: how long that is on the scaled input. It is the data's to
  // say (with_periods() in expression.h), and no part of what the kernel is.
  double period = 1.0;

  friend bool operator==(const BoundKernel& a, const BoundKernel& b) {
    return a.kernel == b.kernel && a.column == b.column;
  }
};

// An operator; with the input column, counted from 0, for one that acts on an input.
struct BoundOperator {
  const Operator* op = nullptr;
  std::size_t column = 0;

  friend bool operator==(const BoundOperator&, const BoundOperator&) = default;
};

}  // namespace covary
