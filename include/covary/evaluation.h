#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/expression.h>
#include <covary/long_work.h>
#include <covary/search.h>
#include <covary/settings.h>

namespace covary {

struct EvaluationOptions {
  EvidenceOptions evidence = {};
  Fidelity fidelity = Fidelity::automatic;

  static EvaluationOptions paper();  // of `--preset paper`
};

// Those that are beside evidence_settings().
const std::vector<Setting<EvaluationOptions>>& evaluation_settings();

// Who looks on.
struct EvaluationWatch {
  const std::atomic<bool>* interrupted = nullptr;
  // Once nothing stands in the way: the rows that the kernel is judged on in the end, and what all
  // fits up to there will take, roughly.
  std::function<void(const WorkEstimate& estimate)> starting = {};
};

// Fits one kernel and judges it as a search judges its finalists (docs/evidence.md): of many rows
// on few at first, from the parameters found there on more, and in the end on Evidence::rows, which
// are all up to 6,000 and 4,500 of more; with Fidelity::exact on all of them alone. The time limit
// is that of all fits and, where not all rows are judged on, of conditioning a model on all of them
// afterwards, for which up to half of it is kept; where it ends a rung, the result is that of the
// rung below. Throws Error as make_oracle does, and where such a model would have no room.
Evidence evaluate(const Dataset& data, const Expression& kernel, const EvaluationOptions& options,
                  const EvaluationWatch& watch = {});

}  // namespace covary
