#pragma once

#include <cstddef>

#include "linalg/vector_math.h"

// The words in which a base kernel or an operator says what it computes for one pair of points. A
// formula is written once; loops over it become vector code on the host (numerics.h) and threads of
// a device.

namespace covary {

inline constexpr std::size_t max_features = 3;    // per row: the input and what prepare() adds
inline constexpr std::size_t max_parameters = 3;  // of one base kernel or operator

// The features of one point, and derivatives by the parameters. Plain structs, not arrays: those
// would keep the compiler from turning loops over lanes into vector code.
struct Lane {
  double x;
  double second;
  double third;
};
struct Slopes {
  double first = 0.0;
  double second = 0.0;
  double third = 0.0;
};

// What an operator does to one pair of points: value = T(left, right), its derivatives by the two
// operands, and by its parameters.
struct OperatorSlopes {
  double left = 0.0;
  double right = 0.0;
  Slopes parameters;
};

// The features of a point whose input is x: a formula that needs more than the input has prepare().
template <class Formula>
COVARY_LANE Lane prepared(const double* parameters, double x) {
  if constexpr (requires { &Formula::prepare; }) {
    return Formula::prepare(parameters, x);
  } else {
    return {x, 0.0, 0.0};
  }
}

// A distance whose e^−t is 0 already: at larger ones a polynomial beside it would be infinite, and
// their product no number.
COVARY_LANE double within_sight(double t) {
  constexpr double far = 1000.0;
  return t < far ? t : far;
}

// One pair of points by itself. Kernels come in three forms: a value; an exponent, k = σ²
// exp(exponent); or an exponent that is a multiple of a `shared` number which the derivatives take
// too.
template <class Formula>
COVARY_LANE double formula_value(const typename Formula::Constants& c, const Lane& a,
                                 const Lane& b) {
  if constexpr (requires { &Formula::shared; }) {
    return c.variance * lane_exp(c.exponent_factor * Formula::shared(c, a, b));
  } else if constexpr (requires { &Formula::exponent; }) {
    return c.variance * lane_exp(Formula::exponent(c, a, b));
  } else {
    return Formula::value(c, a, b);
  }
}

template <class Formula>
COVARY_LANE Slopes formula_slopes(const typename Formula::Constants& c, const Lane& a,
                                  const Lane& b, double value) {
  if constexpr (requires { &Formula::shared; }) {
    return Formula::derivatives(c, a, b, value, Formula::shared(c, a, b));
  } else {
    return Formula::derivatives(c, a, b, value);
  }
}

}  // namespace covary
