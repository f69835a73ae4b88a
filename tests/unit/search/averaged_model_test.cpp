// What the model of a search of several inputs is averaged over; docs/math/averaging.md.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>
#include <covary/search.h>
#include <covary/table.h>

#include "evidence/stacking.h"
#include "search/first_sentences.h"

namespace covary {
namespace {

// Two inputs that act together, and one that does nothing.
Dataset surface(std::size_t num_rows) {
  Random random(11);
  Table table;
  table.source = "test";
  table.num_rows = num_rows;
  table.line_steps = {{}};
  for (const char* name : {"a", "b", "c", "y"}) {
    table.columns.emplace_back().name = name;
  }
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double a = random.uniform();
    const double b = random.uniform();
    const double c = random.uniform();
    const double y = std::sin(4.0 * a * b) + a + 0.1 * random.normal();
    for (std::size_t k = 0; k < 4; ++k) {
      table.columns[k].values.push_back(k == 0 ? a : k == 1 ? b : k == 2 ? c : y);
    }
  }
  return make_dataset(table, {.target = "y"});
}

SearchOptions quick() {
  SearchOptions options;
  options.evidence.restarts = 3;
  options.max_evaluations = 24;
  options.threads = 2;
  options.finalists = 3;
  options.average = Average::none;
  return options;
}

std::set<std::string> kernels_of(const Ensemble& model) {
  std::set<std::string> found;
  for (const FittedModel& member : model.members()) found.insert(member.kernel_text());
  return found;
}

TEST(AveragedModel, OfSeveralInputsHasFinalistsAndSentencesAsTheyPredictUnseenRows) {
  const Dataset data = surface(40);
  const SearchResult result = search(data, quick());
  const std::set<std::string> kernels = kernels_of(result.ensemble);
  EXPECT_EQ(kernels.size(), result.ensemble.size());  // each once
  const InputNames inputs = inputs_of(data);
  for (const Finalist& finalist : result.finalists) {
    EXPECT_TRUE(kernels.contains(to_string(finalist.kernel, inputs))) << finalist.kernel;
  }
  std::size_t num_sentences = 0;
  for (const Expression& sentence :
       first_sentences(make_search_space(quick().space, inputs)).usual) {
    num_sentences += kernels.contains(to_string(sentence, inputs)) ? 1U : 0U;
  }
  EXPECT_GE(num_sentences, 7U);  // a finalist may be one of them in another form

  std::vector<std::vector<double>> unseen;
  for (const FittedModel& member : result.ensemble.members()) {
    unseen.push_back(member.leave_one_out_log_density());
  }
  const std::vector<double> weights = stacked_weights(unseen);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    EXPECT_NEAR(result.ensemble.weights()[k], weights[k], 1e-7) << k;
  }
}

TEST(AveragedModel, BeginsWithTheBestKernelWhateverItsWeight) {
  const Dataset data = surface(30);
  SearchOptions options = quick();
  for (const std::size_t most : {1U, 2U, 4U}) {
    options.ensemble = most;
    const SearchResult result = search(data, options);
    ASSERT_EQ(result.ensemble.size(), most);
    EXPECT_EQ(result.ensemble.members().front().kernel_text(), result.kernel);
    const std::vector<double>& weights = result.ensemble.weights();
    EXPECT_TRUE(std::is_sorted(weights.begin() + 1, weights.end(), std::greater<>()));
  }
}

}  // namespace
}  // namespace covary
