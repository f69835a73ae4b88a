#pragma once

#include <cstddef>
#include <vector>

#include <covary/dataset.h>
#include <covary/model.h>

namespace covary {

// A weighted mixture of models of the same data: kernels that are nearly as good as each other, and
// parameters of one kernel that the data allow. It is the general case: one model is an ensemble of
// one and predicts the same bit for bit, so that code that predicts, keeps or reports takes an
// Ensemble and need not ask. What only a single kernel has (parameters, components) is asked of a
// member; a variant of the two types would make every caller tell them apart. Cheap to copy; safe
// to share by threads.
class Ensemble {
 public:
  static constexpr std::size_t max_members = 256;

  Ensemble(FittedModel model);

  // Weights in proportion to exp(log_weights), such as log evidences: any scale, -inf for none.
  // Throws Error unless there is a log weight for each of 1 to max_members members, all members
  // are of equal data, no log weight is NaN or inf, and one is finite.
  Ensemble(std::vector<FittedModel> members, const std::vector<double>& log_weights);

  // Weights as they are: throws Error if one is negative or not finite, or they do not add up to 1.
  static Ensemble from_weights(std::vector<FittedModel> members, std::vector<double> weights);

  std::size_t size() const { return members_.size(); }
  const std::vector<FittedModel>& members() const { return members_; }
  const std::vector<double>& weights() const { return weights_; }  // add up to 1
  const Dataset& data() const { return members_.front().data(); }
  std::size_t num_rows() const { return members_.front().num_rows(); }  // FittedModel's

  // A kernel, and the members that have it with whatever parameters.
  struct Kernel {
    std::size_t member = 0;  // that of most weight
    double weight = 0.0;     // of all of them
  };
  std::vector<Kernel> kernels() const;  // the first member's, then those of most weight first

  // New points as columns of raw values, in the order of the inputs. All of equal length. Nothing
  // depends on the order of the members.
  Prediction predict(const std::vector<std::vector<double>>& inputs,
                     const LongWork& work = {}) const;
  Prediction predict_rows(const Dataset& rows,
                          const LongWork& work = {}) const;  // as FittedModel's

  // As FittedModel's, of the mixture: the spread between the members is in the covariance, and each
  // draw is one member's.
  std::vector<double> covariance(const std::vector<std::vector<double>>& inputs,
                                 Predicted what = Predicted::function) const;
  std::vector<std::vector<double>> sample(const std::vector<std::vector<double>>& inputs,
                                          std::size_t num_samples, Random& random,
                                          Predicted what = Predicted::function) const;

 private:
  template <class Predict>
  Prediction mixture_of(Predict predict, const LongWork& work) const;

  struct WithWeights {};
  Ensemble(WithWeights, std::vector<FittedModel> members, std::vector<double> weights);

  std::vector<FittedModel> members_;
  std::vector<double> weights_;
};

}  // namespace covary
