#include "paper_data.h"

#include <algorithm>
#include <filesystem>

#include <covary/table.h>

#include "lgbb.h"

namespace covary::paper {
namespace {

constexpr std::size_t most_test_rows = 400;

std::string path_of(const PaperData& data, const std::string& folder) {
  return (std::filesystem::path(folder) / data.file).string();
}

}  // namespace

const std::vector<PaperData>& all_paper_data() {
  static const std::vector<PaperData> sets = {
      {"airline", "Airline", "airline.csv", "Passengers", "paper-small", 100},
      {"lgbb", "LGBB", "lgbb_original.txt", "lift", "paper-small", 150},
      {"powerplant", "Powerplant", "powerplant.csv", "PE", "paper-large", 500},
      {"airfoil", "Airfoil", "airfoil.csv", "sound_pressure", "paper-large", 500},
      {"concrete", "Concrete", "concrete.csv", "strength", "paper-large", 500},
  };
  return sets;
}

TrainingAndTest split_as_in_paper(const PaperData& data, const Dataset& whole, std::size_t rows,
                                  std::uint64_t split_seed) {
  const std::size_t num_training = std::min({rows, data.rows, whole.num_rows() - 1});
  const std::size_t num_test = std::min(whole.num_rows() - num_training, most_test_rows);
  const Split split =
      split_rows(whole, {.rows = num_training, .holdout = num_test, .seed = split_seed});
  return {split.training, *split.holdout};
}

Dataset load(const PaperData& data, const std::string& folder) {
  const std::string path = path_of(data, folder);
  if (data.name == "lgbb") return read_lgbb(path);
  return make_dataset(read_csv(path), {.target = data.target});
}

bool is_there(const PaperData& data, const std::string& folder) {
  return std::filesystem::exists(path_of(data, folder));
}

}  // namespace covary::paper
