#pragma once

#include <cstddef>
#include <memory>

#include "inference/inference.h"
#include "inference/sparse/sparse_rows.h"

namespace covary {

// How much a sparse posterior may take. Its numbers are counts, not seconds, so that results do not
// depend on the machine; bench/sparse_benchmark says what they cost.
struct SparseLimits {
  // Rows of the support: so many up to some number of rows, and fewer of more.
  std::size_t support = 4000;
  std::size_t rows_of_whole_support = 100'000;
  // Rows of which all covariances are computed once to bound the evidence; of fewer more often, as
  // far as they are not more in all, and so often at the most.
  std::size_t rows_of_products = 100'000;
  std::size_t products = 3;
  // What is counted beside what the support knows, along one input and of several.
  OwnPart along_one_input = OwnPart::stretches;
  OwnPart of_several_inputs = OwnPart::none;
  // Along one input, instead of an interval, where the kernel has a state space that takes no
  // longer.
  bool evidence_by_state_space = true;
};

std::unique_ptr<const Inference> make_sparse_inference(const SparseLimits& limits);

}  // namespace covary
