#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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

// The checksum that its file has.
std::string model_checksum(const Ensemble& model);

// A model as files have it: of one that is not exact, text of the rows of its support, and bytes of
// what follows from the others.
struct ModelParts {
  std::string text;
  std::optional<std::string> support = {};
};
ModelParts model_parts(const Ensemble& model);

// Gives the bytes of that second file, of which there should be so many.
using ReadSupport = std::function<std::string(std::size_t num_bytes)>;

struct ModelWithChecksum {
  Ensemble model;
  std::string checksum;
};
// As load_model().
ModelWithChecksum load_model_with_checksum(const std::string& path, const LongWork& work = {});
// As model_from_text().
ModelWithChecksum model_with_checksum(const std::string& text, const std::string& source,
                                      const LongWork& work = {}, const ReadSupport& read = {});

}  // namespace covary
