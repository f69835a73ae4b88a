#pragma once

#include <string>
#include <vector>

#include <covary/explain.h>

#include "explain/shape.h"

namespace covary {

// What the figures of a component say, besides the words about its kernel. The inputs' shares are
// filled in before.
void append_figure_sentences(const Explanation& explanation, const ComponentShape& shape,
                             ExplainedComponent& component);

// The whole model in one paragraph, and what to be careful about. All else is filled in before.
// Whether all rows have the same value, of which shares and checks say nothing.
bool is_of_constant(const Explanation& explanation);

std::string summary_of(const Explanation& explanation);
std::vector<std::string> general_cautions(const Explanation& explanation);
std::string averaging_text(const Explanation& explanation);
std::string unexpanded_caution(const ComponentAlgebra& algebra);

// Pieces of it: what is described ("y", "logit(y)"), "as a sum of three parts", and "the variance"
// of what is described.
std::string described_target(const Explanation& explanation);
std::string parts_text(const Explanation& explanation);
std::string variance_text(const Explanation& explanation);
std::string rows_text(const Explanation& explanation);  // "144 rows", "4000 of 34263 rows"

// What holds outside of the sample: "Of rows left out one at a time the others predict 87.1 % of
// the variance (leave-one-out)."
std::string leave_one_out_text(const Explanation& explanation);

// Why the inputs' shares add up to more than a whole; empty where they do not.
std::string overlap_text(const Explanation& explanation);

// "the first part reaches 90 % of the variance, the first 3 reach 99 %"
std::string reach_text(const Explanation& explanation);

// Which inputs matter; empty for a single input.
std::string inputs_text(const Explanation& explanation);

}  // namespace covary
