#include "inference/inference.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"

namespace covary {
namespace {

// One thread's likelihood, made anew only where the next walk is of another kernel or other rows:
// its matrices are large.
class Guide {
 public:
  void lead(const Inference& inference, const Walk& walk, const LongWork& work) {
    if (likelihood_ == nullptr || walk.kernel != kernel_ || walk.rows != rows_) {
      likelihood_.reset();  // before the next one takes its memory
      likelihood_ = inference.likelihood(*walk.kernel, *walk.rows, work);
      kernel_ = walk.kernel;
      rows_ = walk.rows;
    }
    Stepper& stepper = *walk.stepper;
    while (!stepper.is_done()) {
      const std::span<const double> place = stepper.place();
      const std::size_t size = place.size();
      ++costs.values;
      const Want want = stepper.tell_value(likelihood_->value(place, walk.diagonal));
      if (want == Want::nothing) continue;
      ++costs.gradients;
      gradient_.resize(size);
      if (want == Want::gradient) {
        likelihood_->gradient(gradient_);
        stepper.tell_gradient(gradient_, nullptr);
        continue;
      }
      if (information_.num_rows() != size) information_ = Matrix(size, size);
      likelihood_->gradient_and_information(gradient_, information_);
      stepper.tell_gradient(gradient_, &information_);
    }
  }

  WalkCosts costs;

 private:
  const Expression* kernel_ = nullptr;
  const TrainingRows* rows_ = nullptr;
  std::unique_ptr<Likelihood> likelihood_;
  std::vector<double> gradient_;
  Matrix information_;
};

}  // namespace

const Inference& inference_for(std::size_t num_rows) {
  return num_rows <= most_exact_rows ? exact_inference() : sparse_inference();
}

WalkCosts& WalkCosts::operator+=(const WalkCosts& other) {
  values += other.values;
  gradients += other.gradients;
  if (remark.empty()) remark = other.remark;
  return *this;
}

WalkCosts Inference::lead(std::span<const Walk> walks, std::size_t num_threads,
                          const std::function<bool()>& should_stop) const {
  std::vector<Guide> guides(std::max<std::size_t>(std::min(num_threads, walks.size()), 1));
  const LongWork work{.threads = std::max<std::size_t>(num_threads / guides.size(), 1),
                      .should_stop = should_stop};
  parallel_for(guides.size(), walks.size(), [&](std::size_t task, std::size_t worker) {
    if (should_stop && should_stop()) return;
    guides[worker].lead(*this, walks[task], work);
  });
  WalkCosts costs;
  for (const Guide& guide : guides) costs += guide.costs;
  return costs;
}

}  // namespace covary
