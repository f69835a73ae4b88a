// The kernels one step away from an expression, for the inputs of a table:
//   neighbours examples/data/airline.csv Passengers "LIN + SE*PER"
#include <cstdio>

#include <covary/covary.h>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: neighbours DATA.csv TARGET EXPR\n");
    return 2;
  }
  try {
    const covary::Dataset data =
        covary::make_dataset(covary::read_csv(argv[1]), {.target = argv[2]});
    const covary::InputNames inputs(data.input_names());
    const covary::Expression kernel = covary::parse_expression(argv[3], inputs);
    const covary::Grammar grammar(covary::make_search_space({.space = "SE,PER"}, inputs));
    for (const covary::Expression& neighbour : grammar.neighbours(kernel)) {
      std::puts(covary::to_string(neighbour, inputs).c_str());
    }
  } catch (const covary::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return covary::exit_code(error.kind());
  }
  return 0;
}
