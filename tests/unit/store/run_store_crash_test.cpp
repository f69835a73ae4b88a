#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/run_store.h"
#include "unit/store/child_process.h"
#include "unit/store/run_examples.h"
#include "unit/table/error_of.h"

namespace covary {
namespace {

using Report = ChildProcess::Report;

// Adds the next examples, one mark for each that add() has returned from.
void add_without_end(const std::string& folder, const Report& report) {
  RunStore store = RunStore::open(folder);
  for (std::size_t i = store.evaluations().size();; ++i) {
    store.add(example_evaluation(i));
    report("+");
  }
}

// Files that the process writes may grow to so many bytes and no further.
void limit_file_size(std::size_t bytes) {
  const rlimit no_core = {0, 0};
  const rlimit limit = {bytes, bytes};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(4);
}

// What a death leaves: everything that was reported, and at most the one that was under way.
void expect_survived(const std::string& folder, std::size_t num_reported) {
  RunStore store = RunStore::open(folder);
  const std::vector<StoredEvaluation> evaluations = store.evaluations();
  EXPECT_GE(evaluations.size(), num_reported);
  EXPECT_LE(evaluations.size(), num_reported + 1);
  EXPECT_TRUE(are_examples(evaluations));
}

// ---- killed ----

TEST(RunStoreCrash, NothingIsLostByFiftyKillsAtRandomMoments) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false);
  Random random(5);
  std::size_t num_stored = 0;
  for (int i = 0; i < 50; ++i) {
    ChildProcess child([&](const Report& report) { add_without_end(folder.run(), report); });
    std::size_t num_reported = num_stored + child.read_some(random.index(4)).size();
    std::this_thread::sleep_for(std::chrono::microseconds(random.index(8000)));
    const std::string rest = child.kill_and_read();
    ASSERT_EQ(rest.find("exception"), std::string::npos) << rest;
    num_reported += rest.size();
    if (i % 2 == 0) {  // a reader, too, can be the first to look
      EXPECT_GE(RunStore::open_read_only(folder.run()).evaluations().size(), num_reported);
    }
    expect_survived(folder.run(), num_reported);
    num_stored = RunStore::open(folder.run()).evaluations().size();
  }
  EXPECT_GT(num_stored, 50U);
}

// The system kills a process in the middle of the write that would pass the limit: as the limit
// moves on byte by byte, this tears every page of the journal and of the file at some point.
TEST(RunStoreCrash, NothingIsLostByADeathInsideAWrite) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false);
  std::size_t num_stored = 0;
  std::size_t num_torn = 0;
  for (std::size_t limit = 400; limit < 60'000; limit += 401) {
    ChildProcess child([&](const Report& report) {
      limit_file_size(limit);
      add_without_end(folder.run(), report);
    });
    const std::string reported = child.wait_and_read();
    ASSERT_EQ(child.signal(), SIGXFSZ) << reported;
    if (std::filesystem::exists(folder.run() + "/run.sqlite-journal")) ++num_torn;
    expect_survived(folder.run(), num_stored + reported.size());
    num_stored = RunStore::open(folder.run()).evaluations().size();
  }
  EXPECT_GT(num_stored, 10U);
  EXPECT_GT(num_torn, 20U);
}

TEST(RunStoreCrash, AKilledCreationLeavesAWholeRunOrNone) {
  const TemporaryFolder folder;
  Random random(6);
  std::size_t num_whole = 0;
  for (int i = 0; i < 50; ++i) {
    ChildProcess child([&](const Report& report) {
      report("+");
      RunStore::create(folder.run(), example_header(), false);
    });
    child.read_some(1);
    std::this_thread::sleep_for(std::chrono::microseconds(random.index(6000)));
    i % 10 == 0 ? child.wait_and_read() : child.kill_and_read();
    if (std::filesystem::exists(folder.run() + "/run.sqlite")) {
      EXPECT_EQ(RunStore::open(folder.run()).header().data_fingerprint,
                example_header().data_fingerprint);
      ++num_whole;
    } else {
      EXPECT_NO_THROW(RunStore::create(folder.run(), example_header(), false));
    }
    std::filesystem::remove_all(folder.run());
  }
  EXPECT_GE(num_whole, 5U);
}

// ---- a full disk ----

TEST(RunStoreCrash, AFileThatCannotGrowIsOneErrorAndKeepsWhatIsStored) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false);
  std::size_t num_stored = 0;
  for (std::size_t limit = 30'000; limit < 100'000; limit += 10'000) {
    ChildProcess child([&](const Report& report) {
      std::signal(SIGXFSZ, SIG_IGN);  // NOLINT(cert-err33-c)
      limit_file_size(limit);
      RunStore store = RunStore::open(folder.run());
      for (std::size_t i = num_stored;; ++i) {
        try {
          store.add(example_evaluation(i));
        } catch (const Error& error) {
          report(store.evaluations().size() == i ? "" : "lost some, ");
          report(fmt::format("{} after {}: {}", exit_code(error.kind()), i, error.what()));
          return;
        }
      }
    });
    const std::string report = child.wait_and_read();
    RunStore store = RunStore::open(folder.run());
    EXPECT_TRUE(are_examples(store.evaluations()));
    EXPECT_GT(store.evaluations().size(), num_stored);
    num_stored = store.evaluations().size();
    EXPECT_TRUE(report.starts_with(
        fmt::format("74 after {}: {}/run.sqlite: the disk failed: ", num_stored, folder.run())))
        << report;
    EXPECT_TRUE(report.ends_with("; what was stored before is kept")) << report;
  }
}

// Mounts need root; the mount is seen by the child only and ends with it.
bool mount_here(const std::string& folder, unsigned long flags, const char* options) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
}

