// Runs of older format versions; tests/fixtures tells how they were made.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "store/run_store.h"
#include "unit/store/child_process.h"
#include "unit/store/run_examples.h"
#include "unit/table/error_of.h"

namespace covary {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int format_of(const std::string& folder) {
  int format = -1;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open((folder + "/run.sqlite").c_str(), &database), SQLITE_OK);
  sqlite3_exec(
      database, "PRAGMA user_version",
      [](void* to, int, char** values, char**) {
        *static_cast<int*>(to) = std::stoi(values[0]);
        return 0;
      },
      &format, nullptr);
  sqlite3_close(database);
  return format;
}

std::string bits_of(const RunContents& contents) {
  std::string bits =
      fmt::format("{} {} {} {}\n", contents.header.covary_version, contents.header.created,
                  contents.header.seed, contents.header.data_fingerprint);
  for (const auto& [name, value] : contents.header.settings)
    bits += fmt::format("{}={}\n", name, value);
  for (const auto& [name, value] : contents.facts) bits += fmt::format("{}:{}\n", name, value);
  for (const auto* list : {&contents.evaluations, &contents.finalists}) {
    for (const StoredEvaluation& one : *list) bits += covary::bits_of(one) + "\n";
    bits += "\n";
  }
  return bits;
}

class RunOfVersion01 : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::filesystem::copy(fmt::format("{}/fixtures/0.1/{}", COVARY_TESTS_DIR, GetParam()),
                          folder_.run());
  }
  std::string run() const { return folder_.run(); }
  std::string file() const { return folder_.run() + "/run.sqlite"; }

 private:
  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Both, RunOfVersion01, testing::Values("finished", "unfinished"));

TEST_P(RunOfVersion01, IsReadAsItIs) {
  const std::string bytes = bytes_of(file());
  const RunContents contents = RunStore::open_read_only(run()).contents();
  EXPECT_EQ(contents.header.covary_version, "0.1.0");
  EXPECT_EQ(contents.header.data_fingerprint, "5e6bc18e428f613cf6c00133dc15c54d");
  const bool is_finished = GetParam() == std::string("finished");
  ASSERT_EQ(contents.evaluations.size(), is_finished ? 12U : 5U);
  EXPECT_EQ(contents.evaluations[2].kernel, "RQ*PER");
  EXPECT_EQ(contents.evaluations[2].evidence.outcome, FitOutcome::converged);
  EXPECT_EQ(contents.evaluations[2].evidence.parameters.size(), 7U);
  ASSERT_EQ(contents.finalists.size(), is_finished ? 3U : 0U);
  if (is_finished) {
    EXPECT_EQ(contents.finalists[0].kernel, "(PER + LIN)*PER");
    EXPECT_EQ(contents.finalists[0].evidence.value, 67.22413706006388);
    EXPECT_EQ(contents.finalists[0].evidence.parameters.size(), 9U);
  }
  EXPECT_FALSE(contents.facts.contains("finalists"));
  EXPECT_EQ(bytes_of(file()), bytes);
  EXPECT_EQ(format_of(run()), 1);
}

TEST_P(RunOfVersion01, BecomesOneOfOursWhenItIsGoneOnWithAndLosesNothing) {
  const std::string before = bits_of(RunStore::open_read_only(run()).contents());
  const std::size_t num_before = RunStore::open_read_only(run()).evaluations().size();
  {
    RunStore store = RunStore::open(run());
    EXPECT_EQ(bits_of(store.contents()), before);
    store.add(example_evaluation(99));
  }
  EXPECT_GT(format_of(run()), 1);
  RunStore store = RunStore::open(run());
  EXPECT_EQ(store.evaluations().size(), num_before + 1);
  EXPECT_TRUE(is_same(store.evaluations().back(), example_evaluation(99)));
}

// The change of format is all or nothing, wherever the room for it ends.
TEST_P(RunOfVersion01, StaysWhatItWasWhereThereIsNoRoomForTheNewOne) {
  const std::string before = bits_of(RunStore::open_read_only(run()).contents());
  for (std::size_t limit = 512; limit <= 24'576; limit *= 2) {
    ChildProcess child([&](const ChildProcess::Report& report) {
      std::signal(SIGXFSZ, SIG_IGN);  // NOLINT(cert-err33-c)
      const rlimit bound{limit, limit};
      if (setrlimit(RLIMIT_FSIZE, &bound) != 0) return;
      try {
        RunStore::open(run());
      } catch (const Error& error) {
        report(std::to_string(exit_code(error.kind())));
      }
    });
    EXPECT_EQ(child.wait_and_read(), "74") << limit;
    EXPECT_EQ(bits_of(RunStore::open_read_only(run()).contents()), before) << limit;
    EXPECT_EQ(format_of(run()), 1) << limit;
  }
}

TEST_P(RunOfVersion01, IsRefusedWhenItIsDamaged) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "UPDATE evaluation SET jitter = 0.5 WHERE position = 1", nullptr, nullptr,
               nullptr);
  sqlite3_close(database);
  const std::string bytes = bytes_of(file());
  error_of(ErrorKind::bad_data, [&] { RunStore::open_read_only(run()); });
  error_of(ErrorKind::bad_data, [&] { RunStore::open(run()); });
  EXPECT_EQ(bytes_of(file()), bytes);
}

}  // namespace
}  // namespace covary
