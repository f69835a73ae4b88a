#include "lgbb.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/error.h>

namespace covary::paper {
namespace {

// A file of the form of lgbb_original.txt: comments, names, rows between blanks.
class LgbbFile {
 public:
  explicit LgbbFile(const std::string& content)
      : path_(::testing::TempDir() + "covary_lgbb_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt") {
    std::ofstream(path_) << content;
  }
  ~LgbbFile() { std::filesystem::remove(path_); }
  LgbbFile(const LgbbFile&) = delete;
  LgbbFile& operator=(const LgbbFile&) = delete;
  LgbbFile(LgbbFile&&) = delete;
  LgbbFile& operator=(LgbbFile&&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string comments() {
  std::string text;
  for (int i = 0; i < 21; ++i) text += fmt::format("# a comment, line {}: mach alpha beta\n", i);
  return text;
}

std::string names() { return "mach alpha beta lift drag pitch side yaw roll\n"; }

// 200 rows, every second one with beta = 0 and lift = 0.01 i.
std::string rows() {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("{}  {} {}\t{} 0.1 0.2 0.3 0.4 0.5\n", 0.2 + 0.029 * i, -5.0 + 0.175 * i,
                        i % 2 == 0 ? "0" : "2.0", 0.01 * i);
  }
  return text;
}

std::string error_of(const std::string& content) {
  const LgbbFile file(content);
  try {
    read_lgbb(file.path());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Lgbb, KeepsRowsWithoutSideslipAndBelowTheLargestLifts) {
  const LgbbFile file(comments() + names() + rows());
  const Dataset data = read_lgbb(file.path());
  // Of the lifts 0, 0.02, ..., 1.98 the 0.99 quantile is 1.9602: the largest one is left out.
  ASSERT_EQ(data.num_rows(), 99U);
  ASSERT_EQ(data.input_names(), (std::vector<std::string>{"mach", "alpha"}));
  EXPECT_DOUBLE_EQ(data.input(0)[0], 0.2 / 6.0);
  EXPECT_DOUBLE_EQ(data.input(1)[0], 0.0);
  EXPECT_DOUBLE_EQ(data.input(1)[98], (0.175 * 196) / 35.0);
  double mean = 0.0;
  double square = 0.0;
  for (const double y : data.target()) {
    mean += y / 99.0;
    square += y * y / 99.0;
  }
  EXPECT_NEAR(mean, 0.0, 1e-12);
  EXPECT_NEAR(square, 1.0, 1e-12);  // population standard deviation
  EXPECT_NEAR(data.target_scaling().to_raw(data.target()[98]), 1.96, 1e-12);
  EXPECT_NEAR(data.input_scaling(1).to_raw(data.input(1)[0]), -5.0, 1e-12);
}

TEST(Lgbb, TheFingerprintIsOfTheNumbersThatAreUsed) {
  const LgbbFile file(comments() + names() + rows());
  const std::string fingerprint = read_lgbb(file.path()).fingerprint();
  std::string changed = rows();
  changed.replace(changed.find("\t0.02 "), 6, "\t0.03 ");
  const LgbbFile other(names() + changed);
  EXPECT_NE(read_lgbb(other.path()).fingerprint(), fingerprint);
}

TEST(Lgbb, MistakesAreToldWithTheirLine) {
  EXPECT_NE(error_of(comments()).find("has no line that names the columns"), std::string::npos);
  EXPECT_NE(error_of(names() + "1 2 0 4\n").find("line 2: 4 values where 9 columns are"),
            std::string::npos);
  EXPECT_NE(error_of(names() + "1 2 0 x 5 6 7 8 9\n").find("line 2: \"x\" is not a number"),
            std::string::npos);
  EXPECT_NE(error_of(names() + "1 2 0 nan 5 6 7 8 9\n").find("is not a number"), std::string::npos);
  EXPECT_NE(error_of(names()).find("has 0 rows with beta = 0"), std::string::npos);
}

}  // namespace
}  // namespace covary::paper