TEST(RunStoreCrash, AFullDiskIsOneErrorAndKeepsWhatIsStored) {
  const TemporaryFolder folder;
  for (const char* size : {"size=4k", "size=24k", "size=32k", "size=64k", "size=100k"}) {
    ChildProcess child([&](const Report& report) {
      if (!mount_here(folder.path(), 0, size)) {
        report("skip");
        return;
      }
      std::size_t num_stored = 0;
      try {
        RunStore store = RunStore::create(folder.run(), example_header(), false);
        while (true) {
          store.add(example_evaluation(num_stored));
          ++num_stored;
        }
      } catch (const Error& error) {
        report(fmt::format("{} {}, ", exit_code(error.kind()), error.what()));
      }
      if (std::filesystem::exists(folder.run() + "/run.sqlite")) {
        const auto kept = RunStore::open_read_only(folder.run()).evaluations();
        report(kept.size() == num_stored && are_examples(kept) ? "kept" : "lost");
      } else {
        report(num_stored == 0 ? "kept" : "lost");
      }
    });
    const std::string report = child.wait_and_read();
    if (report == "skip") GTEST_SKIP() << "no right to mount";
    EXPECT_TRUE(report.starts_with("74 ")) << size << ": " << report;
    EXPECT_TRUE(report.ends_with(", kept")) << size << ": " << report;
  }
}

// ---- no right to write ----

TEST(RunStoreCrash, AReadOnlyFolderIsReadButNotWritten) {
  const TemporaryFolder folder;
  const std::string run = folder.path() + "/mount/a.covary";
  std::filesystem::create_directory(folder.path() + "/mount");
  ChildProcess child([&](const Report& report) {
    const std::string mount_point = folder.path() + "/mount";
    if (getuid() == 0 && !mount_here(mount_point, 0, "size=1m")) {
      report("skip");
      return;
    }
    RunStore::create(run, example_header(), false).add(example_evaluation(0));
    if (getuid() == 0) {
      if (mount("none", mount_point.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0)
        _exit(5);
    } else if (chmod(run.c_str(), 0555) != 0 || chmod((run + "/run.lock").c_str(), 0444) != 0 ||
               chmod((run + "/run.sqlite").c_str(), 0444) != 0) {
      _exit(5);
    }
    report(fmt::format("{} ", RunStore::open_read_only(run).evaluations().size()));
    const auto code_of = [&](auto action) {
      try {
        action();
        report("0 ");
      } catch (const Error& error) {
        report(fmt::format("{} ", exit_code(error.kind())));
      }
    };
    code_of([&] { RunStore::open(run); });
    code_of([&] { RunStore::create(run, example_header(), false); });
    code_of([&] { RunStore::create(run, example_header(), true); });
    chmod(run.c_str(), 0755);  // so that it can be removed
  });
  const std::string report = child.wait_and_read();
  if (report == "skip") GTEST_SKIP() << "root without the right to mount";
  EXPECT_EQ(report, "1 73 73 73 ");
}

// ---- one process at a time ----

TEST(RunStoreCrash, ASecondProcessIsToldWhoHoldsTheRun) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false);
  ChildProcess child([&](const Report& report) {
    const RunStore store = RunStore::open(folder.run());
    report("+");
    pause();
  });
  ASSERT_EQ(child.read_some(1), "+");
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::string holder = fmt::format("the run in {} is in use by process {} on {} since 2",
                                         folder.run(), child.pid(), host);
  for (const bool force : {false, true}) {
    const std::string sentence = error_of(
        ErrorKind::in_use, [&] { RunStore::create(folder.run(), example_header(), force); });
    EXPECT_TRUE(sentence.starts_with(holder)) << sentence;
  }
  const std::string sentence = error_of(ErrorKind::in_use, [&] { RunStore::open(folder.run()); });
  EXPECT_TRUE(sentence.starts_with(holder)) << sentence;
  EXPECT_TRUE(sentence.ends_with(" UTC; wait until it ends, or choose another folder with --out"))
      << sentence;
  EXPECT_NO_THROW(RunStore::open_read_only(folder.run()));

  child.kill_and_read();
  EXPECT_NO_THROW(RunStore::open(folder.run()).add(example_evaluation(0)));
}

TEST(RunStoreCrash, OneProcessCannotOpenARunTwiceEither) {
  const TemporaryFolder folder;
  const RunStore store = RunStore::create(folder.run(), example_header(), false);
  error_of(ErrorKind::in_use, [&] { RunStore::open(folder.run()); });
}

TEST(RunStoreCrash, WhatStandsInALockFileIsNeitherTrustedNorFollowed) {
  const TemporaryFolder folder;
  RunStore::create(folder.run(), example_header(), false);
  std::ofstream(folder.run() + "/run.lock") << std::string(1'000'000, '\x1b');
  EXPECT_NO_THROW(RunStore::open(folder.run()));
  std::ofstream(folder.path() + "/precious") << "text";
  std::filesystem::remove(folder.run() + "/run.lock");
  std::filesystem::create_symlink(folder.path() + "/precious", folder.run() + "/run.lock");
  error_of(ErrorKind::cannot_write, [&] { RunStore::open(folder.run()); });
  EXPECT_EQ(std::filesystem::file_size(folder.path() + "/precious"), 4U);
  std::filesystem::remove(folder.run() + "/run.lock");
  ASSERT_EQ(mkfifo((folder.run() + "/run.lock").c_str(), 0600), 0);
  error_of(ErrorKind::cannot_write, [&] { RunStore::open(folder.run()); });
}

}  // namespace
}  // namespace covary
