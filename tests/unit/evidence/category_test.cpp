#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/model.h>
#include <covary/random.h>

namespace covary {
namespace {

struct Row {
  std::string region;
  double age;
  double income;
};

// Unequal groups, so that nothing about them cancels.
std::vector<Row> some_rows() {
  const std::vector<std::string> regions = {"north", "south", "east", "west"};
  const std::vector<double> offsets = {2.0, -1.0, 0.5, 0.0};
  Random random(5);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t group = i % 10 < 4 ? 0 : i % 10 < 7 ? 1 : i % 10 < 9 ? 2 : 3;
    const double age = 20.0 + 40.0 * random.uniform();
    rows.push_back({regions[group], age,
                    offsets[group] + std::sin(0.1 * age) + 0.3 * (random.uniform() - 0.5)});
  }
  return rows;
}

Dataset data_of(const std::vector<Row>& rows) {
  std::string text = "region,age,income\n";
  for (const Row& row : rows) text += fmt::format("{},{},{}\n", row.region, row.age, row.income);
  return make_dataset(read_csv_text(text, "F"), {.target = "income"});
}

Expression parse(const std::string& text, const Dataset& data) {
  return parse_expression(text, inputs_of(data));
}

// With k(x, x') = σ² [x = x'] and noise τ², a level of n rows with mean ȳ has the posterior
//   mean n σ² / (n σ² + τ²) ȳ,   variance σ² τ² / (n σ² + τ²):
// its rows' mean, drawn to that of all the more the fewer they are.
TEST(CategoryKernel, ItsPosteriorIsTheShrunkMeanOfTheLevel) {
  const Dataset data = data_of(some_rows());
  const double variance = 0.7;
  const double noise = 0.2;
  const FittedModel model(parse("CAT(region)", data), {variance, noise}, data);
  std::map<double, std::pair<double, double>> sums;  // level → rows, sum of targets
  for (std::size_t i = 0; i < data.num_rows(); ++i) {
    sums[data.input(0)[i]].first += 1.0;
    sums[data.input(0)[i]].second += data.target()[i];
  }
  ASSERT_EQ(sums.size(), 4U);
  const Scaling& unit = data.target_scaling();
  for (const auto& [level, sum] : sums) {
    const auto& [n, total] = sum;
    const Prediction prediction = model.predict({{level}, {30.0}});
    const double mean = n * variance / (n * variance + noise) * (total / n);
    EXPECT_NEAR(prediction.mean[0], unit.to_raw(mean), 1e-10);
    EXPECT_NEAR(prediction.latent_sd[0],
                unit.factor * std::sqrt(variance * noise / (n * variance + noise)), 1e-10);
  }
}

TEST(CategoryKernel, ALevelThatWasNotSeenHasThePriorOfThatPart) {
  const Dataset data = data_of(some_rows());
  const Scaling& unit = data.target_scaling();
  const FittedModel model(parse("CAT(region)", data), {0.7, 0.2}, data);
  const Prediction of_new = model.predict({{4.0, 5.0}, {30.0, 30.0}});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(of_new.mean[i], unit.offset, 1e-12);
    EXPECT_NEAR(of_new.latent_sd[i], unit.factor * std::sqrt(0.7), 1e-12);
  }
  // Two of them have nothing to do with each other, but each has to do with itself.
  const std::vector<double> covariance =
      model.covariance({{4.0, 5.0, 4.0}, {30.0, 30.0, 30.0}}, Predicted::function);
  EXPECT_NEAR(covariance[1], 0.0, 1e-12);
  EXPECT_NEAR(covariance[2], covariance[0], 1e-12);
}

// What levels have in common is known for a new one too.
TEST(AlikeKernel, ALevelThatWasNotSeenKnowsTheCommonPart) {
  const Dataset data = data_of(some_rows());
  const std::vector<double> parameters = {0.3, 1.0, 0.1, 0.9, 0.05};
  const FittedModel alike(parse("SE(age)*ALIKE(region)", data), parameters, data);
  const double prior = data.target_scaling().factor * std::sqrt(0.1 + 0.9);
  const Prediction of_new = alike.predict({{4.0}, {30.0}});
  EXPECT_LT(of_new.latent_sd[0], 0.6 * prior);
  EXPECT_GT(of_new.latent_sd[0], alike.predict({{0.0}, {30.0}}).latent_sd[0]);
}

