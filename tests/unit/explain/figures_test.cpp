#include "explain/figures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "evidence/memory.h"
#include "explain/sensitivity.h"
#include "unit/explain/random_model.h"

namespace covary {
namespace {

// The slow way: a model of the other rows for each fold.
double error_by_refactoring(const FittedModel& model, std::size_t num_folds, Random random) {
  const Dataset& data = model.data();
  double sum = 0.0;
  for (const auto& fold : folds_of(data, num_folds, random)) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < data.num_rows(); ++i) {
      if (std::find(fold.begin(), fold.end(), i) == fold.end()) others.push_back(i);
    }
    const FittedModel rest(model.kernel(), model.parameters(), data.rows(others),
                           model.mean_function());
    const Dataset held_out = data.rows(fold);
    std::vector<std::vector<double>> points(data.num_inputs());
    for (std::size_t c = 0; c < points.size(); ++c) {
      for (const double x : held_out.input(c)) {
        points[c].push_back(data.input_scaling(c).to_raw(x));
      }
    }
    const std::vector<double> mean = rest.predict(points).mean;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      sum += std::abs(held_out.target()[i] - data.target_scaling().to_scaled(mean[i]));
    }
  }
  return sum / static_cast<double>(data.num_rows());
}

std::vector<double> raw_input(const Dataset& data) {
  std::vector<double> raw;
  for (const double x : data.input(0)) raw.push_back(data.input_scaling(0).to_raw(x));
  return raw;
}

// No matrix of all rows beside the model's: parts by blocks, and everything else by some of the
// rows, which are told.
TEST(ComponentFigures, OfManyRowsAreOfSomeAndPartsAddUpToTheModel) {
  const std::size_t n = most_explained_rows + 50;
  std::vector<double> x(n);
  std::vector<double> y(n);
  Random random(3);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = random.uniform();
    y[i] = 2.0 * x[i] + std::sin(9.0 * x[i]) + 0.3 * random.normal();
  }
  const Dataset data({x}, y, {{"x"}}, {"y"}, "", {});
  const FittedModel model(parse_expression("LIN + SE", inputs_of(data)), {1.0, 0.5, 0.2, 1.0, 0.09},
                          data);
  const ComponentAlgebra algebra(model);
  ASSERT_EQ(algebra.size(), 2U);
  const std::vector<double> mean = model.predict({{x[0], x[600], x[n - 1]}}).mean;
  std::size_t place = 0;
  for (const std::size_t row : {std::size_t{0}, std::size_t{600}, n - 1}) {
    const double sum =
        algebra.offset() + algebra.means_at_rows(0)[row] + algebra.means_at_rows(1)[row];
    EXPECT_NEAR(sum, mean[place++], 1e-7);
  }
  const Explanation explanation = explain(model, {.num_draws = 20});
  EXPECT_EQ(explanation.num_rows, n);
  EXPECT_EQ(explanation.explained_rows, most_explained_rows);
  EXPECT_EQ(explanation.residuals.size(), most_explained_rows);
  EXPECT_EQ(explanation.components.size(), 2U);
  // The noise has a mean absolute error of 0.3 * sqrt(2 / pi) by itself.
  EXPECT_NEAR(explanation.components.back().error, 0.24, 0.03);
  EXPECT_NEAR(explanation.leave_one_out_error, 0.24, 0.03);
  EXPECT_NE(explanation.summary.find("4000 of 4050 rows"), std::string::npos);
  ASSERT_FALSE(explanation.cautions.empty());
  EXPECT_NE(explanation.cautions[0].find("with 4000 of the 4050 rows"), std::string::npos);
}

