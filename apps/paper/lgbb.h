#pragma once

#include <string>

#include <covary/dataset.h>

namespace covary::paper {

// Where users get the file from; it may not be passed on.
extern const char* const lgbb_source;

// The Langley Glide-Back Booster as the paper prepares it: of lgbb_original.txt the rows with
// beta = 0 and a lift below its 0.99 quantile, inputs mach / 6 and (alpha + 5) / 35, lift
// standardised. Throws Error with the line if the file is not of that form.
Dataset read_lgbb(const std::string& path);

}  // namespace covary::paper
