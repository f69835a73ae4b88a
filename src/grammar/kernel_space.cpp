#include <string>
#include <unordered_set>
#include <vector>

#include <covary/grammar.h>

namespace covary {

std::vector<Expression> kernel_space(const SearchSpace& space, std::size_t depth) {
  std::vector<Expression> kernels;
  std::unordered_set<std::string> keys;
  const auto add = [&](const Expression& kernel) {
    if (keys.insert(tree_key(kernel)).second) kernels.push_back(kernel);
  };
  for (const BoundKernel& kernel : space.base_kernels) add(kernel);
  for (std::size_t level = 1; level <= depth; ++level) {
    const std::size_t num_previous = kernels.size();
    for (const BoundOperator& op : space.operators) {
      for (std::size_t i = 0; i < num_previous; ++i) {
        for (std::size_t j = 0; j < num_previous; ++j) {
          if (kernels[i].num_leaves() + kernels[j].num_leaves() > space.max_leaves) continue;
          add(Expression::join(op, kernels[i], kernels[j]));
        }
      }
    }
  }
  return kernels;
}

}  // namespace covary
