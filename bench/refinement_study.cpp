// What parameters gain that are fitted to all rows: a kernel climbs 500, 1,500 and 4,500 rows as in
// a search, takes some steps on all of them, and predicts other rows after each few.
//   refinement_study TRAINING.csv TEST.csv TARGET STEPS KERNEL...
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "base/parallel.h"
#include "evidence/fit_data.h"
#include "evidence/fit_work.h"
#include "evidence/log_prior.h"
#include "optim/maximize.h"

namespace covary {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Notes each better place of a walk.
class NotingStepper final : public Stepper {
 public:
  explicit NotingStepper(MaximizingStepper& walk) : walk_(walk) {}
  struct Note {
    std::vector<double> place;
    double value;
    double wall;
    double cpu;
  };
  const std::vector<Note>& notes() const { return notes_; }

  bool is_done() const override { return walk_.is_done(); }
  std::span<const double> place() const override { return walk_.place(); }
  Want tell_value(double value) override {
    const std::vector<double> tried(walk_.place().begin(), walk_.place().end());
    const bool is_better = notes_.empty() || value > notes_.back().value;
    if (is_better) notes_.push_back({tried, value, wall_seconds(), cpu_seconds()});
    const Want want = walk_.tell_value(value);
    fmt::print("  value {:.2f} {} {}\n", value, is_better ? "" : "(rejected)",
               want == Want::gradient_and_curvature ? "+ information"
               : want == Want::gradient             ? "+ gradient"
                                                    : "");
    static_cast<void>(std::fflush(stdout));
    return want;
  }
  void tell_gradient(std::span<const double> gradient, const Matrix* curvature) override {
    walk_.tell_gradient(gradient, curvature);
  }

 private:
  MaximizingStepper& walk_;
  std::vector<Note> notes_;
};

void study(const Dataset& training, const Dataset& test, const std::string& text,
           std::size_t num_steps) {
  fmt::print("\n{}\n", text);
  const Expression kernel = parse_expression(text, inputs_of(training));
  EvidenceOptions options;
  options.criterion = Criterion::bic;  // needs no curvature
  options.restarts = 20;
  std::vector<WarmStart> warm;
  for (const std::size_t rows : {500U, 1500U, 4500U}) {
    options.judged_rows = rows;
    options.threads = num_cores();
    const double begin = cpu_seconds();
    const Evidence evidence = make_oracle(training, options)->evaluate(kernel, warm);
    fmt::print("{} rows: log posterior {:.4f} a row, {} gradients, {:.0f} CPU s\n", rows,
               evidence.log_posterior / static_cast<double>(rows), evidence.gradient_evaluations,
               cpu_seconds() - begin);
    static_cast<void>(std::fflush(stdout));
    warm = {{kernel, evidence.parameters}};
    options.starts = StartValues::known;
  }

  const FitData data(training, options.mean, options.priors);
  const LogPrior prior(kernel, options.laplace, data.prior_scales());
  const std::function<bool()> never;
  FitWork work(inference_for(training.num_rows()), num_cores(), never);
  MaximizeOptions walk;
  walk.max_iterations = num_steps;
  walk.tolerance = 0.1;
  const auto newton = newton_stepper(prior.space().free(warm.front().parameters), walk);
  NotingStepper noting(*newton);
  Stepper* stepper = &noting;
  const double wall = wall_seconds();
  const double cpu = cpu_seconds();
  work.lead(kernel, prior, data.rows(), {&stepper, 1});
  const auto& notes = noting.notes();
  for (std::size_t step = 0; step < notes.size(); step = step < 4 ? step + 1 : step + 2) {
    const FittedModel model(kernel, prior.space().natural(notes[step].place), training);
    const HoldoutFigures figures = holdout_figures(model.predict_rows(test), test);
    fmt::print("step {}: log posterior {:.2f}, {:.0f} s, {:.0f} CPU s, RMSE {:.4f}, NLL {:.4f}\n",
               step, notes[step].value, notes[step].wall - wall, notes[step].cpu - cpu,
               figures.rmse_standardised, figures.nll_standardised);
    static_cast<void>(std::fflush(stdout));
  }
  fmt::print("{} values, {} gradients\n", work.costs().values, work.costs().gradients);
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  using namespace covary;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) {
    fmt::print(stderr, "usage: refinement_study TRAINING TEST TARGET STEPS KERNEL...\n");
    return 2;
  }
  const Dataset training = make_dataset(read_csv(words[0]), {.target = words[2]});
  const Table other = read_csv(words[1]);
  const Dataset raw = make_dataset(other, {.target = words[2], .scale = false});
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < raw.num_inputs(); ++i) {
    inputs.emplace_back(raw.input(i).begin(), raw.input(i).end());
    for (double& x : inputs.back()) x = training.input_scaling(i).to_scaled(x);
  }
  std::vector<double> target(raw.target().begin(), raw.target().end());
  for (double& y : target) y = training.target_scaling().to_scaled(y);
  std::vector<Scaling> scalings;
  for (std::size_t i = 0; i < raw.num_inputs(); ++i) scalings.push_back(training.input_scaling(i));
  const Dataset test(std::move(inputs), std::move(target), scalings, training.target_scaling(), "",
                     {});
  for (std::size_t i = 4; i < words.size(); ++i) {
    study(training, test, words[i], std::stoul(words[3]));
  }
}
