#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "evidence/log_posterior.h"

namespace covary {

// A log posterior that remembers the best place it was asked for. Our optimisers use it as an
// Objective. Libraries use the ..._at() functions: they ask for gradients at a place of their
// choice, sometimes twice, and know no places without a value.
class WatchedObjective final : public Objective {
 public:
  explicit WatchedObjective(LogPosterior& posterior) : posterior_(posterior) {}

  std::size_t size() const override { return posterior_.size(); }
  double value(std::span<const double> place) override;
  void gradient(std::span<double> out) override { posterior_.gradient(out); }
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override {
    posterior_.gradient_and_curvature(out, curvature);
  }

  // Where there is no value: far below the best one, and flat. A place whose gradient turns out not
  // to be finite has none from then on; so ask for the gradient first.
  double value_at(std::span<const double> place);
  void gradient_at(std::span<const double> place, std::span<double> out);
  // Only where there is a value.
  void gradient_and_curvature_at(std::span<const double> place, std::span<double> out,
                                 Matrix& curvature);
  bool has_value_at(std::span<const double> place);

  double best_value() const { return best_value_; }
  const std::vector<double>& best_place() const { return best_place_; }
  std::size_t num_without_value() const { return num_without_value_; }

 private:
  // Makes `place` the last one. A gradient uses up what value() left for it; `for_gradient` asks
  // for the value again if that has happened.
  void go_to(std::span<const double> place, bool for_gradient);

  LogPosterior& posterior_;
  std::vector<double> last_place_;
  double last_value_ = 0.0;
  bool is_used_up_ = false;
  std::vector<double> last_gradient_;  // empty: not asked for yet
  std::vector<double> best_place_;
  double best_value_ = -std::numeric_limits<double>::infinity();
  std::size_t num_without_value_ = 0;
};

}  // namespace covary
