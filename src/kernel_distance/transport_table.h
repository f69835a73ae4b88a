#pragma once

#include <cstdint>
#include <vector>

#include "kernel_distance/distance_set.h"
#include "kernel_distance/tree_features.h"

namespace covary {

// The three transport distances to a list of kernels, kept by feature: for each, the kernels that
// have it and how much of it. Total variation is 1 - Σ min(v, w), so only the features that a new
// kernel shares with the list are touched, each by one run through memory.
class TransportTable final : public DistanceSet {
 public:
  enum Part : std::uint8_t { base, paths, subtrees };

  TransportTable();

  std::size_t num_parts() const override { return 3; }
  std::size_t size() const override { return num_inputs_used_.size(); }
  void add(const Expression& kernel) override;
  void truncate(std::size_t size) override;
  std::vector<Matrix> distances(std::span<const Expression> kernels) const override;

 private:
  static constexpr std::uint32_t absent = 0xffffffffU;

  struct Share {
    std::uint32_t kernel;
    double frequency;
  };
  struct Slot {
    std::uint64_t name = 0;
    std::uint32_t feature = absent;
  };
  // What distances() needs beside its result, allocated once for many kernels.
  struct Workspace;

  std::uint32_t find(std::uint64_t name) const;
  std::uint32_t find_or_add(std::uint64_t name);
  void measure(const Expression& kernel, Workspace& work, std::span<double* const> sums) const;

  std::vector<Slot> slots_;  // a hash table with linear probing; its size is a power of two
  std::vector<std::vector<Share>> shares_;  // by feature
  std::vector<double> num_inputs_used_;     // by kernel
  std::vector<std::vector<double>> uses_;   // by input: 1 for each kernel that uses it, else 0
};

}  // namespace covary
