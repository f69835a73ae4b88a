#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evidence/support_model.h"
#include "evidence/training_rows.h"
#include "explain/shape.h"
#include "inference/sparse/sparse_inference.h"
#include "unit/explain/random_model.h"

namespace covary {
namespace {

// A model by its support has no weights over all rows: it is explained by an exact one of the rows
// that it keeps, and says of how many it is.
TEST(Explain, AModelByItsSupportIsExplainedByTheRowsThatItKeeps) {
  Random random(3);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 400; ++i) {
    x.push_back(random.uniform());
    y.push_back(2.0 * x.back() + std::sin(9.0 * x.back()) + 0.3 * random.normal());
  }
  const Dataset data({x}, y, {{"x"}}, {"y"}, "", {});
  const Expression kernel = parse_expression("LIN + SE", inputs_of(data));
  const std::vector<double> parameters = {1.0, 0.5, 0.2, 1.0, 0.09};
  const auto posterior = make_sparse_inference({.support = 60})
                             ->posterior(kernel, parameters, training_rows(data, {}), {});
  const Dataset support = data.rows(*posterior->support());
  const FittedModel model =
      restored_model(kernel, parameters, support, MeanFunction::zero, state_of(*posterior));
  const Explanation explanation = explain(model, {.num_draws = 20});
  EXPECT_EQ(explanation.num_rows, 400U);
  EXPECT_EQ(explanation.explained_rows, 60U);
  const FittedModel exact(kernel, parameters, support);
  EXPECT_EQ(explanation.residuals, explain(exact, {.num_draws = 20}).residuals);
  EXPECT_NE(explanation.summary.find("over 60 of 400 rows"), std::string::npos);
}

// Every number that a reader or a program sees.
std::vector<double> numbers_of(const Explanation& explanation) {
  std::vector<double> numbers = {explanation.offset,
                                 explanation.noise_sd,
                                 explanation.offset_error,
                                 explanation.variance,
                                 explanation.coverage_50,
                                 explanation.coverage_95,
                                 explanation.leave_one_out_error,
                                 explanation.leave_one_out_r2};
  for (const ExplainedComponent& c : explanation.components) {
    numbers.insert(numbers.end(),
                   {c.sd, c.variance, c.added_variance, c.residual_variance, c.error, c.error_cut,
                    c.evidence_lost.value_or(0.0), c.horizon ? c.horizon->distance : 0.0});
    for (const ModelCheck& check : c.checks) numbers.push_back(check.p_value);
  }
  for (const ModelCheck& check : explanation.checks) numbers.push_back(check.p_value);
  for (const InputShare& input : explanation.inputs) {
    numbers.insert(numbers.end(), {input.first_order, input.total});
  }
  return numbers;
}

// So many parts are said to reach a share where the figures beside the words read so from them on,
// and no fewer.
void expect_reached(const Explanation& explanation, const std::optional<std::size_t>& count,
                    double share) {
  const auto reads_so = [&](std::size_t place) {
    return explanation.components[place].variance >= share - 0.0005;
  };
  const std::size_t size = explanation.components.size();
  EXPECT_EQ(count.has_value(), reads_so(size - 1));
  if (!count) return;
  for (std::size_t i = *count - 1; i < size; ++i) EXPECT_TRUE(reads_so(i)) << i;
  if (*count > 1) {
    EXPECT_FALSE(reads_so(*count - 2));
  }
}

void expect_sound(const Explanation& explanation) {
  expect_reached(explanation, explanation.components_for_90, 0.90);
  expect_reached(explanation, explanation.components_for_99, 0.99);
  for (const double number : numbers_of(explanation)) EXPECT_TRUE(std::isfinite(number));
  const std::string text = to_string(explanation);
  for (const std::string wrong : {"nan", "inf ", "{}", " . ", " ,", ".."}) {
    EXPECT_EQ(text.find(wrong), std::string::npos) << wrong << "\n" << text;
  }
  EXPECT_FALSE(explanation.summary.empty());
  EXPECT_EQ(explanation.components.size(), explanation.decomposition.size());
  for (const ExplainedComponent& component : explanation.components) {
    EXPECT_TRUE(component.title.starts_with("A ") || component.title.starts_with("An ") ||
                (component.is_noise && component.title.starts_with("Noise")))
        << component.title;
    if (component.is_noise) {
      EXPECT_EQ(component.sd, 0.0) << component.title;
      EXPECT_NEAR(component.added_variance, 0.0, 1e-12) << component.title;
      EXPECT_FALSE(component.is_zero || component.is_artefact || component.horizon);
    }
    for (const std::string& sentence : component.sentences) EXPECT_TRUE(sentence.ends_with('.'));
  }
}

TEST(Explain, IsSoundForRandomModelsOverTheWholeRegistry) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const FittedModel model = random_model(random);
    expect_sound(explain(model, {.num_draws = 20}));
  }
}

