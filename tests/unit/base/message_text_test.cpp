#include <string>

#include <gtest/gtest.h>

#include <covary/message_text.h>

namespace covary {
namespace {

TEST(MessageText, ControlCharactersAreEscaped) {
  EXPECT_EQ(shown("a\nb\r\tc\x1b[31m\x7f"), "a\\nb\\r\\tc\\x1b[31m\\x7f");
  EXPECT_EQ(shown("\u0085"), "\\x85");
}

TEST(MessageText, MarksThatReorderALineAreEscaped) {
  // NOLINTNEXTLINE(misc-misleading-bidirectional): they are what is tested
  EXPECT_EQ(shown("abc\xE2\x80\xAE"
                  "def\xE2\x80\xA8\xE2\x81\xA6"),
            "abc\\u202edef\\u2028\\u2066");
}

TEST(MessageText, BytesThatAreNotUtf8AreEscaped) {
  EXPECT_EQ(shown("a\xff\xc3("), "a\\xff\\xc3(");
  EXPECT_EQ(shown("\xe2\x82"), "\\xe2\\x82");
}

TEST(MessageText, LongTextIsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "ä";
  std::string beginning;
  for (int i = 0; i < 40; ++i) beginning += "ä";
  EXPECT_EQ(shown(text), beginning + "…");
  EXPECT_EQ(shortened(text), beginning + "…");
  EXPECT_EQ(shown(shortened(text)), beginning + "…");
  EXPECT_EQ(shown(beginning), beginning);
  EXPECT_EQ(shortened(beginning), beginning);
}

TEST(MessageText, ListsOfNamesAreCutShort) {
  EXPECT_EQ(name_list({"a", "b"}), "a, b");
  EXPECT_EQ(name_list({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

TEST(MessageText, NumbersAreShownInTheirShortestForm) {
  EXPECT_EQ(shown_number(5.0), "5");
  EXPECT_EQ(shown_number(0.1), "0.1");
}

}  // namespace
}  // namespace covary
