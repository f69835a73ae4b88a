// Uses something of every layer, so that a symbol missing from the installed library is noticed.
#include <cstdio>

#include <covary/covary.h>

int main() {
  const covary::Dataset data = covary::make_dataset(
      covary::read_csv_text("t,y\n1,2\n2,3\n3,5\n", "memory"), {.target = "y"});
  const covary::InputNames inputs(data.input_names());
  const covary::Expression kernel = covary::parse_expression("LIN + SE*PER", inputs);
  const covary::Grammar grammar(covary::make_search_space({}, inputs));
  covary::Random random(1);
  if (!grammar.random_neighbour(kernel, random) || data.num_rows() != 3) return 1;
  std::printf("covary %s: %s\n", covary::version, covary::to_string(kernel, inputs).c_str());
  return 0;
}
