// Whole searches of small data, in memory and in a folder.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <covary/model_file.h>
#include <covary/random.h>
#include <covary/search.h>
#include <covary/table.h>

#include "store/run_store.h"

namespace covary {
namespace {

Column column_of(const std::string& name, std::vector<double> values) {
  Column column;
  column.name = name;
  column.values = std::move(values);
  return column;
}

Dataset waves(std::size_t num_rows = 40) {
  Random random(3);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(num_rows);
    x.push_back(t);
    y.push_back(std::sin(12.0 * std::numbers::pi * t) + 2.0 * t + 0.1 * random.normal());
  }
  Table table;
  table.source = "test";
  table.num_rows = num_rows;
  table.line_steps = {{}};
  table.columns.push_back(column_of("x", std::move(x)));
  table.columns.push_back(column_of("y", std::move(y)));
  return make_dataset(table, {.target = "y"});
}

SearchOptions quick() {
  SearchOptions options;
  options.space.max_leaves = 3;
  options.evidence.restarts = 4;
  options.max_evaluations = 18;
  options.threads = 2;
  options.finalists = 3;
  return options;
}

std::vector<std::string> lines_of(const SearchResult& result) {
  std::vector<std::string> lines;
  for (const SearchRecord& record : result.history) {
    lines.push_back(fmt::format("{} {}", to_string(record.kernel),
                                record.evidence.value ? *record.evidence.value : 0.0));
  }
  return lines;
}

class SearchFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fmt::format("{}/covary_search_{}_{}", ::testing::TempDir(), getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
};

TEST(Search, DeterministicModeGivesTheSameResultForAnyNumberOfThreads) {
  const Dataset data = waves();
  SearchOptions options = quick();
  options.deterministic = true;
  options.threads = 1;
  const SearchResult one = search(data, options);
  options.threads = 3;
  const SearchResult three = search(data, options);
  EXPECT_EQ(lines_of(one), lines_of(three));
  EXPECT_EQ(one.kernel, three.kernel);
  EXPECT_EQ(one.value, three.value);
}

TEST(Search, StartsWithEveryBaseKernelAndNoTreeTwice) {
  const SearchResult result = search(waves(), quick());
  const auto first_proposed =
      std::find_if(result.history.begin(), result.history.end(),
                   [](const SearchRecord& record) { return !record.is_initial; });
  const auto num_base =
      std::count_if(result.history.begin(), first_proposed,
                    [](const SearchRecord& record) { return record.kernel.is_leaf(); });
  EXPECT_EQ(num_base, 6);
  for (auto one = result.history.begin(); one != first_proposed; ++one) {
    for (auto other = result.history.begin(); other != one; ++other) {
      EXPECT_FALSE(same_tree(one->kernel, other->kernel));
    }
  }
  ASSERT_NE(first_proposed, result.history.end());
  ASSERT_EQ(first_proposed->weights.size(), 3U);
  EXPECT_TRUE(first_proposed->predicted_mean.has_value());
}

TEST(Search, SaysNothingTwiceAndNothingAtLength) {
  SearchOptions options = quick();
  options.space.space = "SE,LIN,C,WN,RW";
  options.space.operators = "+,*,CP";
  options.space.max_leaves = 4;
  options.evidence.restarts = 1;
  options.max_evaluations = 60;
  for (const SearchMethod method :
       {SearchMethod::sot, SearchMethod::hellinger, SearchMethod::greedy, SearchMethod::treegep,
        SearchMethod::random}) {
    options.method = method;
    const SearchResult result = search(waves(20), options);
    EXPECT_EQ(result.history.size(), 60U);
    std::set<std::string> families;
    for (const SearchRecord& record : result.history) {
      EXPECT_TRUE(families.insert(family_key(record.kernel)).second) << record.kernel;
      EXPECT_EQ(record.kernel.num_leaves(), shortest_form(record.kernel).num_leaves())
          << record.kernel;
    }
  }
}

// Ever longer kernels, all of one family: there is nothing to be found, and no end to looking.
TEST(Search, EndsWhereAllThatIsLeftIsSaidAlready) {
  SearchOptions options = quick();
  options.space.space = "LIN,C,WN";
  options.space.operators = "+";
  options.space.max_leaves = 500;
  const SearchResult result = search(waves(20), options);
  EXPECT_EQ(result.end, SearchEnd::exhausted);
  EXPECT_EQ(result.history.size(), 3U);
}

TEST(Search, FinalistsAreTheBestOfTheHistoryFittedNoWorseThanThere) {
  const Dataset data = waves();
  const SearchResult result = search(data, quick());
  for (const Finalist& finalist : result.finalists) {
    const auto known = std::find_if(
        result.history.begin(), result.history.end(),
        [&](const SearchRecord& record) { return same_tree(record.kernel, finalist.kernel); });
    ASSERT_NE(known, result.history.end());
    EXPECT_GE(finalist.evidence.log_posterior, known->evidence.log_posterior);
    // No other kernel was better than the least of them, except for repeats of one polynomial.
    for (const SearchRecord& record : result.history) {
      if (record.evidence.value.value_or(-1e300) <= *known->evidence.value) continue;
      EXPECT_TRUE(std::any_of(
          result.finalists.begin(), result.finalists.end(),
          [&](const Finalist& other) { return same_polynomial(other.kernel, record.kernel); }));
    }
  }
  for (std::size_t i = 1; i < result.finalists.size(); ++i) {
    EXPECT_GE(*result.finalists[i - 1].evidence.value, *result.finalists[i].evidence.value);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(same_polynomial(result.finalists[i].kernel, result.finalists[j].kernel));
    }
  }
  EXPECT_NEAR(result.model.log_marginal_likelihood(),
              result.finalists.front().evidence.log_marginal_likelihood, 1e-8);
  EXPECT_NEAR(result.value_per_row, result.value / 40.0, 1e-12);
}

