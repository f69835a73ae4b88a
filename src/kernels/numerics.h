#pragma once

#include <array>
#include <cstddef>

#include "base/vector_width.h"
#include "kernels/lanes.h"

// What a base kernel or an operator computes. A kernel's file writes it for one pair of points
// ("lane"); here the lanes become loops over part of a Gram matrix's column, compiled for the
// baseline processor and for two with wider vectors, of which one is chosen at run time.

namespace covary {

// Rows of one column of a Gram matrix: features[f][i] of row i, against the column's own point.
// `size` is a multiple of block_granularity, so that vector loops leave no rest.
struct Block {
  std::array<const double*, max_features> features;
  Lane point;
  std::size_t size;
};
inline constexpr std::size_t block_granularity = 8;

struct KernelNumerics {
  std::size_t num_features;
  // Whether feature 0 is not the input but a number of the row: equal for the very same row only.
  bool looks_at_rows;
  // Whether values() leaves a costly number per pair in `shared` that the derivatives need again.
  bool has_shared;
  // Fills features from the input, which is feature 0 already.
  void (*prepare)(const double* parameters, const double* x, std::size_t size,
                  double* const* features);
  void (*values)(const double* parameters, const Block& block, double* value, double* shared);
  // sums[p] += sum_i adjoint[i] * d value[i] / d parameter[p]
  void (*gradient)(const double* parameters, const Block& block, const double* value,
                   const double* shared, const double* adjoint, double* sums);
  // out[p][i] = d value[i] / d parameter[p]
  void (*derivatives)(const double* parameters, const Block& block, const double* value,
                      const double* shared, double* const* out);
};

struct OperatorNumerics {
  std::size_t num_features;
  void (*prepare)(const double* parameters, const double* x, std::size_t size,
                  double* const* features);
  void (*values)(const double* parameters, const Block& block, const double* left,
                 const double* right, double* value);
  // Passes the adjoint on to both operands, and adds to the sums of its own parameters.
  void (*gradient)(const double* parameters, const Block& block, const double* left,
                   const double* right, const double* adjoint, double* left_adjoint,
                   double* right_adjoint, double* sums);
  void (*derivatives)(const double* parameters, const Block& block, const double* left,
                      const double* right, double* const* out);
};

template <std::size_t num_features>
COVARY_LANE Lane lane_at(const Block& block, std::size_t i) {
  return {num_features > 0 ? block.features[0][i] : 0.0,
          num_features > 1 ? block.features[1][i] : 0.0,
          num_features > 2 ? block.features[2][i] : 0.0};
}

// Fills the features of rows from their inputs, of which x may be feature 0.
template <class Formula>
void prepare_rows(const double* parameters, const double* x, std::size_t size,
                  double* const* features) {
  if constexpr (requires { &Formula::prepare; }) {
    for (std::size_t i = 0; i < size; ++i) {
      const Lane lane = Formula::prepare(parameters, x[i]);
      features[0][i] = lane.x;
      if constexpr (Formula::num_features > 1) features[1][i] = lane.second;
      if constexpr (Formula::num_features > 2) features[2][i] = lane.third;
    }
  }
}

// ---- base kernels -----------------------------------------------------------------------------

// Kernels come in three forms: a value; an exponent, k = σ² exp(exponent); or an exponent that is a
// multiple of a `shared` number which the derivatives take too.
template <class Kernel>
struct KernelLoops {
  static constexpr std::size_t nf = Kernel::num_features;
  static constexpr std::size_t np = Kernel::num_parameters;
  static constexpr bool has_shared = requires { &Kernel::shared; };
  static constexpr bool looks_at_rows = requires { Kernel::looks_at_rows; };

