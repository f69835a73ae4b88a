#include "table/separator.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "error_of.h"

namespace covary {
namespace {

TEST(Separator, IsTheOneThatEveryRecordHasEquallyOften) {
  EXPECT_EQ(detect_separator("a,b\n1,2\n", true), ',');
  EXPECT_EQ(detect_separator("a;b\n1,5;2\n3;4,5\n", true), ';');
  EXPECT_EQ(detect_separator("a\tb\n1,5\t2;3\n", true), '\t');
  EXPECT_EQ(detect_separator("a|b\n1,5|2\n3|4,5\n", true), '|');
  EXPECT_EQ(detect_separator("1,5|2,5\n3,5|4,5\n", true), '|');
  EXPECT_EQ(detect_separator("P(a|b),c\n1,2\n", true), ',');
  EXPECT_EQ(detect_separator("a;x,b\n1,2\n3,4\n", true), ',');
  EXPECT_EQ(detect_separator("a,b", true), ',');
}

TEST(Separator, WithoutASteadyOneTheFirstRecordDecides) {
  EXPECT_EQ(detect_separator("a;b,c\n1\n", true), ';');
  EXPECT_EQ(detect_separator("a,b\n1;2\n", true), ',');
}

TEST(Separator, IsACommaWhereThereIsNone) {
  EXPECT_EQ(detect_separator("", true), ',');
  EXPECT_EQ(detect_separator("a\n1\n", true), ',');
  EXPECT_EQ(detect_separator("\n\n \n", true), ',');
}

TEST(Separator, QuotedTextAndBlankLinesDoNotCount) {
  EXPECT_EQ(detect_separator("\"a;b;c\",d\n\n\"x;\ny\",2\n", true), ',');
  EXPECT_EQ(detect_separator("\r\n\r\na;b\r\n \r\n1;2\r\n", true), ';');
}

TEST(Separator, ARecordThatIsCutOffDoesNotCount) {
  EXPECT_EQ(detect_separator("a;b;c,d\n1;2;3,4\n1;2", false), ';');
  EXPECT_EQ(detect_separator("a;b,c\n1;2,4\n1", false), ';');
  EXPECT_EQ(detect_separator("a;b,c", false), ';');
}

TEST(Separator, OnlyTheFirstTwentyRecordsCount) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "1;2,3\n";
  EXPECT_EQ(detect_separator(text + "1,2\n", true), ';');
}

TEST(Separator, CanBeNamed) {
  EXPECT_EQ(parse_separator("comma"), ',');
  EXPECT_EQ(parse_separator("semicolon"), ';');
  EXPECT_EQ(parse_separator("tab"), '\t');
  EXPECT_EQ(parse_separator("\t"), '\t');
  for (const char separator : std::string_view(",;\t|:!#&~")) {
    EXPECT_EQ(parse_separator(separator_name(separator)), separator);
    EXPECT_EQ(parse_separator({&separator, 1}), separator);
  }
}

TEST(Separator, CannotBeWhatCellsAreMadeOf) {
  for (const char separator : std::string_view("\"\n\r aZ09.-+\x7f\xc3\x01")) {
    const std::string message = error_of(ErrorKind::usage, [&] {
      parse_separator({&separator, 1});
    });
    EXPECT_NE(message.find("which cells, quotes or lines are made of"), std::string::npos);
  }
  EXPECT_EQ(error_of(ErrorKind::usage, [] { parse_separator("colon"); }),
            "must be one character or one of comma, semicolon and tab, not \"colon\"");
  error_of(ErrorKind::usage, [] { parse_separator(""); });
}

}  // namespace
}  // namespace covary