TEST(Search, ThePaperPresetFollowsThePaper) {
  const SearchOptions paper = SearchOptions::paper();
  EXPECT_EQ(paper.unique, Uniqueness::none);
  EXPECT_EQ(paper.evidence.restarts, 10U);
  EXPECT_EQ(paper.evidence.laplace, Laplace::reference);
  EXPECT_FALSE(paper.warm_starts);
  SearchOptions options = paper;
  options.evidence.restarts = 1;
  options.max_evaluations = 15;
  options.threads = 2;
  EXPECT_EQ(search(waves(30), options).history.size(), 15U);
}

TEST(Search, ATimeLimitEndsItWithAResult) {
  SearchOptions options = quick();
  options.max_evaluations = 100000;
  options.time_limit = 1.0;
  const SearchResult result = search(waves(), options);
  EXPECT_EQ(result.end, SearchEnd::time_limit);
  EXPECT_FALSE(result.history.empty());
}

TEST(Search, InterruptedBeforeTheFirstValueItSaysSo) {
  const std::atomic<bool> interrupted{true};
  EXPECT_THROW(search(waves(), quick(), {}, &interrupted), SearchInterrupted);
}

TEST_F(SearchFolder, KeepsEveryEvaluationAndTheModel) {
  const Dataset data = waves();
  const SearchResult result = search_in_folder(data, quick(), {.folder = folder_});
  EXPECT_EQ(RunStore::open_read_only(folder_).evaluations().size(), result.history.size());
  EXPECT_EQ(RunStore::open_read_only(folder_).fact("finished"), "max_evaluations");
  EXPECT_EQ(load_model(folder_ + "/model.json").members().front().kernel_text(), result.kernel);
}

TEST_F(SearchFolder, KeepsAnEnsembleOfTheBestKernelsWeightedByEvidence) {
  SearchOptions options = quick();
  options.ensemble = 3;
  options.average = Average::none;
  const SearchResult result = search_in_folder(waves(), options, {.folder = folder_});
  const Ensemble loaded = load_model(folder_ + "/model.json");
  ASSERT_EQ(loaded.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(to_string(loaded.members()[i].kernel()), to_string(result.finalists[i].kernel));
    const double behind = *result.finalists[i].evidence.value - result.value;
    EXPECT_NEAR(loaded.weights()[i] / loaded.weights()[0], std::exp(behind), 1e-12);
  }
  const std::vector<std::vector<double>> points = {{0.1, 0.5, 1.2}};
  EXPECT_EQ(loaded.predict(points).sd, result.ensemble.predict(points).sd);
}

