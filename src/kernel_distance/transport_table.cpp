#include "kernel_distance/transport_table.h"

#include <algorithm>
#include <array>

#include "base/checkpoint.h"

namespace covary {
namespace {

// A leaf is a base kernel and a subtree; the parts' names are told apart by these.
constexpr std::uint64_t base_salt = 0x243f6a8885a308d3U;
constexpr std::uint64_t path_salt = 0x13198a2e03707344U;

}  // namespace

// The features of one kernel that the table knows, with their counts.
struct TransportTable::Workspace {
  struct Found {
    std::uint32_t feature;
    Part part;
    std::size_t total;  // of counts in its distribution
  };

  explicit Workspace(std::size_t num_features) : counts(num_features, 0) {}

  // `number` turns a name into a feature, or into `absent`.
  template <class Number>
  void count(std::uint64_t name, Part part, std::size_t total, const Number& number) {
    const std::uint32_t feature = number(name);
    if (feature == absent) return;
    if (feature >= counts.size()) counts.resize(feature + 1, 0);
    if (counts[feature]++ == 0) found.push_back({feature, part, total});
  }

  template <class Number>
  void collect(const Expression& kernel, const Number& number) {
    collect_features(kernel, features);
    found.clear();
    inputs.clear();
    num_on_input.resize(std::max(num_on_input.size(), kernel.num_inputs_needed()), 0);
    for (const TreeFeatures::Base& leaf : features.base) ++num_on_input[leaf.column];
    for (const TreeFeatures::Base& leaf : features.base) {
      count(leaf.name ^ base_salt, base, num_on_input[leaf.column], number);
    }
    for (const TreeFeatures::Base& leaf : features.base) {
      if (num_on_input[leaf.column] == 0) continue;
      num_on_input[leaf.column] = 0;
      inputs.push_back(leaf.column);
    }
    for (const std::uint64_t name : features.paths) {
      count(name ^ path_salt, paths, features.paths.size(), number);
    }
    for (const std::uint64_t name : features.subtrees) {
      count(name, subtrees, features.subtrees.size(), number);
    }
  }

  double take_frequency(const Found& item) {
    const double frequency =
        static_cast<double>(counts[item.feature]) / static_cast<double>(item.total);
    counts[item.feature] = 0;
    return frequency;
  }

  TreeFeatures features;
  std::vector<std::uint32_t> counts;  // by feature; all zero between kernels
  std::vector<std::uint32_t> num_on_input;
  std::vector<Found> found;
  std::vector<std::size_t> inputs;  // that the kernel uses
};

TransportTable::TransportTable() : slots_(64) {}

std::uint32_t TransportTable::find(std::uint64_t name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = name & mask;
  while (slots_[at].feature != absent && slots_[at].name != name) at = (at + 1) & mask;
  return slots_[at].feature;
}

std::uint32_t TransportTable::find_or_add(std::uint64_t name) {
  const std::uint32_t known = find(name);
  if (known != absent) return known;
  const auto put = [this](const Slot& slot) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = slot.name & mask;
    while (slots_[at].feature != absent) at = (at + 1) & mask;
    slots_[at] = slot;
  };
  if (4 * (shares_.size() + 1) > slots_.size()) {  // at most a quarter full: few collisions
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.feature != absent) put(slot);
    }
  }
  const auto feature = static_cast<std::uint32_t>(shares_.size());
  shares_.emplace_back();
  put({name, feature});
  return feature;
}

void TransportTable::add(const Expression& kernel) {
  Workspace work(shares_.size());
  work.collect(kernel, [this](std::uint64_t name) { return find_or_add(name); });
  const auto index = static_cast<std::uint32_t>(size());
  for (const Workspace::Found& item : work.found) {
    shares_[item.feature].push_back({index, work.take_frequency(item)});
  }
  num_inputs_used_.push_back(static_cast<double>(work.inputs.size()));
  if (uses_.size() < kernel.num_inputs_needed()) {
    uses_.resize(kernel.num_inputs_needed(), std::vector<double>(index, 0.0));
  }
  for (std::vector<double>& kernels : uses_) kernels.push_back(0.0);
  for (const std::size_t input : work.inputs) uses_[input].back() = 1.0;
}

void TransportTable::truncate(std::size_t size) {
  if (size >= num_inputs_used_.size()) return;
  num_inputs_used_.resize(size);
  for (std::vector<double>& kernels : uses_) kernels.resize(size);
  for (std::vector<Share>& shares : shares_) {
    while (!shares.empty() && shares.back().kernel >= size) shares.pop_back();
  }
}

void TransportTable::measure(const Expression& kernel, Workspace& work,
                             std::span<double* const> sums) const {
  for (double* part : sums) std::fill_n(part, size(), 0.0);
  work.collect(kernel, [this](std::uint64_t name) { return find(name); });
  for (const Workspace::Found& item : work.found) {
    const double frequency = work.take_frequency(item);
    double* const shared = sums[item.part];
    for (const Share& share : shares_[item.feature]) {
      shared[share.kernel] += std::min(share.frequency, frequency);
    }
  }
  const std::size_t num_kernels = size();
  // On an input that only one of two kernels uses, the other has its mass on NULL and they share
  // nothing; so base = |A ∪ B| - Σ min with |A ∪ B| = |A| + |B| - |A ∩ B|.
  double* const base_sums = sums[base];
  for (const std::size_t input : work.inputs) {
    if (input >= uses_.size()) continue;
    const double* used_too = uses_[input].data();
    for (std::size_t i = 0; i < num_kernels; ++i) base_sums[i] += used_too[i];
  }
  // Rounding may leave a distance of -1e-16 to the kernel itself.
  const auto inputs = static_cast<double>(work.inputs.size());
  for (std::size_t i = 0; i < num_kernels; ++i) {
    base_sums[i] = std::max(inputs + num_inputs_used_[i] - base_sums[i], 0.0);
  }
  for (const Part part : {paths, subtrees}) {
    double* const part_sums = sums[part];
    for (std::size_t i = 0; i < num_kernels; ++i) part_sums[i] = std::max(1.0 - part_sums[i], 0.0);
  }
}

std::vector<Matrix> TransportTable::distances(std::span<const Expression> kernels) const {
  std::vector<Matrix> parts;
  for (std::size_t p = 0; p < num_parts(); ++p) parts.emplace_back(size(), kernels.size());
  Workspace work(shares_.size());
  for (std::size_t j = 0; j < kernels.size(); ++j) {
    StopPoint::pass();
    const std::array<double*, 3> sums = {parts[base].column(j), parts[paths].column(j),
                                         parts[subtrees].column(j)};
    measure(kernels[j], work, sums);
  }
  return parts;
}

}  // namespace covary
