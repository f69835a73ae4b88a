#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <covary/expression.h>

namespace covary {

// log p(value), and its first two derivatives.
struct LogDensity {
  double value;
  double slope;
  double curvature;
};

LogDensity log_density(const Prior& prior, double value);
bool is_period(const Parameter& parameter);               // of a kernel that repeats
double quantile(const Prior& prior, double probability);  // 0 < probability < 1

// What the sampling of an input says about lengths along it, so that priors can know it.
struct InputScale {
  double shortest_period = 0.0;  // that the rows can show
  double longest_period = 0.0;   // that the rows can show twice
  double year = 0.0;             // of a calendar whose rows are a month apart or more; else 0
};

// All parameters of a model, the kernel's in preorder and the noise variance last, and the change
// of coordinates to free numbers u: positive ones are softplus(u) = log(1 + e^u), the noise
// variance softplus(u) + 1e-6, those between two bounds s = 1 / (1 + e^-u) of the way from one to
// the other on a logarithmic scale, others u itself.
class ParameterSpace {
 public:
  struct Entry {
    std::size_t node = 0;  // preorder index of the owner in the expression; its size for the noise
    std::size_t column = 0;          // the input that the owner acts on
    bool is_of_base_kernel = false;  // not of an operator, and not the noise
    std::string_view owner;          // "SE", "CP"; "noise"
    Parameter parameter;
    double lower_bound = 0.0;  // of positive parameters
  };

  // With the priors of the registry; or, where the scales of the inputs are given, with those that
  // know them.
  explicit ParameterSpace(const Expression& expression, std::span<const InputScale> scales = {});

  std::size_t size() const { return entries_.size(); }
  const Entry& operator[](std::size_t i) const { return entries_[i]; }

  // One parameter, both ways; `free` of a value at or below its bound is that of a value just
  // above.
  double natural(std::size_t i, double free) const;
  double free(std::size_t i, double natural) const;
  std::vector<double> natural(std::span<const double> free) const;
  std::vector<double> free(std::span<const double> natural) const;

  double slope(std::size_t i, double free) const;          // d natural / d free
  LogDensity log_slope(std::size_t i, double free) const;  // log of it, with derivatives by free

  // With what the kernel's operators cost, where the scales of the inputs were given.
  double log_prior(std::span<const double> natural) const;

 private:
  std::vector<Entry> entries_;
  double price_ = 0.0;
};

inline constexpr double least_noise_variance = 1e-6;
inline constexpr Parameter noise_parameter = {"noise_variance", "σₙ²", Quantity::target_variance,
                                              Prior::exponential(100.0)};

}  // namespace covary
