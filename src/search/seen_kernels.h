#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>

#include <covary/expression.h>
#include <covary/search.h>

namespace covary {

// Kernels that are not to be proposed again, by the chosen sameness.
class SeenKernels {
 public:
  explicit SeenKernels(Uniqueness uniqueness) : uniqueness_(uniqueness) {}

  bool remembers_any() const { return uniqueness_ != Uniqueness::none; }
  void add(const Expression& kernel) { hashes_.insert(hash(representative(kernel))); }
  SeenKernels with(std::span<const Expression> kernels) const {
    SeenKernels more = *this;
    for (const Expression& kernel : kernels) more.add(kernel);
    return more;
  }
  // Or there is a shorter way to say it, which counts as seen: it can be proposed itself.
  bool contains(const Expression& kernel) const {
    if (!remembers_any()) return false;
    const Expression known = representative(kernel);
    return known.num_leaves() < kernel.num_leaves() || hashes_.contains(hash(known));
  }

 private:
  Expression representative(const Expression& kernel) const {
    return uniqueness_ == Uniqueness::family ? shortest_form(kernel) : kernel;
  }
  std::uint64_t hash(const Expression& kernel) const {
    return uniqueness_ == Uniqueness::polynomial ? kernel.polynomial_hash().first
                                                 : kernel.tree_hash();
  }

  Uniqueness uniqueness_;
  std::unordered_set<std::uint64_t> hashes_;
};

}  // namespace covary
