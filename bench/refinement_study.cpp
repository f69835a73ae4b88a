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

struct TestRows {
  std::vector<std::vector<double>> inputs;
  std::vector<double> target;
};

// In the target's unit.
void print_scores(const FittedModel& model, const TestRows& test) {
  const Prediction prediction = model.predict(test.inputs);
  double squares = 0.0;
  double score = 0.0;
  for (std::size_t i = 0; i < test.target.size(); ++i) {
    squares += std::pow(prediction.mean[i] - test.target[i], 2.0);
    score -= log_density(prediction, i, test.target[i]);
  }
  const auto size = static_cast<double>(test.target.size());
  fmt::print("RMSE {:.4f}, NLL {:.4f}\n", std::sqrt(squares / size), score / size);
  static_cast<void>(std::fflush(stdout));
}

void study(const Dataset& training, const TestRows& test, const std::string& text,
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
  options.criterion = Criterion::evidence;
  options.few_steps = true;
  options.max_iterations = 1;
  const Evidence judged = make_oracle(training, options)->evaluate(kernel, warm);
  fmt::print("log evidence by the average information, on {} rows: {:.2f}\n", judged.rows,
             judged.value.value_or(0.0));

  if (num_steps == 0) {
    print_scores(FittedModel(kernel, warm.front().parameters, training), test);
    return;
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
    fmt::print("step {}: log posterior {:.2f}, {:.0f} s, {:.0f} CPU s, ", step, notes[step].value,
               notes[step].wall - wall, notes[step].cpu - cpu);
    print_scores(model, test);
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
  TestRows test;
  for (std::size_t i = 0; i < training.num_inputs(); ++i) {
    test.inputs.push_back(input_values(other, training.input_scaling(i)));
  }
  test.target = input_values(other, training.target_scaling());
  for (std::size_t i = 4; i < words.size(); ++i) {
    study(training, test, words[i], std::stoul(words[3]));
  }
}
