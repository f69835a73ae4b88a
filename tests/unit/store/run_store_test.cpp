#include "store/run_store.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/store/run_examples.h"
#include "unit/table/error_of.h"

namespace covary {
namespace {

bool exists(const std::string& path) { return std::filesystem::exists(path); }

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// ---- there and back ----

TEST(RunStore, RandomHistoriesComeBackBitForBit) {
  const TemporaryFolder folder;
  Random random(1);
  for (int run = 0; run < 5; ++run) {
    RunHeader header;
    header.seed = random.index(1ULL << 63U);
    for (std::uint64_t i = random.index(30); i > 0; --i) {
      header.settings.emplace_back(random_text(random), random_text(random));
    }
    header.data_fingerprint = random_text(random);
    if (random.index(2) == 0) header.is_scaled = random.index(2) == 0;
    if (random.index(2) == 0) header.rows_fingerprint = random_text(random);
    const std::size_t size = random.index(60);
    {
      RunStore store = RunStore::create(folder.run(), header, true);
      for (std::size_t i = 0; i < size; ++i) store.add(example_evaluation(i));
    }
    RunStore store = RunStore::open(folder.run());
    header.created = store.header().created;
    EXPECT_EQ(store.header(), header);
    EXPECT_EQ(store.evaluations().size(), size);
    EXPECT_TRUE(are_examples(store.evaluations()));
  }
}

TEST(RunStore, EveryOddDoubleComesBackBitForBit) {
  const TemporaryFolder folder;
  const std::vector<double> odd = {0.0,
                                   -0.0,
                                   5e-324,
                                   -5e-324,
                                   2.2250738585072009e-308,
                                   1e308,
                                   1.0,
                                   -3.0,
                                   1e15,
                                   9007199254740993.0,
                                   0.1,
                                   1e-17,
                                   -1e300,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
  RunStore store = RunStore::create(folder.run(), example_header(), false);
  std::vector<StoredEvaluation> expected;
  for (const double number : odd) {
    StoredEvaluation e;
    e.index = expected.size();
    e.evidence.value = e.predicted_mean = e.predicted_sd = number;
    e.evidence.log_marginal_likelihood = e.evidence.log_prior = e.evidence.jitter = number;
    e.evidence.seconds = e.wall_seconds = e.acquisition_seconds = number;
    e.evidence.parameters = e.weights = {number, -number};
    store.add(e);
    expected.push_back(e);
  }
  const std::vector<StoredEvaluation> actual = store.evaluations();
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(is_same(actual[i], expected[i])) << odd[i];
  }
}

TEST(RunStore, EvaluationsThatEndOutOfOrderComeBackInOrder) {
  const TemporaryFolder folder;
  RunStore store = RunStore::create(folder.run(), example_header(), false);
  for (const std::size_t index : {3U, 0U, 7U, 1U}) store.add(example_evaluation(index));
  std::vector<std::size_t> indices;
  for (const StoredEvaluation& e : store.evaluations()) indices.push_back(e.index);
  EXPECT_EQ(indices, (std::vector<std::size_t>{0, 1, 3, 7}));
}

TEST(RunStore, NothingIsStoredTwice) {
  const TemporaryFolder folder;
  RunStore store = RunStore::create(folder.run(), example_header(), false);
  store.add(example_evaluation(0));
  StoredEvaluation again = example_evaluation(1);
  again.index = 0;
  EXPECT_THROW(store.add(again), std::logic_error);
  store.add(example_evaluation(1));
  EXPECT_EQ(store.evaluations().size(), 2U);
  EXPECT_TRUE(are_examples(store.evaluations()));
}

TEST(RunStore, NotANumberIsNeverStored) {
  const TemporaryFolder folder;
  RunStore store = RunStore::create(folder.run(), example_header(), false);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<void(StoredEvaluation&)>> changes = {
      [&](StoredEvaluation& e) { e.evidence.value = nan; },
      [&](StoredEvaluation& e) { e.evidence.log_prior = nan; },
      [&](StoredEvaluation& e) { e.predicted_sd = nan; },
      [&](StoredEvaluation& e) {
        e.evidence.parameters = {1.0, nan};
      }};
  for (const auto& change : changes) {
    StoredEvaluation e = example_evaluation(0);
    change(e);
    EXPECT_THROW(store.add(e), std::logic_error);
  }
  store.add(example_evaluation(0));
  EXPECT_TRUE(are_examples(RunStore::open_read_only(folder.run()).evaluations()));
}

TEST(RunStore, FactsAreReplacedAndKept) {
  const TemporaryFolder folder;
  {
    RunStore store = RunStore::create(folder.run(), example_header(), false);
    EXPECT_FALSE(store.fact("finished").has_value());
    store.set_fact("finished", "no");
    store.set_fact("elapsed_seconds", "1.5");
    store.set_fact("finished", "");
    for (int i = 0; i < 100; ++i) store.set_fact("elapsed_seconds", std::to_string(i));
    EXPECT_EQ(store.fact("finished"), "");
  }
  const RunStore store = RunStore::open(folder.run());
  EXPECT_EQ(store.fact("finished"), "");
  EXPECT_EQ(store.fact("elapsed_seconds"), "99");
  EXPECT_FALSE(store.fact("Finished").has_value());
}

TEST(RunStore, FinalistsTakeThePlaceOfEarlierOnesInOneStepWithTheFacts) {
  const TemporaryFolder folder;
  RunStore store = RunStore::create(folder.run(), example_header(), false);
  store.add(example_evaluation(0));
  for (const std::size_t count : {3U, 5U, 0U, 1U}) {
    std::vector<StoredEvaluation> finalists;
    for (std::size_t i = 0; i < count; ++i) finalists.push_back(example_evaluation(i));
    store.finish(finalists, {{"finished", std::to_string(count)}, {"seconds", "1"}});
    const RunContents kept = RunStore::open_read_only(folder.run()).contents();
    EXPECT_EQ(kept.finalists.size(), count);
    EXPECT_TRUE(are_examples(kept.finalists));
    EXPECT_EQ(kept.facts.at("finished"), std::to_string(count));
    EXPECT_TRUE(are_examples(kept.evaluations));
  }
  // What cannot be stored leaves both as they were.
  StoredEvaluation none = example_evaluation(7);
  none.evidence.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(store.finish({example_evaluation(0), none}, {{"finished", "no"}}), std::logic_error);
  EXPECT_EQ(store.contents().finalists.size(), 1U);
  EXPECT_EQ(store.fact("finished"), "1");
}

TEST(RunStore, AReaderSeesWhatARunningSearchAdds) {
  const TemporaryFolder folder;
  RunStore store = RunStore::create(folder.run(), example_header(), false);
  RunStore reader = RunStore::open_read_only(folder.run());
  for (std::size_t i = 0; i < 10; ++i) {
    store.add(example_evaluation(i));
    store.set_fact("last", std::to_string(i));
    EXPECT_EQ(reader.evaluations().size(), i + 1);
    EXPECT_EQ(reader.fact("last"), std::to_string(i));
  }
  EXPECT_TRUE(are_examples(reader.evaluations()));
}

TEST(RunStore, AReaderCannotWrite) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false);
  RunStore reader = RunStore::open_read_only(folder.run());
  EXPECT_THROW(reader.add(example_evaluation(0)), Error);
  EXPECT_THROW(reader.set_fact("a", "b"), Error);
  EXPECT_TRUE(reader.evaluations().empty());
}

