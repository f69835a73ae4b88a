#pragma once

#include <array>
#include <cstddef>

#include "linalg/vector_math.h"

// What a base kernel or an operator computes. A kernel's file writes it for one pair of points
// ("lane"); here the lanes become loops over part of a Gram matrix's column, compiled for the
// baseline processor and for one with wider vectors, of which one is chosen at run time.

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

// Rows of one column of a Gram matrix: features[f][i] of row i, against the column's own point.
struct Block {
  std::array<const double*, max_features> features;
  Lane point;
  std::size_t size;
};

struct KernelNumerics {
  std::size_t num_features;
  // Fills features 1 ... from feature 0, the input.
  void (*prepare)(const double* parameters, const double* x, std::size_t size,
                  double* const* features);
  void (*values)(const double* parameters, const Block& block, double* value);
  // sums[p] += sum_i adjoint[i] * d value[i] / d parameter[p]
  void (*gradient)(const double* parameters, const Block& block, const double* value,
                   const double* adjoint, double* sums);
  // out[p][i] = d value[i] / d parameter[p]
  void (*derivatives)(const double* parameters, const Block& block, const double* value,
                      double* const* out);
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

// The variant for this machine.
bool has_wide_vectors();

template <class Numerics>
struct Variants {
  Numerics baseline;
  Numerics wide;

  const Numerics& best() const { return has_wide_vectors() ? wide : baseline; }
};

#if defined(__x86_64__)
#define COVARY_WIDE [[gnu::target("avx2,fma")]]
#else
#define COVARY_WIDE
#endif

template <std::size_t num_features>
COVARY_LANE Lane lane_at(const Block& block, std::size_t i) {
  return {num_features > 0 ? block.features[0][i] : 0.0,
          num_features > 1 ? block.features[1][i] : 0.0,
          num_features > 2 ? block.features[2][i] : 0.0};
}

// ---- base kernels -----------------------------------------------------------------------------

template <class Kernel>
struct KernelLoops {
  static constexpr std::size_t nf = Kernel::num_features;
  static constexpr std::size_t np = Kernel::num_parameters;

  COVARY_LANE static void values(const double* parameters, const Block& block, double* value) {
    const auto constants = Kernel::constants(parameters);
    const Lane point = block.point;
    if constexpr (requires { &Kernel::exponent; }) {
      // Two short loops overlap better in the processor than one long chain of operations.
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

  COVARY_LANE static void gradient(const double* parameters, const Block& block,
                                   const double* value, const double* adjoint, double* sums) {
    const auto constants = Kernel::constants(parameters);
    const Lane point = block.point;
    double s0 = 0.0;
    double s1 = 0.0;
    double s2 = 0.0;
#pragma omp simd reduction(+ : s0, s1, s2)
    for (std::size_t i = 0; i < block.size; ++i) {
      const Slopes d = Kernel::derivatives(constants, lane_at<nf>(block, i), point, value[i]);
      s0 += adjoint[i] * d.first;
      if constexpr (np > 1) s1 += adjoint[i] * d.second;
      if constexpr (np > 2) s2 += adjoint[i] * d.third;
    }
    sums[0] += s0;
    if constexpr (np > 1) sums[1] += s1;
    if constexpr (np > 2) sums[2] += s2;
  }

  COVARY_LANE static void derivatives(const double* parameters, const Block& block,
                                      const double* value, double* const* out) {
    const auto constants = Kernel::constants(parameters);
    const Lane point = block.point;
    for (std::size_t i = 0; i < block.size; ++i) {
      const Slopes d = Kernel::derivatives(constants, lane_at<nf>(block, i), point, value[i]);
      out[0][i] = d.first;
      if constexpr (np > 1) out[1][i] = d.second;
      if constexpr (np > 2) out[2][i] = d.third;
    }
  }

  static void values_baseline(const double* p, const Block& b, double* v) { values(p, b, v); }
  COVARY_WIDE static void values_wide(const double* p, const Block& b, double* v) {
    values(p, b, v);
  }
  static void gradient_baseline(const double* p, const Block& b, const double* v, const double* a,
                                double* s) {
    gradient(p, b, v, a, s);
  }
  COVARY_WIDE static void gradient_wide(const double* p, const Block& b, const double* v,
                                        const double* a, double* s) {
    gradient(p, b, v, a, s);
  }
  static void derivatives_baseline(const double* p, const Block& b, const double* v,
                                   double* const* out) {
    derivatives(p, b, v, out);
  }
  COVARY_WIDE static void derivatives_wide(const double* p, const Block& b, const double* v,
                                           double* const* out) {
    derivatives(p, b, v, out);
  }
};

template <class Kernel>
inline constexpr Variants<KernelNumerics> kernel_numerics = {
    {Kernel::num_features, Kernel::prepare, KernelLoops<Kernel>::values_baseline,
     KernelLoops<Kernel>::gradient_baseline, KernelLoops<Kernel>::derivatives_baseline},
    {Kernel::num_features, Kernel::prepare, KernelLoops<Kernel>::values_wide,
     KernelLoops<Kernel>::gradient_wide, KernelLoops<Kernel>::derivatives_wide}};

// ---- operators --------------------------------------------------------------------------------

// What an operator does to one pair of points: value = T(left, right), its derivatives by the two
// operands, and by its parameters.
struct OperatorSlopes {
  double left = 0.0;
  double right = 0.0;
  Slopes parameters;
};

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

  static void values_baseline(const double* p, const Block& b, const double* l, const double* r,
                              double* v) {
    values(p, b, l, r, v);
  }
  COVARY_WIDE static void values_wide(const double* p, const Block& b, const double* l,
                                      const double* r, double* v) {
    values(p, b, l, r, v);
  }
  static void gradient_baseline(const double* p, const Block& b, const double* l, const double* r,
                                const double* a, double* la, double* ra, double* s) {
    gradient(p, b, l, r, a, la, ra, s);
  }
  COVARY_WIDE static void gradient_wide(const double* p, const Block& b, const double* l,
                                        const double* r, const double* a, double* la, double* ra,
                                        double* s) {
    gradient(p, b, l, r, a, la, ra, s);
  }
  static void derivatives_baseline(const double* p, const Block& b, const double* l,
                                   const double* r, double* const* out) {
    derivatives(p, b, l, r, out);
  }
  COVARY_WIDE static void derivatives_wide(const double* p, const Block& b, const double* l,
                                           const double* r, double* const* out) {
    derivatives(p, b, l, r, out);
  }
};

template <class Op>
inline constexpr Variants<OperatorNumerics> operator_numerics = {
    {Op::num_features, Op::prepare, OperatorLoops<Op>::values_baseline,
     OperatorLoops<Op>::gradient_baseline, OperatorLoops<Op>::derivatives_baseline},
    {Op::num_features, Op::prepare, OperatorLoops<Op>::values_wide,
     OperatorLoops<Op>::gradient_wide, OperatorLoops<Op>::derivatives_wide}};

// For kernels and operators that need nothing beyond the input.
inline void prepare_nothing(const double* /*parameters*/, const double* /*x*/, std::size_t /*size*/,
                            double* const* /*features*/) {}

}  // namespace covary
