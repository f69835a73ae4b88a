#pragma once

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

}  // namespace covary
