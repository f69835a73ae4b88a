#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/expression.h>
#include <covary/long_work.h>
#include <covary/random.h>

namespace covary {

class Posterior;
struct SparseState;

// What covariances and draws are of: the function itself, or y, which has noise.
enum class Predicted { function, target };

// How far plots and reports look beyond the data of a single input, in ranges of them.
inline constexpr double forecast_share = 0.25;

// What a model, or an ensemble of models, says about new points, in the target's own units.
struct Prediction {
  std::vector<double> mean;
  std::vector<double> sd;         // of y: the noise is in it
  std::vector<double> latent_sd;  // of the function itself

  // What the target was transformed by: quantiles are those of the transformed target, taken back.
  TargetTransform transform = TargetTransform::none;

  // The Gaussians whose mixture the transformed y is, member by member of an ensemble. Empty where
  // y itself is Gaussian.
  struct Part {
    double weight = 1.0;
    std::vector<double> mean;
    std::vector<double> sd;
  };
  std::vector<Part> parts = {};

  // The quantile of y at each point, 0 < probability < 1; throws Error for another one. That of 0.5
  // is the median, which of a transformed target is not the mean.
  std::vector<double> quantile(double probability) const;

  // The central interval that holds y with probability `level`, 0 < level < 1; as for quantile.
  struct Interval {
    std::vector<double> lower;
    std::vector<double> upper;
  };
  Interval interval(double level) const;
};

// One parameter of a fitted model by name and value, on the scaled data.
struct ParameterValue {
  std::string kernel;  // "SE", "CP"; "noise"
  std::string column;  // of the input; empty for the noise
  std::string name;    // "lengthscale"
  double value = 0.0;  // on the scaled input or target
  // A length or a place on the input, in its own unit (days and seconds for dates as they are
  // read). Variances have none: in a product only all of them together do.
  std::optional<double> in_data_units = {};
};

// A kernel with fitted parameters and the data it was fitted to: all that prediction needs.
// Cheap to copy; safe to share by threads.
class FittedModel {
 public:
  // `parameters` by natural value in the order of the expression, the noise variance last.
  // Throws Error if their number is wrong, one is not finite or out of its range, or the covariance
  // matrix cannot be factored, or has no room in memory. Here and below, more than 2,000 rows are
  // long work: on all cores unless `work` says otherwise, and throwing WorkStopped.
  FittedModel(const Expression& kernel, std::vector<double> parameters, const Dataset& data,
              MeanFunction mean = MeanFunction::zero, const LongWork& work = {});

  const Expression& kernel() const;
  std::string kernel_text() const;  // with the inputs' names
  const std::vector<double>& parameters() const;
  std::vector<ParameterValue> named_parameters() const;
  double noise_variance() const;  // on the scaled target
  const Dataset& data() const;
  MeanFunction mean_function() const;
  double jitter() const;  // that the covariance matrix needed, relative to its mean diagonal

  // Of at most 30,000 rows; the posterior of more is an approximation by some of them, its support
  // (docs/math/sparse.md). Model files keep no other rows of such a model: data() of one that was
  // loaded are these, and num_rows() says how many it was conditioned on.
  bool is_exact() const;
  std::size_t num_rows() const;
  Dataset support_data() const;  // the rows it predicts from: all of an exact model

  // Of the standardised target, without its transform. Of a model that is not exact, what it
  // surely lies between, and the middle of that.
  struct Interval {
    double lower = 0.0;
    double upper = 0.0;
  };
  Interval log_marginal_likelihood_interval() const;
  double log_marginal_likelihood() const;
  // Each row as all the others predict it with these parameters: the mean, and log p(y_i | others)
  // of the standardised target, without its transform.
  std::vector<double> leave_one_out_mean(const LongWork& work = {}) const;
  std::vector<double> leave_one_out_log_density(const LongWork& work = {}) const;

  // New points as columns of raw values, in the order of the model's inputs. All of equal length.
  Prediction predict(const std::vector<std::vector<double>>& inputs,
                     const LongWork& work = {}) const;

  // Rows whose inputs are scaled as the model's own: those of one split, say. Throws Error if they
  // are not.
  Prediction predict_rows(const Dataset& rows, const LongWork& work = {}) const;

  // The posterior covariance, column-major, in squared units of the target; of a transformed
  // target, that of the transformed one.
  std::vector<double> covariance(const std::vector<std::vector<double>>& inputs,
                                 Predicted what = Predicted::function) const;

  // Draws, in the target's own units; sample s at point i is [s][i].
  std::vector<std::vector<double>> sample(const std::vector<std::vector<double>>& inputs,
                                          std::size_t num_samples, Random& random,
                                          Predicted what = Predicted::function) const;

  const Posterior& posterior() const;  // of use inside the library only

 private:
  struct State;
  explicit FittedModel(std::shared_ptr<const State> state);
  friend FittedModel restored_model(const Expression& kernel, std::vector<double> parameters,
                                    const Dataset& support, MeanFunction mean,
                                    const SparseState& state, const LongWork& work);

  std::shared_ptr<const State> state_;
};

}  // namespace covary
