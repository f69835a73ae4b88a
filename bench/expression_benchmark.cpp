// The symbolic hot paths: a search builds and compares thousands of expressions an iteration.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <covary/expression.h>
#include <covary/grammar.h>

namespace covary {
namespace {

constexpr std::size_t num_inputs = 5;

Grammar paper_grammar() { return Grammar(make_search_space({}, InputNames::unnamed(num_inputs))); }

// Expressions of exactly `num_leaves` leaves.
std::vector<Expression> expressions(std::size_t num_leaves) {
  const Grammar grammar = paper_grammar();
  Random random(1);
  std::vector<Expression> found;
  while (found.size() < 256) {
    Expression tree = grammar.start_kernels()[random.index(grammar.start_kernels().size())];
    while (tree.num_leaves() < num_leaves) tree = *grammar.random_neighbour(tree, random);
    found.push_back(tree);
  }
  return found;
}

// Calls `work` with one expression after the other.
template <class Work>
void over_expressions(benchmark::State& state, const Work& work) {
  const std::vector<Expression> trees = expressions(static_cast<std::size_t>(state.range(0)));
  std::size_t i = 0;
  for (auto _ : state) {
    work(trees[i++ % trees.size()]);
  }
}

void copy(benchmark::State& state) {
  over_expressions(state, [](const Expression& tree) {
    Expression other = tree;
    benchmark::DoNotOptimize(other);
  });
}

void random_neighbour(benchmark::State& state) {
  const Grammar grammar = paper_grammar();
  Random random(2);
  over_expressions(state, [&](const Expression& tree) {
    benchmark::DoNotOptimize(grammar.random_neighbour(tree, random));
  });
}

void compare_tree_hashes(benchmark::State& state) {
  std::uint64_t last = 0;
  over_expressions(state, [&](const Expression& tree) {
    benchmark::DoNotOptimize(tree.tree_hash() == last);
    last = tree.tree_hash();
  });
}

void write_tree_key(benchmark::State& state) {
  over_expressions(state, [](const Expression& tree) { benchmark::DoNotOptimize(tree_key(tree)); });
}

void write_polynomial_key(benchmark::State& state) {
  over_expressions(state,
                   [](const Expression& tree) { benchmark::DoNotOptimize(polynomial_key(tree)); });
}

void print_expression(benchmark::State& state) {
  over_expressions(state,
                   [](const Expression& tree) { benchmark::DoNotOptimize(to_string(tree)); });
}

void print_and_parse(benchmark::State& state) {
  const InputNames inputs = InputNames::unnamed(num_inputs);
  over_expressions(state, [&](const Expression& tree) {
    benchmark::DoNotOptimize(parse_expression(to_string(tree, inputs), inputs));
  });
}

BENCHMARK(copy)->Arg(1)->Arg(10);
BENCHMARK(compare_tree_hashes)->Arg(10);
BENCHMARK(random_neighbour)->Arg(1)->Arg(4)->Arg(10);
BENCHMARK(write_tree_key)->Arg(4)->Arg(10);
BENCHMARK(write_polynomial_key)->Arg(4)->Arg(10);
BENCHMARK(print_expression)->Arg(4)->Arg(10);
BENCHMARK(print_and_parse)->Arg(4)->Arg(10);

}  // namespace
}  // namespace covary