TEST_F(SearchFolder, KeepsAModelThatIsAveragedOverParameters) {
  const SearchResult result = search_in_folder(waves(), quick(), {.folder = folder_});
  const Ensemble loaded = load_model(folder_ + "/model.json");
  EXPECT_GT(loaded.size(), loaded.kernels().size());
  EXPECT_EQ(loaded.members().front().kernel_text(), result.kernel);
  EXPECT_EQ(loaded.members().front().parameters(), result.model.parameters());
  // Kernels count by their evidence, whatever their parameters count among themselves.
  for (const Ensemble::Kernel& kernel : loaded.kernels()) {
    const auto finalist =
        std::find_if(result.finalists.begin(), result.finalists.end(), [&](const Finalist& one) {
          return to_string(one.kernel) == to_string(loaded.members()[kernel.member].kernel());
        });
    ASSERT_NE(finalist, result.finalists.end());
    EXPECT_NEAR(kernel.weight / loaded.kernels().front().weight,
                std::exp(*finalist->evidence.value - result.value), 1e-9);
  }
  const std::vector<std::vector<double>> points = {{0.1, 0.5, 1.2}};
  EXPECT_EQ(loaded.predict(points).sd, result.ensemble.predict(points).sd);
}

TEST_F(SearchFolder, WithALargerBudgetARunGoesOn) {
  const Dataset data = waves();
  SearchOptions options = quick();
  const SearchResult whole = search(data, options);
  options.max_evaluations = 14;
  search_in_folder(data, options, {.folder = folder_});
  options.max_evaluations = 18;
  const SearchResult resumed = search_in_folder(data, options, {.folder = folder_, .resume = true});
  EXPECT_EQ(lines_of(resumed), lines_of(whole));
  EXPECT_EQ(resumed.kernel, whole.kernel);
  EXPECT_EQ(resumed.value, whole.value);
}

TEST_F(SearchFolder, ARunOfSomeRowsGoesOnWithTheseRowsOnly) {
  const auto rows_from = [](std::size_t first) {
    std::vector<std::size_t> rows(20);
    std::iota(rows.begin(), rows.end(), first);
    return waves().rows(rows);
  };
  SearchOptions options = quick();
  options.max_evaluations = 2;
  search_in_folder(rows_from(0), options, {.folder = folder_});
  options.max_evaluations = 3;
  const auto resume = [&](std::size_t first) {
    return search_in_folder(rows_from(first), options, {.folder = folder_, .resume = true});
  };
  EXPECT_THROW(resume(20), Error);
  EXPECT_EQ(resume(0).history.size(), 3U);
}

// Found out before the first evaluation, not after the last.
TEST_F(SearchFolder, DataTooLargeForAModelFileAreRefusedBeforeTheSearch) {
  struct Counter final : SearchObserver {
    void starting(std::size_t /*num_planned*/, std::size_t /*num_done*/) override { ++count; }
    int count = 0;
  } counter;
  const std::size_t num_inputs = 5'000;
  std::vector<Scaling> scalings;
  for (std::size_t i = 0; i < num_inputs; ++i) scalings.push_back({fmt::format("x{}", i)});
  std::vector<double> column(300);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<double>(i) / 299.0;
  const Dataset data(std::vector<std::vector<double>>(num_inputs, column), column, scalings,
                     Scaling{"y"}, std::string(32, '0'), {});
  SearchOptions options = quick();
  options.max_evaluations = 1;
  options.space.space = "SE";
  options.screen = 0;  // all of them
  try {
    search_in_folder(data, options, {.folder = folder_}, {&counter});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cannot_write);
    EXPECT_EQ(error.what(),
              folder_ +
                  "/model.json: a model of 300 rows and 5000 inputs is too large for a model file; "
                  "train on fewer rows with --rows, or on fewer inputs with --inputs");
  }
  EXPECT_EQ(counter.count, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(SearchFolder, ARunOfOtherDataOrSettingsIsRefused) {
  search_in_folder(waves(), quick(), {.folder = folder_});
  const auto resumed_with = [&](const Dataset& data, const SearchOptions& options) {
    try {
      search_in_folder(data, options, {.folder = folder_, .resume = true});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(resumed_with(waves(41), quick()).find("other data"), std::string::npos);
  std::vector<std::size_t> rows(20);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  EXPECT_NE(resumed_with(waves().rows(rows), quick()).find("with other rows of these data"),
            std::string::npos);
  SearchOptions options = quick();
  options.evidence.criterion = Criterion::bic;
  EXPECT_NE(resumed_with(waves(), options).find("--criterion evidence"), std::string::npos);
  options = quick();
  options.space.space = "SE,LIN";
  EXPECT_NE(resumed_with(waves(), options).find("--space"), std::string::npos);
  options = quick();
  options.threads = 1;
  EXPECT_EQ(resumed_with(waves(), options), "");
}

}  // namespace
}  // namespace covary