TEST(Explain, IsSoundForThreeRowsAndForRepeatedInputs) {
  for (const char* kernel : {"SE", "LIN*PER + SE", "CP(SE, LIN) + PER", "RQ*MAT32*LIN"}) {
    const Dataset data =
        make_dataset(read_csv_text("x,y\n1,2\n2,3\n5,1\n", "t.csv"), {.target = "y"});
    const Expression tree = parse_expression(kernel, InputNames(data.input_names()));
    Random random(2);
    expect_sound(explain(FittedModel(tree, random_parameters(tree, random), data)));
    // A sample of rows may have one value of an input only.
    const Dataset same({{0.5, 0.5, 0.5, 0.5}}, {1.0, -1.0, 0.5, 0.0}, {Scaling{"x"}}, Scaling{"y"},
                       std::string(32, '0'), {});
    expect_sound(explain(FittedModel(tree, random_parameters(tree, random), same)));
    const Dataset flat({{0.0, 0.3, 0.6, 1.0}}, {0.0, 0.0, 0.0, 0.0}, {Scaling{"x"}}, Scaling{"y"},
                       std::string(32, '0'), {});
    expect_sound(explain(FittedModel(tree, random_parameters(tree, random), flat)));
  }
}

TEST(Explain, IsTheSameForTheSameSeedAndDoesNotDependOnTheSidesOfSums) {
  Random random(3);
  const Dataset data = random_dataset(60, 2, random);
  const InputNames inputs(data.input_names());
  const FittedModel one(parse_expression("SE(x0) + LIN(x1)*PER(x0)", inputs),
                        {0.2, 0.5, 0.7, 0.3, 0.9, 0.4, 0.1, 0.05}, data);
  const FittedModel other(parse_expression("PER(x0)*LIN(x1) + SE(x0)", inputs),
                          {0.9, 0.4, 0.1, 0.7, 0.3, 0.2, 0.5, 0.05}, data);
  const Explanation first = explain(one);
  EXPECT_EQ(to_string(first), to_string(explain(one)));
  const Explanation second = explain(other);
  EXPECT_EQ(first.normal_form, second.normal_form);
  EXPECT_EQ(first.descriptions, second.descriptions);
  for (std::size_t c = 0; c < first.components.size(); ++c) {
    EXPECT_NEAR(first.components[c].error, second.components[c].error, 1e-8);
    EXPECT_EQ(first.components[c].title, second.components[c].title);
  }
}

FittedModel model_of_forty_rows(const std::string& kernel, std::vector<double> parameters) {
  Random random(4);
  const Dataset data = random_dataset(40, 1, random);
  const Expression expression = parse_expression(kernel, InputNames(data.input_names()));
  return {expression, std::move(parameters), data};
}

TEST(Explain, OfAnEnsembleIsThatOfTheFirstMemberAndSaysSo) {
  const FittedModel line = model_of_forty_rows("LIN", {0.5, 0.4, 0.2});
  const FittedModel smooth = model_of_forty_rows("SE", {0.2, 0.9, 0.05});
  const Explanation both = explain(Ensemble::from_weights({smooth, line}, {0.25, 0.75}));
  EXPECT_EQ(both.kernel, "SE");
  EXPECT_EQ(both.num_members, 2U);
  EXPECT_EQ(both.averaging,
            "Predictions are averaged over two kernels; this explains the likeliest, of weight "
            "25.0 %.");
  EXPECT_EQ(both.summary, explain(smooth).summary);
  EXPECT_EQ(explain(Ensemble(line)).num_members, 1U);
  EXPECT_EQ(explain(Ensemble(line)).averaging, "");
}

// A kernel counts with all of its members, and the likeliest of them is told of.
TEST(Explain, OfAMixtureIsThatOfTheFirstKernel) {
  const FittedModel line = model_of_forty_rows("LIN", {0.5, 0.4, 0.2});
  const FittedModel smooth = model_of_forty_rows("SE", {0.2, 0.9, 0.05});
  const FittedModel smoother = model_of_forty_rows("SE", {0.3, 0.8, 0.06});
  const Explanation all =
      explain(Ensemble::from_weights({smooth, line, smoother}, {0.25, 0.4, 0.35}));
  EXPECT_EQ(all.kernel, "SE");
  EXPECT_EQ(all.summary, explain(smoother).summary);
  EXPECT_EQ(all.num_kernels, 2U);
  EXPECT_DOUBLE_EQ(all.kernel_weight, 0.6);
  EXPECT_EQ(all.averaging,
            "Predictions are averaged over two kernels and what the rows leave open about their "
            "parameters; this explains the likeliest, of weight 60.0 %.");
  EXPECT_EQ(explain(Ensemble::from_weights({smooth, smoother}, {0.5, 0.5})).averaging,
            "Predictions are averaged over what the rows leave open about the parameters; this "
            "explains the likeliest ones.");
}

