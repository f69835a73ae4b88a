#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/message_text.h>
#include <covary/settings.h>

namespace covary {
namespace {

enum class Mode { slow, fast };

struct Options {
  std::string name = "x";
  std::vector<std::string> words = {};
  std::size_t count = 3;
  std::optional<std::size_t> limit = {};
  bool scale = true;
  Mode mode = Mode::slow;
  std::size_t share = 5;
  double patience = 0.0;
};

std::vector<Setting<Options>> table() {
  return {
      settings::text("name", &Options::name, "NAME", "A name."),
      settings::list("words", &Options::words, "LIST", "Words."),
      settings::whole_number("count", &Options::count, 1, "A count."),
      settings::whole_number("limit", &Options::limit, 2, "A limit."),
      settings::flag("no_scale", &Options::scale, false, "Do not scale."),
      settings::choice("mode", &Options::mode, {{"slow", Mode::slow}, {"fast", Mode::fast}},
                       "A mode."),
      settings::whole_number("share", &Options::share, {0, 9}, "A share."),
      settings::seconds("patience", &Options::patience, "A time."),
  };
}

TEST(Settings, WhatOneSettingWritesItReadsBack) {
  const std::vector<std::string> texts = {"some name", "a,b c,d", "17", "2",
                                          "yes",       "fast",    "7",  "1.5"};
  const auto settings = table();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Options options;
    settings[i].set(options, texts[i]);
    EXPECT_EQ(settings[i].get(options), texts[i]) << settings[i].name;
    Options again;
    settings[i].set(again, settings[i].get(options));
    EXPECT_EQ(settings[i].get(again), texts[i]) << settings[i].name;
  }
}

TEST(Settings, DefaultsAreThoseOfTheStruct) {
  std::vector<std::string> texts;
  for (const auto& setting : table()) texts.push_back(setting.get(Options{}));
  EXPECT_EQ(texts, (std::vector<std::string>{"x", "", "3", "", "no", "slow", "5", "0"}));
}

std::string complaint(std::size_t index, const std::string& text) {
  Options options;
  try {
    table()[index].set(options, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Settings, WrongNumbersAndWordsGetASentence) {
  for (const char* text : {"", "0", "-1", "+1", "1.5", "1e3", " 1", "0x10", "abc"}) {
    EXPECT_EQ(complaint(2, text),
              "must be a whole number of at least 1, not \"" + std::string(text) + "\"");
  }
  EXPECT_EQ(complaint(2, "18446744073709551616"),
            "must be a whole number of at most 18446744073709551615, not \"18446744073709551616\"");
  EXPECT_EQ(complaint(6, "99999999999999999999"),
            "must be a whole number of at most 9, not \"99999999999999999999\"");
  const std::string unfit = complaint(5, "\x1b" + std::string(1000, 'x') + "\n");
  EXPECT_EQ(unfit.substr(0, 34), "must be one of slow|fast, not \"\\x1");
  EXPECT_LT(unfit.size(), 100U);
  EXPECT_EQ(complaint(3, "1"), "must be a whole number of at least 2, not \"1\"");
  EXPECT_EQ(complaint(5, "FAST"), "must be one of slow|fast, not \"FAST\"");
  EXPECT_EQ(complaint(6, "10"), "must be a whole number of at most 9, not \"10\"");
  EXPECT_EQ(complaint(7, "-1"), "must be a number of seconds, zero or more, not \"-1\"");
}

std::string complaint_of_check(const Options& options) {
  try {
    check_settings(options, table());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Settings, ValuesThatAProgramPutThereAreCheckedByTheSameRules) {
  EXPECT_EQ(complaint_of_check({}), "");
  EXPECT_EQ(complaint_of_check({.count = 0}), "count must be a whole number of at least 1, not 0");
  EXPECT_EQ(complaint_of_check({.limit = 1}), "limit must be a whole number of at least 2, not 1");
  EXPECT_EQ(complaint_of_check({.mode = static_cast<Mode>(2)}),
            "mode must be one of slow|fast, not the enumerator 2");
  EXPECT_EQ(complaint_of_check({.share = 10}), "share must be a whole number of at most 9, not 10");
  EXPECT_EQ(complaint_of_check({.patience = -0.5}),
            "patience must be a number of seconds, zero or more, not -0.5");
}

TEST(Settings, ListsLeaveOutBlanksAndEmptyWords) {
  EXPECT_EQ(settings::split_list(" a , b c,,d, "), (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_TRUE(settings::split_list("").empty());
}

TEST(NearestWord, FindsSlipsOfThePenOnly) {
  const std::vector<std::string> words = {"Month", "Passengers", "RQ"};
  EXPECT_EQ(nearest_word("passengers", words), "Passengers");
  EXPECT_EQ(nearest_word("Pasengers", words), "Passengers");
  EXPECT_EQ(nearest_word("mnth", words), "Month");
  EXPECT_EQ(nearest_word("rq", words), "RQ");
  EXPECT_EQ(nearest_word("SE", words), "");
  EXPECT_EQ(nearest_word("temperature", words), "");
  EXPECT_EQ(nearest_word(std::string(1'000'000, 'x'), words), "");
}

}  // namespace
}  // namespace covary
