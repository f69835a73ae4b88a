// What a search of each tree once evaluates in vain: kernels that describe the same functions as
// one before them, or that a kernel of fewer base kernels describes.
//   repeats_benchmark DATA.csv TARGET SPACE ROWS [SEEDS]
// Prints one line of a table: evaluations of all searches, those in vain, and their CPU time.
#include <cstdlib>
#include <set>
#include <string>

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary {
namespace {

struct Count {
  std::size_t evaluations = 0;
  std::size_t longer = 0;   // than their shortest form
  std::size_t repeats = 0;  // of a family, among the others
  double seconds = 0.0;
  double seconds_in_vain = 0.0;
};

void add(const SearchResult& result, Count& count) {
  std::set<std::string> families;
  for (const SearchRecord& record : result.history) {
    const bool is_longer = shortest_form(record.kernel).num_leaves() < record.kernel.num_leaves();
    const bool is_repeat = !families.insert(family_key(record.kernel)).second;
    ++count.evaluations;
    count.longer += is_longer ? 1U : 0U;
    count.repeats += is_repeat && !is_longer ? 1U : 0U;
    count.seconds += record.evidence.seconds;
    if (is_longer || is_repeat) count.seconds_in_vain += record.evidence.seconds;
  }
}

void run(const std::string& path, const std::string& target, const std::string& space,
         std::size_t rows, std::size_t num_seeds) {
  const Dataset whole = make_dataset(read_csv(path), {.target = target});
  Count count;
  for (std::uint64_t seed = 1; seed <= num_seeds; ++seed) {
    const Dataset data = split_rows(whole, {.rows = rows, .seed = seed}).training;
    SearchOptions options;
    options.evidence.transform = TargetTransform::none;
    options.space.space = space;
    options.unique = Uniqueness::tree;
    options.finalists = 1;
    options.threads = 1;
    options.seed = seed;
    add(search(data, options), count);
  }
  const auto share = [](double part, double all) { return 100.0 * part / all; };
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.0f} % | {:.0f} % |\n",
             path.substr(path.rfind('/') + 1), space, rows, count.evaluations, count.longer,
             count.repeats,
             share(static_cast<double>(count.longer + count.repeats),
                   static_cast<double>(count.evaluations)),
             share(count.seconds_in_vain, count.seconds));
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    fmt::print(stderr, "usage: repeats_benchmark DATA.csv TARGET SPACE ROWS [SEEDS]\n");
    return 2;
  }
  try {
    covary::run(argv[1], argv[2], argv[3], std::stoul(argv[4]), argc > 5 ? std::stoul(argv[5]) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