// SE forgets within a few lengthscales, a line and a period never, a side that ended is zero.
TEST(Horizon, FollowsTheKernel) {
  Random random(5);
  const Dataset data = random_dataset(80, 1, random);
  const InputNames inputs(data.input_names());
  const auto horizon = [&](const char* kernel, std::vector<double> parameters) {
    const FittedModel model(parse_expression(kernel, inputs), std::move(parameters), data);
    return component_shape(ComponentAlgebra(model), 0);
  };
  for (const double length : {0.05, 0.3, 0.9}) {
    const ComponentShape smooth = horizon("SE", {length, 1.0, 0.05});
    ASSERT_EQ(smooth.horizon, ComponentShape::Horizon::reached) << length;
    EXPECT_GT(smooth.horizon_distance, 0.4 * length);
    EXPECT_LT(smooth.horizon_distance, 4.0 * length);
  }
  EXPECT_EQ(horizon("LIN", {1.0, 1.0, 0.05}).horizon, ComponentShape::Horizon::beyond_sight);
  EXPECT_EQ(horizon("PER", {1.0, 1.0, 0.2, 0.05}).horizon, ComponentShape::Horizon::beyond_sight);
  const FittedModel change(parse_expression("CP(SE, LIN)", inputs),
                           {0.5, 0.02, 0.2, 1.0, 1.0, 1.0, 0.05}, data);
  const ComponentAlgebra algebra(change);
  ASSERT_EQ(algebra.kernel_text(1), "CP(SE, 0)");
  EXPECT_EQ(component_shape(algebra, 1).horizon, ComponentShape::Horizon::is_zero_there);
}

// Sums of two kernels each, multiplied: 2^count products.
std::string product_of_sums(std::size_t count, const std::string& first,
                            const std::string& second) {
  std::string text = fmt::format("({} + {})", first, second);
  for (std::size_t i = 1; i < count; ++i) text += fmt::format("*({} + {})", first, second);
  return text;
}

TEST(Explain, LeavesASummandThatWouldBeTooManyProductsAsItStands) {
  Random random(11);
  for (const std::size_t num_inputs : {std::size_t{1}, std::size_t{2}}) {
    const Dataset data = random_dataset(30, num_inputs, random);
    const InputNames inputs(data.input_names());
    const std::string second = num_inputs == 1 ? "PER" : "PER(x1)";
    const std::string first = num_inputs == 1 ? "LIN" : "LIN(x0)";
    // 4 products, 256 and 1.
    const Expression kernel = parse_expression(product_of_sums(2, first, second) + " + " +
                                                   product_of_sums(8, first, second) + " + " +
                                                   (num_inputs == 1 ? "SE" : "SE(x0)"),
                                               inputs);
    const FittedModel model(kernel, random_parameters(kernel, random), data);
    const Explanation explanation = explain(model, {.num_draws = 20});
    expect_sound(explanation);
    EXPECT_FALSE(explanation.decomposition.is_expanded());
    std::size_t num_left = 0;
    for (const ExplainedComponent& component : explanation.components) {
      if (component.title.find("too many products") == std::string::npos) continue;
      ++num_left;
      EXPECT_EQ(component.inputs.size(), num_inputs);
      EXPECT_NE(component.sentences[0].find("256 products"), std::string::npos);
    }
    EXPECT_EQ(num_left, 1U);
    EXPECT_NE(explanation.cautions[0].find("more than 200 products"), std::string::npos)
        << explanation.cautions[0];
    EXPECT_TRUE(explanation.inputs.empty());

    const auto points = random_points(data, 20, random);
    const std::vector<double> mean = model.predict(points).mean;
    std::vector<double> sum(20, explanation.offset);
    for (std::size_t c = 0; c < explanation.decomposition.size(); ++c) {
      const std::vector<double> part = explanation.decomposition.curve(c, points).mean;
      for (std::size_t i = 0; i < 20; ++i) sum[i] += part[i];
    }
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(sum[i], mean[i], 1e-6 * data.target_scaling().factor);
    }
  }
}

}  // namespace
}  // namespace covary
