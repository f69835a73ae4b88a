#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <covary/ensemble.h>
#include <covary/model.h>
#include <covary/random.h>

namespace covary {

class ComponentAlgebra;

// A model as a sum of components, one for each product of its kernel's sum-of-products form
// (docs/explain.md). Each component has mean zero over the training inputs, the constants that
// kernels carry being in one offset: offset() and the means of all components add up to the model's
// mean. All in the target's unit. Cheap to copy; safe to share by threads.
class Decomposition {
 public:
  // Throws Error if the kernel expands to too many products.
  explicit Decomposition(const FittedModel& model);

  std::size_t size() const;
  std::string kernel_text(std::size_t component) const;  // "LIN*PER", with the inputs' names
  std::vector<std::size_t> inputs(std::size_t component) const;  // columns it acts on, rising
  const FittedModel& model() const;
  double offset() const;

  // The component at new points, within the data or beyond: columns of raw values in the order of
  // the model's inputs. The posterior, and the spread before any target was seen.
  struct Curve {
    std::vector<double> mean;
    std::vector<double> sd;
    std::vector<double> prior_sd;
  };
  Curve curve(std::size_t component, const std::vector<std::vector<double>>& inputs) const;

  // Draws from the component's posterior; sample s at point i is [s][i].
  std::vector<std::vector<double>> sample(std::size_t component,
                                          const std::vector<std::vector<double>>& inputs,
                                          std::size_t num_samples, Random& random) const;

  const ComponentAlgebra& algebra() const { return *algebra_; }  // of use inside the library only

 private:
  std::shared_ptr<const ComponentAlgebra> algebra_;
};

}  // namespace covary
