#pragma once

#include <cstdint>

#include "kernels/formulas.h"
#include "kernels/lanes.h"
#include "kernels/registry.h"

// The formulas by their numbers in a program, for one pair of points: the switch that devices run
// instead of the registry's tables of functions. It follows from the registry's list and the
// kernels' own files.

namespace covary::device {

enum Function : std::int32_t {
#define COVARY_NUMBER(name) function_##name,
  COVARY_BASE_KERNELS(COVARY_NUMBER) COVARY_OPERATORS(COVARY_NUMBER)
#undef COVARY_NUMBER
      num_functions
};

// Their names in this order: program and library must agree.
inline constexpr const char* formula_names =
#define COVARY_NAME(name) #name " "
    COVARY_BASE_KERNELS(COVARY_NAME) COVARY_OPERATORS(COVARY_NAME);
#undef COVARY_NAME

// A node's constants, whatever its kernel, take so many numbers.
inline constexpr std::size_t max_constants = 8;

struct Shape {
  std::int32_t num_features;
  std::int32_t num_parameters;
  bool is_operator;
  bool looks_at_rows;
};

template <class Formula>
COVARY_LANE Shape kernel_shape() {
  return {Formula::num_features, Formula::num_parameters, false, requires {Formula::looks_at_rows;
}
};  // namespace covary::device
}
template <class Formula>
COVARY_LANE Shape operator_shape() {
  return {Formula::num_features, Formula::num_parameters, true, false};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a template cannot stand in brackets
#define COVARY_CASE(name, call) \
  case function_##name:         \
    return call<registry::name##_formula>
// NOLINTEND(bugprone-macro-parentheses)

COVARY_LANE Shape shape_of(std::int32_t function) {
  switch (function) {
#define COVARY_SHAPE(name) COVARY_CASE(name, kernel_shape)();
    COVARY_BASE_KERNELS(COVARY_SHAPE)
#undef COVARY_SHAPE
#define COVARY_SHAPE(name) COVARY_CASE(name, operator_shape)();
    COVARY_OPERATORS(COVARY_SHAPE)
#undef COVARY_SHAPE
    default:
      return {};
  }
}

// What prepare() makes of an input, a row's number where the kernel looks at rows.
COVARY_LANE Lane features_of(std::int32_t function, const double* parameters, double x) {
  switch (function) {
#define COVARY_PREPARE(name) COVARY_CASE(name, prepared)(parameters, x);
    COVARY_BASE_KERNELS(COVARY_PREPARE)
    COVARY_OPERATORS(COVARY_PREPARE)
#undef COVARY_PREPARE
    default:
      return {};
  }
}

template <class Formula>
COVARY_LANE void store_constants(const double* parameters, double* out) {
  static_assert(sizeof(typename Formula::Constants) <= max_constants * sizeof(double));
  *reinterpret_cast<typename Formula::Constants*>(out) = Formula::constants(parameters);
}
COVARY_LANE void make_constants(std::int32_t function, const double* parameters, double* out) {
  switch (function) {
#define COVARY_CONSTANTS(name) COVARY_CASE(name, store_constants)(parameters, out);
    COVARY_BASE_KERNELS(COVARY_CONSTANTS)
#undef COVARY_CONSTANTS
    default:
      return;
  }
}

template <class Formula>
COVARY_LANE const typename Formula::Constants& stored(const double* constants) {
  return *reinterpret_cast<const typename Formula::Constants*>(constants);
}

#undef COVARY_CASE

}  // namespace covary::device
