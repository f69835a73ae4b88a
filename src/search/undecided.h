#pragma once

#include <span>
#include <vector>

#include <covary/dataset.h>
#include <covary/ensemble.h>
#include <covary/long_work.h>
#include <covary/search.h>

namespace covary {

// By so many standard errors a kernel has to be ahead.
inline constexpr double least_standard_errors = 2.0;

// How much a kernel will be ahead of another on all rows, and the standard error of that.
struct ExpectedLead {
  double lead = 0.0;
  double standard_error = 0.0;

  bool is_certain() const { return lead > least_standard_errors * standard_error; }
};

// From its lead on the judged rows, by the differences of leave-one-out log densities of some of
// them, whose neighbours depend on each other where they are in the order of a curve, and by how
// many parameters it has more.
ExpectedLead expected_lead(double lead_on_judged, std::span<const double> differences,
                           bool are_in_order, double num_judged, double num_rows,
                           double extra_parameters);

// Notes which finalists cannot be told apart from the best one, which is the first: those within
// the error of the rows that they were judged on, and those whose models' evidences of all rows are
// intervals that overlap with the best one's (docs/math/undecided.md). Throws WorkStopped.
void note_undecided(std::vector<Finalist>& finalists, const Dataset& data, const Ensemble& model,
                    MeanFunction mean, const LongWork& work);

}  // namespace covary
