#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/random.h>
#include <covary/settings.h>
#include <covary/table.h>

#include "error_of.h"
#include "table/column_list.h"

namespace covary {
namespace {

template <class Options>
const Setting<Options>& setting(const std::vector<Setting<Options>>& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  EXPECT_NE(found, table.end()) << name;
  return *found;
}

TEST(TableSettings, SetAndGetAgree) {
  CsvOptions csv;
  setting(csv_settings(), "separator").set(csv, "tab");
  setting(csv_settings(), "no_header").set(csv, "");
  EXPECT_EQ(csv.separator, '\t');
  EXPECT_FALSE(csv.has_header);
  EXPECT_EQ(setting(csv_settings(), "separator").get(csv), "tab");
  EXPECT_EQ(setting(csv_settings(), "separator").get({}), "");
  EXPECT_EQ(setting(csv_settings(), "no_header").get(csv), "yes");

  DatasetOptions dataset;
  setting(dataset_settings(), "target").set(dataset, "y");
  setting(dataset_settings(), "inputs").set(dataset, "`a,b`, c");
  setting(dataset_settings(), "missing").set(dataset, "drop");
  setting(dataset_settings(), "no_scale").set(dataset, "");
  EXPECT_EQ(dataset.target, "y");
  EXPECT_EQ(dataset.inputs, (std::vector<std::string>{"a,b", "c"}));
  EXPECT_EQ(dataset.missing, MissingPolicy::drop);
  EXPECT_FALSE(dataset.scale);
  EXPECT_EQ(setting(dataset_settings(), "inputs").get(dataset), "`a,b`,c");

  SplitOptions split;
  setting(split_settings(), "rows").set(split, "100");
  setting(split_settings(), "holdout").set(split, "50");
  setting(split_settings(), "seed").set(split, "18446744073709551615");
  EXPECT_EQ(split.rows, 100U);
  EXPECT_EQ(split.holdout, 50U);
  EXPECT_EQ(setting(split_settings(), "seed").get(split), "18446744073709551615");
}

TEST(TableSettings, WrongValuesAreUsageErrors) {
  DatasetOptions dataset;
  error_of(ErrorKind::usage, [&] { setting(dataset_settings(), "missing").set(dataset, "keep"); });
  SplitOptions split;
  error_of(ErrorKind::usage, [&] { setting(split_settings(), "rows").set(split, "2"); });
  error_of(ErrorKind::usage, [&] { setting(split_settings(), "holdout").set(split, "-1"); });
  CsvOptions csv;
  error_of(ErrorKind::usage, [&] { setting(csv_settings(), "separator").set(csv, "x"); });
}

TEST(TableSettings, EachHasAHelpSentence) {
  const auto check = [](const auto& table) {
    for (const auto& entry : table) EXPECT_EQ(entry.help.back(), '.') << entry.name;
  };
  check(csv_settings());
  check(dataset_settings());
  check(split_settings());
}

TEST(ColumnList, NamesAreSplitAtCommasOutsideBackquotes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(split_column_list("a,b"), (Names{"a", "b"}));
  EXPECT_EQ(split_column_list(" a b , c ,"), (Names{"a b", "c"}));
  EXPECT_EQ(split_column_list("`a,b`,c"), (Names{"a,b", "c"}));
  EXPECT_EQ(split_column_list("c, ` x` "), (Names{"c", " x"}));
  EXPECT_EQ(split_column_list("```a``,b`"), (Names{"`a`,b"}));
  EXPECT_EQ(split_column_list("a`b"), (Names{"a`b"}));
  EXPECT_EQ(split_column_list(""), Names{});
}

TEST(ColumnList, BadQuotingIsAUsageError) {
  EXPECT_EQ(error_of(ErrorKind::usage, [] { split_column_list("`a,b"); }),
            "has a backquote that is never closed: `a,b");
  EXPECT_EQ(error_of(ErrorKind::usage, [] { split_column_list("`a`b,c"); }),
            "has \"b\" after a closing backquote; a comma has to follow");
}

TEST(ColumnList, JoiningCanBeUndone) {
  Random random(7);
  constexpr std::string_view letters = "ab`, \"";
  for (int trial = 0; trial < 5000; ++trial) {
    std::vector<std::string> names(1 + random.index(4));
    for (std::string& name : names) {
      const std::size_t size = 1 + random.index(5);
      for (std::size_t i = 0; i < size; ++i) name += letters[random.index(letters.size())];
    }
    EXPECT_EQ(split_column_list(join_column_list(names)), names) << join_column_list(names);
  }
}

}  // namespace
}  // namespace covary