  COVARY_LANE static void values(const double* parameters, const Block& block, double* value,
                                 double* shared) {
    const auto constants = Kernel::constants(parameters);
    const Lane point = block.point;
    (void)shared;
    // Two short loops overlap better in the processor than one long chain of operations.
    if constexpr (has_shared) {
      for (std::size_t i = 0; i < block.size; ++i) {
        shared[i] = Kernel::shared(constants, lane_at<nf>(block, i), point);
      }
      for (std::size_t i = 0; i < block.size; ++i) {
        value[i] = constants.variance * lane_exp(constants.exponent_factor * shared[i]);
      }
    } else if constexpr (requires { &Kernel::exponent; }) {
      for (std::size_t i = 0; i < block.size; ++i) {
        value[i] = Kernel::exponent(constants, lane_at<nf>(block, i), point);
      }
      for (std::size_t i = 0; i < block.size; ++i) {
        value[i] = constants.variance * lane_exp(value[i]);
      }
    } else {
      for (std::size_t i = 0; i < block.size; ++i) {
        value[i] = Kernel::value(constants, lane_at<nf>(block, i), point);
      }
    }
  }

  template <class Constants>
  COVARY_LANE static Slopes slopes(const Constants& constants, const Block& block,
                                   const double* value, const double* shared, std::size_t i) {
    (void)shared;
    if constexpr (has_shared) {
      return Kernel::derivatives(constants, lane_at<nf>(block, i), block.point, value[i],
                                 shared[i]);
    } else {
      return Kernel::derivatives(constants, lane_at<nf>(block, i), block.point, value[i]);
    }
  }

  COVARY_LANE static void gradient(const double* parameters, const Block& whole,
                                   const double* value, const double* shared, const double* adjoint,
                                   double* sums) {
    const auto constants = Kernel::constants(parameters);
    const Block block = whole;  // a copy, which stores through other pointers cannot change
    double s0 = 0.0;
    double s1 = 0.0;
    double s2 = 0.0;
#pragma omp simd reduction(+ : s0, s1, s2)
    for (std::size_t i = 0; i < block.size; ++i) {
      const Slopes d = slopes(constants, block, value, shared, i);
      s0 += adjoint[i] * d.first;
      if constexpr (np > 1) s1 += adjoint[i] * d.second;
      if constexpr (np > 2) s2 += adjoint[i] * d.third;
    }
    sums[0] += s0;
    if constexpr (np > 1) sums[1] += s1;
    if constexpr (np > 2) sums[2] += s2;
  }

  COVARY_LANE static void derivatives(const double* parameters, const Block& whole,
                                      const double* value, const double* shared,
                                      double* const* out) {
    const auto constants = Kernel::constants(parameters);
    const Block block = whole;
    for (std::size_t i = 0; i < block.size; ++i) {
      const Slopes d = slopes(constants, block, value, shared, i);
      out[0][i] = d.first;
      if constexpr (np > 1) out[1][i] = d.second;
      if constexpr (np > 2) out[2][i] = d.third;
    }
  }

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in brackets
#define COVARY_KERNEL_VARIANT(attribute, name)                                               \
  struct name {                                                                              \
    attribute static void values(const double* p, const Block& b, double* v, double* sh) {   \
      KernelLoops::values(p, b, v, sh);                                                      \
    }                                                                                        \
    attribute static void gradient(const double* p, const Block& b, const double* v,         \
                                   const double* sh, const double* a, double* sums) {        \
      KernelLoops::gradient(p, b, v, sh, a, sums);                                           \
    }                                                                                        \
    attribute static void derivatives(const double* p, const Block& b, const double* v,      \
                                      const double* sh, double* const* out) {                \
      KernelLoops::derivatives(p, b, v, sh, out);                                            \
    }                                                                                        \
    static constexpr KernelNumerics numerics = {                                             \
        nf, looks_at_rows, has_shared, prepare_rows<Kernel>, values, gradient, derivatives}; \
  };
  COVARY_KERNEL_VARIANT(COVARY_BASELINE, Baseline)
  COVARY_KERNEL_VARIANT(COVARY_WIDE, Wide)
  COVARY_KERNEL_VARIANT(COVARY_WIDEST, Widest)
#undef COVARY_KERNEL_VARIANT
  // NOLINTEND(bugprone-macro-parentheses)
};

template <class Kernel>
inline constexpr Variants<KernelNumerics> kernel_numerics = {
    KernelLoops<Kernel>::Baseline::numerics, KernelLoops<Kernel>::Wide::numerics,
    KernelLoops<Kernel>::Widest::numerics};

// ---- operators --------------------------------------------------------------------------------

template <class Op>
struct OperatorLoops {
  static constexpr std::size_t nf = Op::num_features;
  static constexpr std::size_t np = Op::num_parameters;