// By a model of all other rows at the same parameters, row by row.
TEST(LeaveOneOut, ForeseesAsMuchOfTheVarianceAsModelsThatNeverSawTheRow) {
  Random random(8);
  const Dataset data = random_dataset(25, 2, random);
  const Expression kernel = parse_expression("SE(x0) + LIN(x1)", inputs_of(data));
  const std::vector<double> parameters = {0.2, 0.8, 0.5, 0.4, 0.1};
  double error = 0.0;
  for (std::size_t left = 0; left < data.num_rows(); ++left) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < data.num_rows(); ++i) {
      if (i != left) others.push_back(i);
    }
    const FittedModel model(kernel, parameters, data.rows(others));
    const std::vector<std::size_t> one = {left};
    const double mean = model.predict_rows(data.rows(one)).mean[0];
    const double miss = data.target_scaling().to_raw(data.target()[left]) - mean;
    error += miss * miss;
  }
  std::vector<double> target;
  for (const double y : data.target()) target.push_back(data.target_scaling().to_raw(y));
  const double whole = variance_of(target) * static_cast<double>(target.size());
  const Explanation explanation = explain(FittedModel(kernel, parameters, data), {.num_draws = 0});
  EXPECT_NEAR(explanation.leave_one_out_r2, 1.0 - error / whole, 1e-8);
  EXPECT_LT(explanation.leave_one_out_r2, explanation.variance);
}

// What is noise to the others is foreseen worse than by the mean, and the words say so.
TEST(LeaveOneOut, OfNoiseIsNoBetterThanTheMean) {
  Random random(9);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 40; ++i) {
    x.push_back(random.uniform());
    y.push_back(random.normal());
  }
  const Dataset data({x}, y, {{"x"}}, {"y"}, "", {});
  const FittedModel model(parse_expression("SE", inputs_of(data)), {0.01, 1.0, 0.01}, data);
  const Explanation explanation = explain(model, {.num_draws = 0});
  EXPECT_LT(explanation.leave_one_out_r2, 0.0);
  EXPECT_GT(explanation.variance, 0.5);
  EXPECT_NE(explanation.summary.find("no better than by the mean of all rows"), std::string::npos)
      << explanation.summary;
}

TEST(ComponentFigures, EndWithTheErrorOfModelsThatNeverSawTheHeldOutRows) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const FittedModel model = random_model(random);
    const ComponentAlgebra algebra(model);
    Random folds(7);
    const ComponentFigures figures = component_figures(algebra, 10, folds);
    EXPECT_NEAR(figures.error.back(), error_by_refactoring(model, 10, Random(7)), 1e-7)
        << model.kernel();
    ASSERT_EQ(figures.order.size(), algebra.size());
    for (std::size_t c = 0; c < algebra.size(); ++c) {
      EXPECT_EQ(std::count(figures.order.begin(), figures.order.end(), c), 1);
    }
  }
}

TEST(ComponentFigures, EvidenceLostIsTheDifferenceToAModelWithoutTheComponent) {
  Random random(2);
  const Dataset data = random_dataset(50, 1, random);
  const InputNames inputs(data.input_names());
  const FittedModel both(parse_expression("LIN + SE", inputs), {0.5, 0.4, 0.1, 0.9, 0.05}, data);
  const FittedModel line(parse_expression("LIN", inputs), {0.5, 0.4, 0.05}, data);
  const FittedModel wave(parse_expression("SE", inputs), {0.1, 0.9, 0.05}, data);
  const ComponentAlgebra algebra(both);
  const ComponentFigures figures = component_figures(algebra, 10, random);
  ASSERT_EQ(algebra.kernel_text(0), "LIN");
  EXPECT_NEAR(*figures.evidence_lost[0],
              both.log_marginal_likelihood() - wave.log_marginal_likelihood(), 1e-8);
  EXPECT_NEAR(*figures.evidence_lost[1],
              both.log_marginal_likelihood() - line.log_marginal_likelihood(), 1e-8);
}

TEST(ComponentFigures, OfNoiseAreItsEvidenceAlone) {
  Random random(6);
  const Dataset data = random_dataset(50, 1, random);
  const InputNames inputs(data.input_names());
  const FittedModel both(parse_expression("SE + LIN*WN", inputs), {0.1, 0.9, 0.5, 0.4, 0.3, 0.05},
                         data);
  const FittedModel wave(parse_expression("SE", inputs), {0.1, 0.9, 0.05}, data);
  const ComponentAlgebra algebra(both);
  const ComponentFigures figures = component_figures(algebra, 10, random);
  ASSERT_EQ(algebra.kernel_text(1), "LIN*WN");
  EXPECT_NEAR(*figures.evidence_lost[1],
              both.log_marginal_likelihood() - wave.log_marginal_likelihood(), 1e-8);
  EXPECT_EQ(figures.order, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(figures.added[1], 0.0);
  EXPECT_EQ(figures.error[1], figures.error[0]);
  // And so the mean of the model at its rows is the wave's, however noisy they are.
  const std::vector<double> x = raw_input(data);
  const std::vector<double> mean = both.predict({x}).mean;
  const Decomposition parts(both);
  const std::vector<double> part = parts.curve(0, {x}).mean;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(mean[i], parts.offset() + part[i], 1e-8);
    EXPECT_EQ(parts.curve(1, {{x[i]}}).mean[0], 0.0);
  }
}

