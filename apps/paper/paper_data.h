#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <covary/dataset.h>

namespace covary::paper {

// A data set of the paper and what is done with it (paper, sections 4 and D).
struct PaperData {
  std::string name;   // "airfoil", on the command line
  std::string title;  // "Airfoil", in the paper's tables
  std::string file;
  std::string target;
  std::string space;
  std::size_t rows = 0;
};

const std::vector<PaperData>& all_paper_data();

struct TrainingAndTest {
  Dataset training;
  Dataset test;
};

// The paper's protocol: scaling statistics of the whole file, then training rows drawn uniformly,
// and up to 400 of the others for testing.
TrainingAndTest split_as_in_paper(const PaperData& data, const Dataset& whole, std::size_t rows,
                                  std::uint64_t split_seed);

// Throws Error if the file is missing or is not what it should be.
Dataset load(const PaperData& data, const std::string& folder);

bool is_there(const PaperData& data, const std::string& folder);

}  // namespace covary::paper