  COVARY_LANE static void values(const double* parameters, const Block& block, const double* left,
                                 const double* right, double* value) {
    (void)parameters;
    const Lane point = block.point;
    for (std::size_t i = 0; i < block.size; ++i) {
      value[i] = Op::value(lane_at<nf>(block, i), point, left[i], right[i]);
    }
  }

  COVARY_LANE static void gradient(const double* parameters, const Block& block, const double* left,
                                   const double* right, const double* adjoint, double* left_adjoint,
                                   double* right_adjoint, double* sums) {
    (void)parameters;
    const Lane point = block.point;
    double s0 = 0.0;
    double s1 = 0.0;
#pragma omp simd reduction(+ : s0, s1)
    for (std::size_t i = 0; i < block.size; ++i) {
      const double a = adjoint[i];
      const OperatorSlopes slopes = Op::slopes(lane_at<nf>(block, i), point, left[i], right[i]);
      left_adjoint[i] = a * slopes.left;
      right_adjoint[i] = a * slopes.right;
      if constexpr (np > 0) s0 += a * slopes.parameters.first;
      if constexpr (np > 1) s1 += a * slopes.parameters.second;
    }
    if constexpr (np > 0) sums[0] += s0;
    if constexpr (np > 1) sums[1] += s1;
    static_assert(np <= 2);
  }

  COVARY_LANE static void derivatives(const double* parameters, const Block& block,
                                      const double* left, const double* right, double* const* out) {
    (void)parameters;
    const Lane point = block.point;
    for (std::size_t i = 0; i < block.size; ++i) {
      const OperatorSlopes slopes = Op::slopes(lane_at<nf>(block, i), point, left[i], right[i]);
      if constexpr (np > 0) out[0][i] = slopes.parameters.first;
      if constexpr (np > 1) out[1][i] = slopes.parameters.second;
    }
  }

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in brackets
#define COVARY_OPERATOR_VARIANT(attribute, name)                                             \
  struct name {                                                                              \
    attribute static void values(const double* p, const Block& b, const double* l,           \
                                 const double* r, double* v) {                               \
      OperatorLoops::values(p, b, l, r, v);                                                  \
    }                                                                                        \
    attribute static void gradient(const double* p, const Block& b, const double* l,         \
                                   const double* r, const double* a, double* la, double* ra, \
                                   double* sums) {                                           \
      OperatorLoops::gradient(p, b, l, r, a, la, ra, sums);                                  \
    }                                                                                        \
    attribute static void derivatives(const double* p, const Block& b, const double* l,      \
                                      const double* r, double* const* out) {                 \
      OperatorLoops::derivatives(p, b, l, r, out);                                           \
    }                                                                                        \
    static constexpr OperatorNumerics numerics = {nf, prepare_rows<Op>, values, gradient,    \
                                                  derivatives};                              \
  };
  COVARY_OPERATOR_VARIANT(COVARY_BASELINE, Baseline)
  COVARY_OPERATOR_VARIANT(COVARY_WIDE, Wide)
  COVARY_OPERATOR_VARIANT(COVARY_WIDEST, Widest)
#undef COVARY_OPERATOR_VARIANT
  // NOLINTEND(bugprone-macro-parentheses)
};

template <class Op>
inline constexpr Variants<OperatorNumerics> operator_numerics = {
    OperatorLoops<Op>::Baseline::numerics, OperatorLoops<Op>::Wide::numerics,
    OperatorLoops<Op>::Widest::numerics};

}  // namespace covary