TEST(ComponentFigures, SharesAddUpAndFoldsHoldEveryRowOnce) {
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    const FittedModel model = random_model(random);
    const ComponentAlgebra algebra(model);
    const ComponentFigures figures = component_figures(algebra, 10, random);
    double sum = 0.0;
    for (std::size_t i = 0; i < figures.added.size(); ++i) {
      sum += figures.added[i];
      EXPECT_NEAR(figures.cumulative[i], sum, 1e-9);
      EXPECT_LE(figures.of_residual[i], 1.0 + 1e-12);
    }
    std::vector<int> seen(model.data().num_rows(), 0);
    for (const auto& fold : folds_of(model.data(), 10, random)) {
      for (const std::size_t row : fold) ++seen[row];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<int>(seen.size()));
  }
}

TEST(ComponentAlgebra, PutsProductsTogetherThatTheDataCannotTellApart) {
  Random random(4);
  const Dataset data = random_dataset(50, 1, random);
  const InputNames inputs(data.input_names());
  const Expression kernel = parse_expression("SE + SE + SE", inputs);
  const FittedModel alike(kernel, {0.2, 0.5, 0.2001, 0.3, 0.02, 0.4, 0.1}, data);
  const Decomposition parts(alike);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts.kernel_text(0), "2*SE");
  EXPECT_EQ(parts.kernel_text(1), "SE");
}

Dataset product_data(double (*f)(double, double), Random& random) {
  std::string text = "a,b,unused,y\n";
  for (int i = 0; i < 300; ++i) {
    const double a = -1.0 + 2.0 * random.uniform();
    const double b = -1.0 + 2.0 * random.uniform();
    text += fmt::format("{},{},{},{}\n", a, b, random.uniform(), f(a, b));
  }
  return make_dataset(read_csv_text(text, "t.csv"), {.target = "y"});
}

TEST(Sensitivities, AreThoseOfAFunctionThatIsKnown) {
  Random random(5);
  // Variances of 2a and b are as 4 to 1: shares of 0.8 and 0.2 and no interaction.
  const Dataset sum = product_data([](double a, double b) { return 2.0 * a + b; }, random);
  const FittedModel additive(parse_expression("LIN(a) + LIN(b)", InputNames(sum.input_names())),
                             {1.0, 1.0, 1.0, 1.0, 1e-5}, sum);
  const auto of_sum = sensitivities(ComponentAlgebra(additive), random);
  EXPECT_NEAR(of_sum[0].first_order, 0.8, 0.05);
  EXPECT_NEAR(of_sum[0].total, of_sum[0].first_order, 1e-6);
  EXPECT_NEAR(of_sum[1].first_order, 0.2, 0.05);
  EXPECT_NEAR(of_sum[1].total, of_sum[1].first_order, 1e-6);
  EXPECT_NEAR(of_sum[0].total + of_sum[1].total, 1.0, 1e-6);
  EXPECT_FALSE(of_sum[2].is_used);
  EXPECT_EQ(of_sum[2].total, 0.0);

  // a·b with means of zero is all interaction.
  const Dataset product = product_data([](double a, double b) { return a * b; }, random);
  const FittedModel joint(parse_expression("LIN(a)*LIN(b)", InputNames(product.input_names())),
                          {1.0, 1.0, 1.0, 1.0, 1e-5}, product);
  const auto of_product = sensitivities(ComponentAlgebra(joint), random);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_LT(of_product[i].first_order, 0.05);
    EXPECT_GT(of_product[i].total, 0.9);
  }
}

}  // namespace
}  // namespace covary
