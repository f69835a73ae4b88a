#include "kernels/registry.h"

#include <array>

#include <fmt/format.h>

namespace covary {
namespace {

#define COVARY_ADDRESS(name) &registry::name,
constexpr std::array base_kernels{COVARY_BASE_KERNELS(COVARY_ADDRESS)};
constexpr std::array operators{COVARY_OPERATORS(COVARY_ADDRESS)};
#undef COVARY_ADDRESS

}  // namespace

std::string to_string(const Prior& prior) {
  switch (prior.family) {
    case Prior::Family::gamma:
      return fmt::format("Gamma({:g}, {:g})", prior.first, prior.second);
    case Prior::Family::exponential:
      return fmt::format("Exponential({:g})", prior.first);
    case Prior::Family::normal:
      return fmt::format("Normal({:g}, {:g})", prior.first, prior.second);
    case Prior::Family::log_normal:
      return fmt::format("LogNormal({:g}, {:g})", prior.first, prior.second);
    case Prior::Family::log_uniform:
      return fmt::format("LogUniform({:g}, {:g})", prior.first, prior.second);
  }
  return {};
}

bool is_variance(Quantity quantity) {
  return quantity == Quantity::target_variance || quantity == Quantity::slope_variance ||
         quantity == Quantity::variance_rate;
}

std::span<const BaseKernel* const> all_base_kernels() { return base_kernels; }
std::span<const Operator* const> all_operators() { return operators; }

const BaseKernel* find_base_kernel(std::string_view name) {
  for (const BaseKernel* kernel : base_kernels) {
    if (kernel->name == name) return kernel;
  }
  return nullptr;
}

const Operator* find_operator(std::string_view symbol) {
  for (const Operator* op : operators) {
    if (op->symbol == symbol || op->name == symbol) return op;
  }
  return nullptr;
}

std::vector<std::string> kernel_names(InputKind kind) {
  std::vector<std::string> names;
  for (const BaseKernel* kernel : base_kernels) {
    if (kernel->acts_on == kind) names.emplace_back(kernel->name);
  }
  return names;
}

std::optional<std::size_t> length_place(const BaseKernel& kernel) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (kernel.parameters[i].quantity == Quantity::input_length) return i;
  }
  return std::nullopt;
}

const BaseKernel& constant_kernel() { return registry::constant; }
const Operator& add_operator() { return registry::add; }
const Operator& mult_operator() { return registry::mult; }
const Operator& change_point_operator() { return registry::change_point; }

}  // namespace covary
