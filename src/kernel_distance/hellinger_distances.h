#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel_distance/distance_set.h"
#include "linalg/batched_determinants.h"

namespace covary {

struct HellingerOptions {
  std::size_t num_draws = 100;  // of the parameters, through the quantiles of their priors
  double jitter = 1e-6;
  std::size_t max_kept = 1500;  // kernels whose matrices are kept, 170 kB each for 20 rows
};

// How differently two kernels behave as priors over functions (BOMS, Malkomes et al. 2016; paper,
// section 3.3): the squared Hellinger distance of the two normal distributions of the function at
// a few rows of the data, averaged over draws of the parameters. The same draws serve every kernel,
// parameter by parameter in preorder. The only distance that looks at data.
class HellingerDistances final : public DistanceSet {
 public:
  // REQUIRES: columns of equal length, at least one row. `years` as with_periods() takes them.
  explicit HellingerDistances(std::vector<std::vector<double>> inputs,
                              HellingerOptions options = {}, std::vector<double> years = {});

  std::size_t num_parts() const override { return 1; }
  std::size_t size() const override { return listed_.size(); }
  void add(const Expression& kernel) override;
  void truncate(std::size_t size) override;
  std::vector<Matrix> distances(std::span<const Expression> kernels) const override;

  // Without a list.
  double distance(const Expression& a, const Expression& b) const;

 private:
  // The distribution of the function: Gram matrices for all draws, and the logarithms of their
  // determinants.
  struct FunctionPrior {
    explicit FunctionPrior(SymmetricBatch batch)
        : matrices(std::move(batch)), log_determinants(matrices.log_determinants()) {}
    SymmetricBatch matrices;
    std::vector<double> log_determinants;
    mutable std::uint64_t last_use = 0;
  };
  struct Named {
    Expression kernel;
    std::uint64_t name = 0;
  };

  // Which prior's, at the draws of which parameter.
  using QuantilesOf = std::tuple<Prior::Family, double, double, std::size_t>;

  const std::vector<double>& quantiles_of(const Prior& prior, std::size_t parameter) const;
  static std::uint64_t name_of(const Expression& kernel);
  std::shared_ptr<const FunctionPrior> prior_of(const Named& named) const;
  FunctionPrior computed_prior(const Expression& kernel) const;
  double distance_between(const Named& a, const Named& b) const;
  void forget_old_priors() const;

  std::vector<std::vector<double>> inputs_;
  HellingerOptions options_;
  std::vector<double> years_;
  std::vector<Named> listed_;
  // What was computed once; it does not show outside. Not to be used by several threads at once.
  mutable std::vector<std::vector<double>> draws_;  // by parameter, then by draw; in (0, 1)
  mutable std::map<QuantilesOf, std::vector<double>> quantiles_;
  mutable std::unordered_map<std::uint64_t, std::shared_ptr<const FunctionPrior>> priors_;
  mutable std::unordered_map<std::uint64_t, double> known_;  // by both names
  mutable std::uint64_t clock_ = 0;
};

}  // namespace covary
