#include "base/utf8.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace covary {
namespace {

using Offence = Utf8Checker::Offence;

std::string encoded(char32_t code) {
  const auto byte = [](char32_t bits) {
    return static_cast<char>(static_cast<unsigned char>(bits));
  };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0U | (code >> 6U)), byte(0x80U | (code & 0x3FU))};
  if (code < 0x10000) {
    return {byte(0xE0U | (code >> 12U)), byte(0x80U | ((code >> 6U) & 0x3FU)),
            byte(0x80U | (code & 0x3FU))};
  }
  return {byte(0xF0U | (code >> 18U)), byte(0x80U | ((code >> 12U) & 0x3FU)),
          byte(0x80U | ((code >> 6U) & 0x3FU)), byte(0x80U | (code & 0x3FU))};
}

TEST(Utf8, EveryCharacterOfUnicodeIsAcceptedAndNoSurrogate) {
  for (char32_t code = 1; code <= 0x110FFF; ++code) {
    const std::string text = encoded(code);
    const bool is_character = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    const Utf8Character first = first_utf8_character(text);
    ASSERT_EQ(first.is_valid, is_character) << static_cast<unsigned>(code);
    Utf8Checker checker;
    ASSERT_EQ(checker.accept(text) == text.size(), is_character) << static_cast<unsigned>(code);
    if (!is_character) continue;
    ASSERT_EQ(first.code, code);
    ASSERT_EQ(first.size, text.size());
    ASSERT_TRUE(checker.is_complete());
  }
}

TEST(Utf8, OverlongFormsAndStrayBytesAreRefused) {
  for (const std::string_view text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\xFF", "\xC3(", "\xE2\x82(", "\xF0\x9F\x98("}) {
    Utf8Checker checker;
    EXPECT_LT(checker.accept(text), text.size());
    EXPECT_EQ(checker.offence(), Offence::invalid);
    EXPECT_FALSE(first_utf8_character(text).is_valid);
    EXPECT_EQ(first_utf8_character(text).size, 1U);
  }
}

TEST(Utf8, ANulByteIsFoundWhereverItStands) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = '\0';
      Utf8Checker checker;
      EXPECT_EQ(checker.accept(text), at);
      EXPECT_EQ(checker.offence(), Offence::nul);
    }
  }
}

TEST(Utf8, CuttingTheTextAnywhereMakesNoDifference) {
  const std::string good = "abcdefgh\u00E4\u20AC\U0001F600ijklmnopqrst\u00DF";
  for (std::size_t cut = 0; cut <= good.size(); ++cut) {
    Utf8Checker checker;
    EXPECT_EQ(checker.accept(good.substr(0, cut)), cut);
    EXPECT_EQ(checker.accept(good.substr(cut)), good.size() - cut);
    EXPECT_TRUE(checker.is_complete());
  }
  Utf8Checker checker;
  checker.accept("\xE2\x82");
  EXPECT_FALSE(checker.is_complete());
  EXPECT_EQ(checker.offence(), Offence::none);
}

}  // namespace
}  // namespace covary
