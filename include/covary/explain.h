#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <covary/ensemble.h>
#include <covary/model.h>
#include <covary/random.h>
#include <covary/settings.h>

namespace covary {

class ComponentAlgebra;

// A model as a sum of components, one for each product of its kernel's sum-of-products form, or for
// several of the same kernel with nearly the same parameters (docs/explain.md); a summand of the
// kernel that would be too many products is one component. Each component has
// mean zero over the training inputs, the constants that kernels carry being in one offset:
// offset() and the means of all components add up to the model's mean. All in the target's unit; of
// a transformed target in that of the transformed one, whose mean is its median's.
// Cheap to copy; safe to share by threads.
class Decomposition {
 public:
  explicit Decomposition(const FittedModel& model);

  std::size_t size() const;
  bool is_expanded() const;                              // every component is made of products
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
  Curve curve_at_rows(std::size_t component, const Dataset& rows) const;  // scaled as the model's

  // Draws from the component's posterior; sample s at point i is [s][i].
  std::vector<std::vector<double>> sample(std::size_t component,
                                          const std::vector<std::vector<double>>& inputs,
                                          std::size_t num_samples, Random& random) const;

  const ComponentAlgebra& algebra() const { return *algebra_; }  // of use inside the library only

 private:
  std::shared_ptr<const ComponentAlgebra> algebra_;
};

struct ExplainOptions {
  std::size_t folds = 10;       // of the cross-validated errors, parameters held
  std::size_t num_draws = 400;  // for the p-values of the checks; 0: no checks
  std::uint64_t seed = 1;       // of folds, draws and samples
};

const std::vector<Setting<ExplainOptions>>& explain_settings();

// What a check says against the model: moderate from a p-value of 0.05 down, strong from 0.01.
enum class Misfit { none, moderate, strong };
std::string_view to_string(Misfit misfit);  // "", "moderate", "strong"

// A comparison of what the model expects with what it found in the data.
struct ModelCheck {
  std::string name;   // "periodogram_maximum"
  std::string words;  // what is seen: "its values reach higher than its kernel expects"
  double p_value = 1.0;
  Misfit evidence_of_misfit = Misfit::none;
};

enum class Direction { none, increasing, decreasing };
std::string_view to_string(Direction direction);  // "", "increasing", "decreasing"

// One component in words and figures.
struct ExplainedComponent {
  std::size_t index = 0;            // in the decomposition
  std::string kernel;               // "LIN*PER"
  std::vector<std::size_t> inputs;  // columns it acts on
  std::string title;                // "A periodic function with linearly increasing amplitude"
  std::vector<std::string> sentences;

  double sd = 0.0;  // of its mean over the training rows, in the unit of the (transformed) target

  // Together with the components before it, as shares of the target's variance.
  double variance = 0.0;
  double added_variance = 0.0;     // what it adds to that
  double residual_variance = 0.0;  // its share of what was left
  double error = 0.0;              // cross-validated mean absolute error, in the same unit
  double error_cut = 0.0;          // as a share of the error before it

  // The log marginal likelihood that goes without it, everything else held (nothing is refitted).
  std::optional<double> evidence_lost;

  Direction direction = Direction::none;
  bool is_zero = false;      // its 95 % band covers zero everywhere: not distinguishable from zero
  bool is_artefact = false;  // it cuts the error by less than 0.1 %
  bool is_noise = false;     // white noise of some size: no signal, so neither of these

  // How far beyond the data it informs a forecast: where its spread comes to 90 % of that without
  // data. `reached` or not within 10 ranges of the data; `zero` where it has ended.
  struct Horizon {
    enum class Kind { reached, not_reached, zero };
    Kind kind = Kind::reached;
    double distance = 0.0;  // in the input's unit (days or seconds for dates)
  };
  std::optional<Horizon> horizon;  // of a component of one input

  // Of a component of one category: what it does at each level, in the same unit.
  struct Level {
    std::string name;
    double mean = 0.0;
    double sd = 0.0;
  };
  std::vector<Level> levels;

  std::vector<ModelCheck> checks;
};

std::string_view to_string(ExplainedComponent::Horizon::Kind kind);  // "reached", ...

// One input's share in the variance of the model's mean over the training inputs (Sobol indices).
struct InputShare {
  std::string name;
  bool is_used = false;
  double first_order = 0.0;  // by itself
  double total = 0.0;        // with all its interactions
};

// What a model says, as facts that text, JSON and the report render.
struct Explanation {
  std::string kernel = {};       // as it was found
  std::string normal_form = {};  // "SE + 2*LIN^2*PER"
  std::string target = {};
  std::size_t num_rows = 0;  // of the model
  // Of more than 4,000 rows, so many stand for all in what follows: the decomposition is of the
  // same kernel at the same parameters, conditioned on these.
  std::size_t explained_rows = 0;
  // Of the mixture whose likeliest kernel, at its likeliest parameters, this explains.
  std::size_t num_members = 1;
  std::size_t num_kernels = 1;
  double kernel_weight = 1.0;
  std::string averaging = {};  // a sentence on that; empty for a single model

  std::string summary = {};  // one paragraph
  std::vector<std::string> descriptions =
      {};  // titles, repeated ones counted: "Two smooth functions"

  TargetTransform transform = TargetTransform::none;

  double offset = 0.0;  // in the target's unit
  // In the target's unit, or that of the transformed one, as all that follows without a share's
  // name.
  double noise_sd = 0.0;
  double offset_error = 0.0;  // cross-validated mean absolute error of the offset alone
  double variance = 0.0;      // share that all components explain of the rows they were fitted to
  std::vector<ExplainedComponent> components = {};    // the most useful first
  std::optional<std::size_t> components_for_90 = {};  // so many of them reach 90 % of the variance
  std::optional<std::size_t> components_for_99 = {};

  std::vector<InputShare> inputs = {};  // for models of several inputs

  // Of rows that all the others predict, at the parameters of all: the share of the variance that
  // is foreseen (R², below zero where the mean of the rows would do better), and the mean absolute
  // error.
  double leave_one_out_r2 = 0.0;
  double leave_one_out_error = 0.0;
  double coverage_50 = 0.0;  // share of rows inside their leave-one-out interval
  double coverage_95 = 0.0;
  std::vector<double> residuals = {};  // leave-one-out, row by row, in standard deviations
  std::vector<ModelCheck> checks = {};
  std::vector<std::string> cautions = {};
  std::uint64_t seed = 1;

  Decomposition decomposition;  // curves and samples on demand
};

Explanation explain(const FittedModel& model, const ExplainOptions& options = {});

// Of an ensemble: its member of the largest weight, and says so.
Explanation explain(const Ensemble& model, const ExplainOptions& options = {});

// In English, in lines of at most about 100 characters.
std::string to_string(const Explanation& explanation);
std::ostream& operator<<(std::ostream& stream, const Explanation& explanation);

}  // namespace covary
