#pragma once

#include <cstddef>
#include <string>

#include <covary/dataset.h>
#include <covary/ensemble.h>
#include <covary/long_work.h>

namespace covary {

// A larger file is no model of ours.
constexpr std::size_t max_model_bytes = 32'000'000;

// Whether the text of a model has no more values than model_from_text() takes.
bool can_be_read_back(const Ensemble& model);

// The same, and of no more than max_model_bytes, of a model that is still to be found; kernels are
// taken to be of usual size.
bool can_be_kept(const Dataset& data, std::size_t num_members);

// The checksum that its text has.
std::string model_checksum(const Ensemble& model);

struct ModelWithChecksum {
  Ensemble model;
  std::string checksum;
};
// As load_model().
ModelWithChecksum load_model_with_checksum(const std::string& path, const LongWork& work = {});
// As model_from_text().
ModelWithChecksum model_with_checksum(const std::string& text, const std::string& source,
                                      const LongWork& work = {});

}  // namespace covary
