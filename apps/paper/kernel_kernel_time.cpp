// The paper's figure of the CPU time of one kernel-kernel evaluation.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include <covary/distance.h>
#include <covary/grammar.h>

#include "base/parallel.h"
#include "experiments.h"
#include "kernel_distance/hellinger_distances.h"
#include "kernel_distance/transport_table.h"
#include "outcome.h"
#include "statistics.h"

namespace covary::paper {
namespace {

// One to five base kernels with 2, 5, 8, 10 and 12 parameters, in the space of LGBB (paper, table
// of the kernels used in the figure).
const std::array<const char*, 5> kernels = {"SE_1", "SE_1*PER_2", "SE_1*PER_2 + RQ_1",
                                            "(SE_1*PER_2 + RQ_1)*LIN_2",
                                            "(SE_1*PER_2 + RQ_1)*LIN_2 + SE_2"};

constexpr std::size_t num_rows_compared = 20;

std::vector<std::vector<double>> random_rows(Random& random) {
  std::vector<std::vector<double>> columns(2);
  for (std::vector<double>& column : columns) {
    for (std::size_t i = 0; i < num_rows_compared; ++i) column.push_back(random.uniform());
  }
  return columns;
}

// All kernels of the same size and shape that differ from it in one leaf.
std::vector<Expression> partners_of(const Expression& kernel, const InputNames& inputs) {
  const Grammar grammar(make_search_space({.space = "paper-small"}, inputs));
  return grammar.exchanges(kernel);
}

// The median over batches of the CPU time of one call, in microseconds; `prepare` is not counted.
template <class Prepare, class Work>
double microseconds(std::size_t num_batches, std::size_t calls, Prepare prepare, Work work) {
  std::vector<double> times;
  for (std::size_t batch = 0; batch < num_batches; ++batch) {
    const auto prepared = prepare();
    const double begin = thread_cpu_seconds();
    for (std::size_t i = 0; i < calls; ++i) work(*prepared);
    times.push_back(1e6 * (thread_cpu_seconds() - begin) / static_cast<double>(calls));
  }
  return median(times);
}

// Alone and in a search, SOT and Hellinger.
struct Times {
  double sot_alone;
  double sot_in_search;
  double hellinger_alone;
  double hellinger_in_search;
};

Times times_of(const Expression& kernel, const std::vector<Expression>& partners,
               const std::vector<std::vector<double>>& rows, std::size_t num_batches) {
  const auto nothing = [] { return std::make_unique<int>(0); };
  // With all that belongs to one kernel of the list alone computed.
  const std::vector<Expression> unrelated = {kernel * kernel};
  const auto list_of = [&](auto set) {
    for (const Expression& partner : partners) set->add(partner);
    static_cast<void>(set->distances(unrelated));
    return set;
  };
  const auto num_partners = static_cast<double>(partners.size());
  const std::vector<Expression> one = {kernel};
  const auto measure = [&](const DistanceSet& set) {
    const std::vector<Matrix> distances = set.distances(one);
    double sum = 0.0;
    for (const Matrix& part : distances) {
      for (std::size_t i = 0; i < set.size(); ++i) sum += std::exp(-part(i, 0));
    }
    volatile double used = sum;  // so that nothing is left out
    static_cast<void>(used);
  };
  Times times{};
  times.sot_alone = microseconds(num_batches, 200, nothing, [&](int) {
    const TransportDistances d = transport_distances(kernel, partners.front());
    volatile double used = std::exp(-(d.base + d.paths + d.subtrees) / 3.0);
    static_cast<void>(used);
  });
  times.sot_in_search =
      microseconds(
          num_batches, 50, [&] { return list_of(std::make_unique<TransportTable>()); }, measure) /
      num_partners;
  times.hellinger_alone = microseconds(num_batches, 1, nothing, [&](int) {
    const HellingerDistances distances(rows);
    volatile double used = std::exp(-0.5 * distances.distance(kernel, partners.front()));
    static_cast<void>(used);
  });
  // Distances are kept by pair, so every call needs a list of its own.
  times.hellinger_in_search =
      microseconds(
          num_batches, 1, [&] { return list_of(std::make_unique<HellingerDistances>(rows)); },
          measure) /
      num_partners;
  return times;
}

}  // namespace

void run_kernel_kernel_time(const Plan& plan) {
  Outcome outcome("kernel-kernel-time", "CPU time of one kernel-kernel evaluation");
  outcome.say(
      "Microseconds for K(k, k') of a kernel k and one that differs from it in a leaf. Alone: "
      "nothing is known of the two before. In a search: one new kernel is compared with a list "
      "whose features, or Gram matrices for 100 draws, are there already; the time is that of one "
      "pair. The paper shows a figure, of programs in Python: orders of magnitude between the "
      "two.");
  const InputNames inputs = InputNames::unnamed(2);
  Random random(1);
  const std::vector<std::vector<double>> rows_compared = random_rows(random);
  const std::size_t num_batches = plan.quick ? 3 : 25;
  std::array<Line, 4> lines;
  lines[0] = {"SOT, alone", {}, {}, {}, {}, 0, false, true};
  lines[1] = {"SOT, in a search", {}, {}, {}, {}, 0, true, true};
  lines[2] = {"Hellinger, alone", {}, {}, {}, {}, 1, false, true};
  lines[3] = {"Hellinger, in a search", {}, {}, {}, {}, 1, true, true};
  std::vector<Cells> rows;
  for (const char* text : kernels) {
    const Expression kernel = parse_expression(text, inputs);
    const Times times = times_of(kernel, partners_of(kernel, inputs), rows_compared, num_batches);
    const std::array<double, 4> all = {times.sot_alone, times.sot_in_search, times.hellinger_alone,
                                       times.hellinger_in_search};
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].x.push_back(static_cast<double>(kernel.num_leaves()));
      lines[i].y.push_back(all[i]);
    }
    rows.push_back({text, std::to_string(kernel.num_leaves()),
                    std::to_string(kernel.num_parameters()), shown(times.sot_alone, 2),
                    shown(times.hellinger_alone, 0),
                    shown(times.hellinger_alone / times.sot_alone, 0),
                    shown(times.sot_in_search, 4), shown(times.hellinger_in_search, 1),
                    shown(times.hellinger_in_search / times.sot_in_search, 0)});
    outcome.add_record({{"kernel", text},
                        {"base_kernels", kernel.num_leaves()},
                        {"parameters", kernel.num_parameters()},
                        {"sot_alone_us", times.sot_alone},
                        {"sot_in_search_us", times.sot_in_search},
                        {"hellinger_alone_us", times.hellinger_alone},
                        {"hellinger_in_search_us", times.hellinger_in_search}});
  }
  outcome.add_table({"kernel", "base kernels", "parameters", "SOT alone", "Hellinger alone",
                     "ratio", "SOT in a search", "Hellinger in a search", "ratio"},
                    rows);
  Panel panel{"One kernel-kernel evaluation", "base kernels", "CPU microseconds"};
  panel.is_log_y = true;
  panel.lines.assign(lines.begin(), lines.end());
  outcome.add_figure("", "CPU time of one kernel-kernel evaluation", {panel});
  outcome.write(plan);
}

}  // namespace covary::paper
