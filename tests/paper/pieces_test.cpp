#include "pieces.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include <covary/error.h>

#include "interrupt.h"

namespace covary::paper {
namespace {

class PiecesTest : public ::testing::Test {
 protected:
  PiecesTest() {
    plan_.out_folder = (std::filesystem::path(::testing::TempDir()) /
                        (std::string("covary_pieces_") +
                         ::testing::UnitTest::GetInstance()->current_test_info()->name()))
                           .string();
    std::filesystem::remove_all(plan_.out_folder);
    plan_.interrupted = &interrupted_;
  }
  ~PiecesTest() override { std::filesystem::remove_all(plan_.out_folder); }

  std::vector<Piece> counted_pieces(const std::string& settings) {
    std::vector<Piece> pieces;
    pieces.reserve(6);
    for (int i = 0; i < 6; ++i) {
      pieces.push_back({"test/piece-" + std::to_string(i), settings, [this, i] {
                          ++num_computed_;
                          return nlohmann::json(i * i);
                        }});
    }
    return pieces;
  }

  Plan plan_;
  std::atomic<bool> interrupted_{false};
  std::atomic<int> num_computed_{0};
};

TEST_F(PiecesTest, AreComputedOnceAndThenReadFromDisk) {
  plan_.threads = 3;
  for (int again = 0; again < 2; ++again) {
    const auto results = results_of(plan_, "test", counted_pieces("a"));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(*results[static_cast<std::size_t>(i)], i * i);
  }
  EXPECT_EQ(num_computed_, 6);
}

TEST_F(PiecesTest, OfOtherSettingsOrTornFilesAreNotUsed) {
  results_of(plan_, "test", counted_pieces("a"));
  results_of(plan_, "test", counted_pieces("b"));
  EXPECT_EQ(num_computed_, 12);
  std::ofstream(plan_.out_folder + "/pieces/test/piece-3.json") << R"({"settings": "b", "resu)";
  const auto results = results_of(plan_, "test", counted_pieces("b"));
  EXPECT_EQ(*results[3], 9);
  EXPECT_EQ(num_computed_, 13);
}

TEST_F(PiecesTest, FinishedOnesSurviveAnInterruption) {
  std::vector<Piece> pieces = counted_pieces("a");
  pieces[4].compute = [this] {
    interrupted_ = true;
    return nlohmann::json("half of it");
  };
  EXPECT_THROW(results_of(plan_, "test", pieces), app::Interrupted);
  EXPECT_EQ(num_computed_, 4);
  interrupted_ = false;
  const auto results = results_of(plan_, "test", counted_pieces("a"));
  EXPECT_EQ(num_computed_, 6);
  EXPECT_EQ(*results[4], 16);
}

TEST_F(PiecesTest, FinishedOnlyDoesNoWork) {
  std::vector<Piece> pieces = counted_pieces("a");
  results_of(plan_, "test", {pieces[1]});
  plan_.finished_only = true;
  const auto results = results_of(plan_, "test", pieces);
  EXPECT_EQ(num_computed_, 1);
  EXPECT_EQ(*results[1], 1);
  EXPECT_FALSE(results[0].has_value());
}

TEST_F(PiecesTest, AFileWhereTheFolderShouldBeIsAnError) {
  std::ofstream(plan_.out_folder) << "in the way";
  EXPECT_THROW(results_of(plan_, "test", counted_pieces("a")), Error);
}

}  // namespace
}  // namespace covary::paper