TEST(RunStore, OddNamesOfFoldersAreNames) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const std::string name : {"file:x?mode=memory", "a b", ":memory:", "it's \"100%\"", "ü\n"}) {
    RunStore::create(name, example_header(), false).add(example_evaluation(0));
    EXPECT_TRUE(exists(folder.path() + "/" + name + "/run.sqlite")) << name;
    EXPECT_EQ(RunStore::open(name).evaluations().size(), 1U) << name;
  }
  std::filesystem::current_path(before);
}

TEST(RunStore, AtRestARunIsOneFileAndItsLock) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false).add(example_evaluation(0));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.run())) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"run.lock", "run.sqlite"}));
}

// ---- where a run may be made ----

TEST(RunStore, AnExistingRunGivesWayOnlyToForce) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false).add(example_evaluation(0));
  const std::string sentence = error_of(
      ErrorKind::cannot_write, [&] { RunStore::create(folder.run(), example_header(), false); });
  EXPECT_EQ(sentence, folder.run() +
                          ": there is a run already; go on with it with --resume, or replace it "
                          "with --force");
  EXPECT_EQ(RunStore::open(folder.run()).evaluations().size(), 1U);
  EXPECT_TRUE(RunStore::create(folder.run(), example_header(), true).evaluations().empty());
}

TEST(RunStore, ForceDeletesOurFilesAndNoOthers) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.run());
  for (const std::string name : {"run.sqlite", "run.sqlite-journal", "run.sqlite-wal",
                                 "run.sqlite.part", "model.json", "report.html", "notes.txt"}) {
    write_file(folder.run() + "/" + name, "old");
  }
  RunStore store = RunStore::create(folder.run(), example_header(), true);
  EXPECT_TRUE(store.evaluations().empty());
  EXPECT_FALSE(exists(folder.run() + "/model.json"));
  EXPECT_FALSE(exists(folder.run() + "/report.html"));
  EXPECT_FALSE(exists(folder.run() + "/run.sqlite-journal"));
  EXPECT_TRUE(exists(folder.run() + "/notes.txt"));
}

TEST(RunStore, AFolderOfOtherFilesIsLeftAlone) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.run());
  write_file(folder.run() + "/notes.txt", "mine");
  const std::string sentence = error_of(
      ErrorKind::cannot_write, [&] { RunStore::create(folder.run(), example_header(), false); });
  EXPECT_NE(sentence.find("\"notes.txt\""), std::string::npos) << sentence;
  EXPECT_FALSE(exists(folder.run() + "/run.lock"));
  std::filesystem::remove(folder.run() + "/notes.txt");
  RunStore::create(folder.run(), example_header(), false);  // an empty folder is as good as none
}

