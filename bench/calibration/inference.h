#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "process.h"

namespace covary::calibration {

// What a posterior of the parameters is taken for.
enum class Belief {
  laplace,  // the Gaussian around the maximum
  points,   // the few places that predictions average over, by their mean and covariance
  whole,    // all of it, by importance sampling
};
inline constexpr std::array<std::string_view, 3> belief_names = {"Laplace", "points", "whole"};

// Ways to predict, from what is known of the kernel and of its parameters.
enum class Way {
  truth,           // the kernel and the parameters that the rows came from
  best,            // the best kernel at its best parameters
  search,          // the averaged model that a search hands back
  laplace_best,    // kernels by Laplace's evidence, at their best parameters
  laplace_points,  // the same, each with its few places
  laplace_whole,   // the same, each with its whole posterior
  whole_points,    // kernels by their whole evidence, each with its few places
  whole,           // Bayes' rule
};
inline constexpr std::size_t num_ways = 8;
inline constexpr std::array<std::string_view, num_ways> way_names = {
    "the truth itself",
    "the best kernel at its best parameters",
    "what a search hands back",
    "all kernels by Laplace's evidence, best parameters",
    "all kernels by Laplace's evidence, few places",
    "all kernels by Laplace's evidence, whole posterior",
    "all kernels by the whole evidence, few places",
    "all kernels by the whole evidence, whole posterior",
};

// A true value's place in a posterior: the probability of a smaller one.
struct Rank {
  std::string_view kind;           // what it is a parameter of: "noise variance"
  std::array<double, 3> cdf = {};  // by Belief; the last only if the whole was asked for
};

// What is said of unseen rows, and what came.
struct Predictive {
  std::vector<double> cdf;  // of the target
  std::vector<double> density;
};

struct Inferred {
  std::size_t truth = 0;                         // the kernel's place among the candidates
  std::vector<double> log_probability;           // of each candidate, by Laplace's evidence
  std::vector<double> whole_log_probability;     // by the whole evidence, if asked for
  std::vector<Rank> ranks;                       // of the true kernel's parameters
  std::array<Predictive, num_ways> predictions;  // those of the whole empty if not asked for
  // Of the kernels whose whole posterior was looked at.
  struct Whole {
    std::size_t kernel = 0;
    double evidence_error = 0.0;  // Laplace's log evidence less the whole one
    double effective_size = 0.0;  // of the places
  };
  std::vector<Whole> wholes;
};

struct InferenceOptions {
  std::size_t num_places = 0;  // of each whole posterior; 0: none is looked at
  std::uint64_t seed = 1;
};

Inferred infer(const Candidates& candidates, const Truth& truth, const InferenceOptions& options);

}  // namespace covary::calibration
