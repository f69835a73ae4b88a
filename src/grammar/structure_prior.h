#pragma once

#include <vector>

#include <covary/expression.h>
#include <covary/grammar.h>

namespace covary {

// How many kernels of each number of base kernels a space has, the order of terms and factors
// aside: [n] for n of them, up to the space's most.
std::vector<double> count_kernels(const SearchSpace& space);

// How probable each kernel of a space is before data are seen; docs/math/priors.md. Most of it is
// for a few sentences that people would say first, in equal parts, and a little for a few that are
// seldom true. The rest is for the whole space, in equal parts for all numbers of base kernels, and
// for all kernels that have so many.
class StructurePrior {
 public:
  StructurePrior(const SearchSpace& space, std::vector<Expression> usual,
                 std::vector<Expression> rare);

  // REQUIRES: a kernel of the space.
  double log_probability(const Expression& kernel) const;

 private:
  std::vector<Expression> usual_;
  std::vector<Expression> rare_;
  std::vector<double> share_;  // of one kernel of n base kernels, in the whole
};

}  // namespace covary