TEST(CategoryKernel, TheProductOfTwoAlikeKernelsIsOne) {
  const Dataset data = data_of(some_rows());
  // (0.5 e + 0.2) (0.3 e + 0.4) = 0.41 e + 0.08, with e = [x = x'].
  const FittedModel product(parse("ALIKE(region)*ALIKE(region)", data), {0.5, 0.2, 0.3, 0.4, 0.1},
                            data);
  const FittedModel merged(parse("ALIKE(region)", data), {0.41, 0.08, 0.1}, data);
  EXPECT_NEAR(product.log_marginal_likelihood(), merged.log_marginal_likelihood(), 1e-10);
}

const EvidenceOptions few_starts = {.restarts = 3, .threads = 1};

TEST(Category, NamesOfLevelsChangeNothing) {
  const std::vector<Row> rows = some_rows();
  std::vector<Row> renamed = rows;
  const std::map<std::string, std::string> names = {
      {"north", "4"}, {"south", "b b"}, {"east", "Ω"}, {"west", "A"}};
  for (Row& row : renamed) row.region = names.at(row.region);
  const Dataset data = data_of(rows);
  const Dataset others = data_of(renamed);
  ASSERT_NE(data.input(0)[0], others.input(0)[0]);  // the order of names is another
  const Expression kernel = parse("SE(age)*ALIKE(region) + CAT(region)", data);
  const Evidence one = make_oracle(data, few_starts)->evaluate(kernel);
  const Evidence other = make_oracle(others, few_starts)->evaluate(kernel);
  EXPECT_EQ(*one.value, *other.value);
  EXPECT_EQ(one.parameters, other.parameters);
}

TEST(Category, TheOrderOfTheRowsChangesNothing) {
  const std::vector<Row> rows = some_rows();
  std::vector<Row> permuted;
  Random random(2);
  for (const std::size_t i : random.permutation(rows.size())) permuted.push_back(rows[i]);
  const Dataset data = data_of(rows);
  const Dataset others = data_of(permuted);
  const Expression kernel = parse("SE(age) + CAT(region)", data);
  const Evidence one = make_oracle(data, few_starts)->evaluate(kernel);
  const Evidence other = make_oracle(others, few_starts)->evaluate(kernel);
  EXPECT_NEAR(*one.value, *other.value, 1e-5);
  const FittedModel model(kernel, one.parameters, data);
  const FittedModel same(kernel, one.parameters, others);
  const std::vector<std::vector<double>> points = {{0.0, 1.0, 2.0, 3.0, 4.0},
                                                   {25.0, 30.0, 35.0, 50.0, 80.0}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(model.predict(points).mean[i], same.predict(points).mean[i], 1e-9);
    EXPECT_NEAR(model.predict(points).sd[i], same.predict(points).sd[i], 1e-9);
  }
}

TEST(Category, KernelsOfTheWrongKindAreRefusedWithASentence) {
  const Dataset data = data_of(some_rows());
  const auto complaint = [&](const std::string& text) {
    try {
      parse(text, data);
    } catch (const ParseError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint("SE(region)"),
            "column 3: SE acts on numbers, but \"region\" is a category; CAT, ALIKE act on those");
  EXPECT_EQ(complaint("CAT_2"),
            "column 4: CAT acts on categories, but \"age\" holds numbers; SE, LIN, PER, RQ, MAT32, "
            "MAT52, MAT12, RW, C, WN, YEAR, WEEK and 1 more act on those, and --categories makes "
            "it a category");
  EXPECT_NE(complaint("CP(SE, LIN, region)").find("CP acts on numbers"), std::string::npos);
  // With one input of its kind, a kernel knows which is meant.
  EXPECT_EQ(to_string(parse("SE*CAT", data), inputs_of(data)), "SE(age)*CAT(region)");
}

}  // namespace
}  // namespace covary