TEST(RunStore, APlaceThatCannotBeWrittenIsRefusedAtOnce) {
  const TemporaryFolder folder;
  write_file(folder.path() + "/file", "");
  for (const std::string& place :
       {folder.path() + "/no/such/place", folder.path() + "/file", folder.path() + "/file/run",
        std::string("/proc/covary"), std::string(), folder.path() + "/" + std::string(300, 'x')}) {
    for (const bool force : {false, true}) {
      error_of(ErrorKind::cannot_write, [&] { RunStore::create(place, example_header(), force); });
    }
  }
}

TEST(RunStore, AMissingRunIsMissingInput) {
  const TemporaryFolder folder;
  write_file(folder.path() + "/file", "");
  for (const std::string& place : {folder.path(), folder.run(), folder.path() + "/file"}) {
    EXPECT_EQ(
        error_of(ErrorKind::no_input, [&] { RunStore::open(place); }),
        place +
            ": there is no run of Covary; name the folder that a search or a forecast has made");
    error_of(ErrorKind::no_input, [&] { RunStore::open_read_only(place); });
  }
  EXPECT_EQ(error_of(ErrorKind::no_input, [&] { RunStore::open(""); }).substr(0, 36),
            "\"\": there is no run of Covary; name ");
  EXPECT_FALSE(exists(folder.path() + "/run.lock"));
}

TEST(RunStore, ARunWhoseFolderIsRemovedIsOneError) {
  const TemporaryFolder folder;
  RunStore store = RunStore::create(folder.run(), example_header(), false);
  std::filesystem::remove_all(folder.run());
  error_of(ErrorKind::cannot_write, [&] { store.add(example_evaluation(0)); });
}

// ---- going on with a run ----

std::string mismatch(ErrorKind kind, const std::function<void(RunHeader&)>& change) {
  RunHeader now = example_header();
  change(now);
  const std::vector<std::string> may_differ = {"threads", "max_evaluations"};
  return error_of(kind, [&] { check_matches(example_header(), now, "a.covary", may_differ); });
}

TEST(RunStore, TheSameSettingsMatchInAnyOrder) {
  const std::vector<std::string> may_differ = {"threads", "max_evaluations"};
  RunHeader now = example_header();
  now.created = "later";
  now.covary_version = "9";
  now.settings[2].second = "100";
  now.settings.emplace_back("threads", "8");
  now.settings.emplace_back("holdout", "");
  std::reverse(now.settings.begin(), now.settings.end());
  EXPECT_NO_THROW(check_matches(example_header(), now, "a.covary", may_differ));
}

TEST(RunStore, TheFirstDifferenceIsNamed) {
  const std::string advice = "; give the settings it was made with, or replace it with --force";
  EXPECT_EQ(mismatch(ErrorKind::usage, [](RunHeader& now) { now.seed = 2; }),
            "the run in a.covary was made with --seed 18446744073709551615, now it is 2" + advice);
  EXPECT_EQ(mismatch(ErrorKind::usage, [](RunHeader& now) { now.settings[0].second = "greedy"; }),
            "the run in a.covary was made with --method sot, now it is greedy" + advice);
  EXPECT_EQ(mismatch(ErrorKind::usage, [](RunHeader& now) { now.settings[1].second = "100"; }),
            "the run in a.covary was made without --rows, now it is 100" + advice);
  EXPECT_EQ(
      mismatch(ErrorKind::usage, [](RunHeader& now) { now.settings.erase(now.settings.begin()); }),
      "the run in a.covary was made with --method sot, now it is not given" + advice);
  EXPECT_EQ(mismatch(ErrorKind::usage,
                     [](RunHeader& now) { now.settings.emplace_back("ei_margin", "1\n"); }),
            "the run in a.covary was made without --ei-margin, now it is 1\\n" + advice);
  EXPECT_EQ(mismatch(ErrorKind::bad_data, [](RunHeader& now) { now.data_fingerprint = "f"; }),
            "the run in a.covary was made with other data (fingerprint "
            "5e6bc18e428f613cf6c00133dc15c54d, now it is f); give the data it was made with, or "
            "replace it with --force");
  EXPECT_EQ(mismatch(ErrorKind::bad_data, [](RunHeader& now) { now.rows_fingerprint = "f"; }),
            "the run in a.covary was made with other rows of these data; give the rows it was made "
            "with, or replace it with --force");
  EXPECT_EQ(mismatch(ErrorKind::usage, [](RunHeader& now) { now.is_scaled = false; }),
            "the run in a.covary was made with scaled data, now they are not; leave out "
            "--no-scale, or replace it with --force");
}

TEST(RunStore, WhatTheRunDoesNotKnowOfItsRowsIsNotCompared) {
  RunHeader old = example_header();
  old.is_scaled.reset();
  old.rows_fingerprint.reset();
  EXPECT_NO_THROW(check_matches(old, example_header(), "a.covary", {}));
}

}  // namespace
}  // namespace covary
