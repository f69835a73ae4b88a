#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <covary/explain.h>

namespace covary {

// How a model's function depends on one or two of its inputs, the others averaged over the training
// rows, each by itself: the terms that the Sobol indices of an explanation measure. All in the
// target's unit, with mean zero over the training rows. Cheap to copy; safe to share by threads.
class Effects {
 public:
  // Throws Error unless the decomposition is expanded.
  explicit Effects(const Decomposition& decomposition);

  // E[f | x_input] − E[f] at raw values of the input, with its posterior spread.
  struct Curve {
    std::vector<double> mean;
    std::vector<double> sd;
  };
  Curve main_effect(std::size_t input, const std::vector<double>& places) const;

  // What two inputs do together: E[f | x_first, x_second] − E[f], and the part of it that is not
  // the sum of both main effects. At (first_places[i], second_places[j]):
  // [i * second_places.size() + j].
  struct Surface {
    std::vector<double> together;
    std::vector<double> interaction;
  };
  Surface surface(std::size_t first, std::size_t second, const std::vector<double>& first_places,
                  const std::vector<double>& second_places) const;

  // Pairs of inputs that act on each other in the model, the strongest first.
  struct Interaction {
    std::size_t first = 0;
    std::size_t second = 0;
    double sd = 0.0;  // of its part in the function, over all pairs of the rows' values
  };
  std::vector<Interaction> interactions() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace covary
