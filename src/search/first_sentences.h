#pragma once

#include <optional>
#include <vector>

#include <covary/expression.h>
#include <covary/grammar.h>

namespace covary {

// A few kernels of the space that can follow most data, one of them roughly right: enough to see
// what a transform does, though not to explain anything.
std::vector<Expression> probe_kernels(const SearchSpace& space);

// What people would say first about such inputs.
struct FirstSentences {
  // A trend with a season that changes slowly, say, or one function of all inputs. The probes are
  // among them.
  std::vector<Expression> usual;
  // What some data have beside a trend, and most have not: noise that grows, a break.
  std::vector<Expression> rare;
};
FirstSentences first_sentences(const SearchSpace& space);

// The kernel and beside it a rough function of all inputs of several: what a structure leaves over
// is of no form that few rows could show. None where the space has no such thing, or the kernel has
// it.
std::optional<Expression> with_rough_rest(const SearchSpace& space, const Expression& kernel);

}  // namespace covary
