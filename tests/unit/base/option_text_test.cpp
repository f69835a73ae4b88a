#include <gtest/gtest.h>

#include <covary/option_text.h>

namespace covary {
namespace {

class OptionText : public testing::Test {
 protected:
  void TearDown() override { set_reader(Reader::command_line); }
};

TEST_F(OptionText, OnTheCommandLineOptionsAreFlags) {
  EXPECT_EQ(option_text("no_scale"), "--no-scale");
  EXPECT_EQ(option_text("missing", "drop"), "--missing drop");
  EXPECT_EQ(switch_text("force"), "--force");
  EXPECT_EQ(option_text("transform", "log"), "--transform log");
  EXPECT_EQ(switch_text("overwrite"), "--force");
  EXPECT_EQ(option_text("rows", "500"), "--rows 500");
}

TEST_F(OptionText, InPythonOptionsAreKeywords) {
  set_reader(Reader::python);
  EXPECT_EQ(option_text("no_scale"), "no_scale");
  EXPECT_EQ(option_text("missing", "drop"), "missing=\"drop\"");
  EXPECT_EQ(option_text("max_evaluations", "50"), "max_evaluations=50");
  EXPECT_EQ(option_text("deterministic", "yes"), "deterministic=True");
  EXPECT_EQ(switch_text("force"), "force=True");
  EXPECT_EQ(option_text("transform", "log"), "target_transform=\"log\"");
  EXPECT_EQ(switch_text("overwrite"), "overwrite=True");
  EXPECT_EQ(option_text("rows", "500"), "a sample of 500 rows");
}

}  // namespace
}  // namespace covary
