#pragma once

#include <cstddef>
#include <string>

#include <covary/dataset.h>
#include <covary/ensemble.h>
#include <covary/long_work.h>

namespace covary {

// A model as a file: JSON that people can read, with a version and a checksum, the same under every
// locale. It holds the training data, once for all members of an ensemble, so that prediction needs
// nothing else. A single model is an ensemble of one here, on the way in and on the way out. Of a
// model that is not exact it holds the rows of the support, and a file beside it, of its name and
// ".support", what follows from all others: loading it takes no pass over them.

// Writes beside the file first and then renames, so that no half-written file is ever seen; a pipe
// or a device is written to directly. Throws Error (cannot_write, disk), also for a file that is
// there and is to be kept.
enum class ExistingFile { keep, replace };
void save_model(const Ensemble& model, const std::string& path,
                ExistingFile existing = ExistingFile::keep);

// Throws the same errors as far as they can be known before there is a model to write.
void check_model_path(const std::string& path, ExistingFile existing = ExistingFile::keep);
void check_model_size(const Dataset& data, std::size_t num_members, const std::string& path);

// Throws Error with one sentence for a file that is missing, damaged, or no model. The models are
// conditioned on their rows again: of many rows that is long work, as FittedModel's constructor.
Ensemble load_model(const std::string& path, const LongWork& work = {});

// Both files as one string of bytes: of an exact model, those of its text.
std::string model_to_bytes(const Ensemble& model);
Ensemble model_from_bytes(const std::string& bytes, const std::string& source,
                          const LongWork& work = {});

// The same as text, with all rows.
std::string model_to_text(const Ensemble& model);
Ensemble model_from_text(const std::string& text, const std::string& source,
                         const LongWork& work = {});

}  // namespace covary
