#include "grammar/grammar_graph.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace covary {

GrammarGraph::GrammarGraph(const Grammar& grammar, std::span<const Expression> kernels) {
  std::unordered_map<std::uint64_t, std::size_t> nodes;  // by tree
  for (const Expression& kernel : kernels) {
    node_of_.push_back(nodes.emplace(kernel.tree_hash(), nodes.size()).first->second);
  }
  edges_.resize(nodes.size());
  std::vector<bool> is_done(nodes.size(), false);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::size_t from = node_of_[i];
    if (is_done[from]) continue;
    is_done[from] = true;
    for (const Expression& neighbour : grammar.neighbours(kernels[i])) {
      const auto found = nodes.find(neighbour.tree_hash());
      if (found == nodes.end() || found->second == from) continue;
      edges_[from].push_back(found->second);
      edges_[found->second].push_back(from);
    }
  }
  for (std::vector<std::size_t>& to : edges_) {
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  }
}

std::vector<std::size_t> GrammarGraph::path_lengths(std::size_t from) const {
  std::vector<std::size_t> length_of_node(edges_.size(), unreachable);
  std::deque<std::size_t> open = {node_of_[from]};
  length_of_node[open.front()] = 0;
  while (!open.empty()) {
    const std::size_t node = open.front();
    open.pop_front();
    for (const std::size_t next : edges_[node]) {
      if (length_of_node[next] != unreachable) continue;
      length_of_node[next] = length_of_node[node] + 1;
      open.push_back(next);
    }
  }
  std::vector<std::size_t> lengths;
  for (const std::size_t node : node_of_) lengths.push_back(length_of_node[node]);
  return lengths;
}

}  // namespace covary
