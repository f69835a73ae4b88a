// Whether kernels that are told apart by some of the rows are so by all of them.
//   undecided_study ROWS JUDGED DRAWS
// Draws tables of three inputs and series with a cycle, judges kernels on JUDGED rows and, from the
// parameters found there, on all ROWS, and prints how often the better of two kernels is the same,
// for pairs that docs/math/undecided.md calls decided and for the others.
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "evidence/judged_rows.h"
#include "search/undecided.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

// A smooth function of some inputs with such a length.
double waves(const std::vector<Numbers>& x, std::size_t row, const Numbers& slopes,
             const Numbers& phases) {
  double sum = 0.0;
  for (std::size_t w = 0; w < phases.size(); ++w) {
    double phase = phases[w];
    for (std::size_t i = 0; i < x.size(); ++i) phase += slopes[w * x.size() + i] * x[i][row];
    sum += std::cos(phase);
  }
  return std::sqrt(2.0 / static_cast<double>(phases.size())) * sum;
}

Dataset drawn(bool is_series, std::size_t num_rows, Random& random) {
  constexpr std::size_t num_waves = 200;
  const std::size_t num_inputs = is_series ? 1 : 3;
  std::vector<Numbers> x(num_inputs, Numbers(num_rows));
  std::vector<Scaling> scalings;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    scalings.push_back({.name = fmt::format("x{}", i)});
    for (std::size_t row = 0; row < num_rows; ++row) {
      x[i][row] =
          is_series ? static_cast<double>(row) / static_cast<double>(num_rows) : random.uniform();
    }
  }
  // Lengths differ so much between draws that now one kernel is right and now another.
  const double length = (is_series ? 0.02 : 0.3) * std::exp(0.7 * random.normal());
  const double share =
      random.uniform();  // of what is no sum of functions of one input, or no cycle
  Numbers slopes(num_waves * num_inputs);
  Numbers phases(num_waves);
  for (double& slope : slopes) slope = random.normal() / length;
  for (double& phase : phases) phase = 2.0 * std::numbers::pi * random.uniform();
  const double noise = 0.1 + 0.5 * random.uniform();
  Numbers y(num_rows);
  for (std::size_t row = 0; row < num_rows; ++row) {
    const double plain = is_series ? std::sin(2.0 * std::numbers::pi * 12.0 * x[0][row])
                                   : std::sin(5.0 * x[0][row]) + x[1][row];
    y[row] = plain + share * waves(x, row, slopes, phases) + noise * random.normal();
  }
  return Dataset(std::move(x), std::move(y), scalings, {.name = "y"}, "", {});
}

struct Judged {
  Evidence few;
  Evidence all;
  Numbers log_densities;
};

Judged judged(const Dataset& data, const Expression& kernel, std::size_t num_judged) {
  EvidenceOptions options;
  options.restarts = 10;
  options.judged_rows = num_judged;
  Judged one;
  one.few = make_oracle(data, options)->evaluate(kernel);
  options.judged_rows = 0;
  options.starts = StartValues::known;
  one.all = make_oracle(data, options)->evaluate(kernel, {{kernel, one.few.parameters}});
  const FittedModel model(kernel, one.few.parameters, data.rows(judged_rows(data, num_judged)));
  one.log_densities = model.leave_one_out_log_density();
  return one;
}

struct Count {
  std::size_t pairs = 0;
  std::size_t right = 0;
};

void run(std::size_t num_rows, std::size_t num_judged, std::size_t num_draws) {
  fmt::print("{} rows, judged on {}, {} draws of each kind\n\n", num_rows, num_judged, num_draws);
  fmt::print(
      "| | pairs | decided | of these right | undecided: right |\n|---|---:|---:|---:|---:|\n");
  for (const bool is_series : {false, true}) {
    const std::vector<std::string> texts =
        is_series ? std::vector<std::string>{"SE", "RQ", "PER + SE", "PER + RQ", "SE*PER"}
                  : std::vector<std::string>{"SE_1 + SE_2 + SE_3", "SE_1*SE_2*SE_3",
                                             "SE_1*SE_2 + SE_3", "RQ_1*SE_2*SE_3", "SE_1 + LIN_2"};
    Random random(1);
    std::array<Count, 2> counts;  // undecided, decided
    for (std::size_t draw = 0; draw < num_draws; ++draw) {
      const Dataset data = drawn(is_series, num_rows, random);
      std::vector<Judged> found;
      for (const std::string& text : texts) {
        const Expression kernel = parse_expression(text, InputNames::unnamed(data.num_inputs()));
        Judged one = judged(data, kernel, num_judged);
        if (one.few.value && one.all.value) found.push_back(std::move(one));
      }
      for (std::size_t a = 0; a < found.size(); ++a) {
        for (std::size_t b = a + 1; b < found.size(); ++b) {
          Numbers differences(found[a].log_densities);
          for (std::size_t i = 0; i < differences.size(); ++i) {
            differences[i] -= found[b].log_densities[i];
          }
          const double ahead = *found[a].few.value - *found[b].few.value;
          const double of_all = *found[a].all.value - *found[b].all.value;
          const auto& better = found[ahead > 0.0 ? a : b];
          const auto& other = found[ahead > 0.0 ? b : a];
          if (ahead < 0.0) {
            for (double& difference : differences) difference = -difference;
          }
          const double extra = static_cast<double>(better.few.parameters.size()) -
                               static_cast<double>(other.few.parameters.size());
          const ExpectedLead lead =
              expected_lead(std::abs(ahead), differences, is_series,
                            static_cast<double>(num_judged), static_cast<double>(num_rows), extra);
          Count& count = counts[lead.is_certain() ? 1 : 0];
          ++count.pairs;
          count.right += (ahead > 0.0) == (of_all > 0.0) ? 1U : 0U;
        }
      }
    }
    const auto share = [](const Count& count) {
      return count.pairs == 0
                 ? 0.0
                 : 100.0 * static_cast<double>(count.right) / static_cast<double>(count.pairs);
    };
    fmt::print("| {} | {} | {} | {:.1f} % | {:.1f} % |\n", is_series ? "series" : "tables",
               counts[0].pairs + counts[1].pairs, counts[1].pairs, share(counts[1]),
               share(counts[0]));
  }
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  covary::run(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10),
              std::strtoull(argv[3], nullptr, 10));
  return 0;
}
