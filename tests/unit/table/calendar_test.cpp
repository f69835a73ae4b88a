#include "table/calendar.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/table.h>

#include "table/sampling.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

Numbers steps(double first, double step, int count) {
  Numbers values;
  for (int i = 0; i < count; ++i) values.push_back(first + step * i);
  return values;
}

TEST(CountsYears, InQuartersMonthsWeeksAndDays) {
  for (const double per_year : {4.0, 12.0, 52.0, 52.18, 365.0, 365.25}) {
    EXPECT_TRUE(counts_years(steps(1949.0, 1.0 / per_year, 40))) << per_year;
  }
}

TEST(CountsYears, WithDecimalsCutOffAndRowsMissing) {
  Numbers months;
  for (const double month : steps(1949.0, 1.0 / 12.0, 60)) {
    months.push_back(std::round(100.0 * month) / 100.0);
  }
  EXPECT_TRUE(counts_years(months));
  months.erase(months.begin() + 7, months.begin() + 12);
  EXPECT_TRUE(counts_years(months));
}

TEST(CountsYears, OnlyWhereThatIsPlain) {
  EXPECT_FALSE(counts_years(steps(1.0, 1.0 / 12.0, 60)));    // no years
  EXPECT_FALSE(counts_years(steps(1949.0, 1.0, 60)));        // shows no year
  EXPECT_FALSE(counts_years(steps(1949.0, 0.1, 60)));        // tenths of something
  EXPECT_FALSE(counts_years(steps(1949.0, 1.0 / 12.0, 5)));  // too few
  Numbers uneven = steps(1949.0, 1.0 / 12.0, 60);
  uneven[30] += 0.04;
  EXPECT_FALSE(counts_years(uneven));
  EXPECT_FALSE(counts_years({}));
}

TEST(Calendar, TimeIsWhatNameAndStepsSayTogether) {
  const std::vector<double> hourly = steps(0.0208, 1.0 / 24.0, 100);
  EXPECT_EQ(days_a_unit("day", hourly), 1.0);
  EXPECT_EQ(days_a_unit("Days since start", hourly), 1.0);
  EXPECT_DOUBLE_EQ(days_a_unit("elapsed_hours", steps(0.0, 0.25, 100)), 1.0 / 24.0);
  EXPECT_DOUBLE_EQ(days_a_unit("t (min)", steps(0.0, 5.0, 100)), 1.0 / 1440.0);
  EXPECT_DOUBLE_EQ(days_a_unit("t [s]", steps(0.0, 60.0, 100)), 1.0 / 86400.0);
  EXPECT_EQ(days_a_unit("week", steps(1.0, 1.0, 100)), 7.0);
  EXPECT_EQ(days_a_unit("year", steps(1949.0, 1.0 / 12.0, 60)), days_of_a_year);
  std::vector<double> gaps = hourly;
  gaps.erase(gaps.begin() + 10, gaps.begin() + 30);
  EXPECT_EQ(days_a_unit("day", gaps), 1.0);

  EXPECT_EQ(days_a_unit("", hourly), 0.0);
  EXPECT_EQ(days_a_unit("x", hourly), 0.0);
  EXPECT_EQ(days_a_unit("s", hourly), 0.0);             // a letter may be anything
  EXPECT_EQ(days_a_unit("days of rain", hourly), 0.0);  // no time
  EXPECT_EQ(days_a_unit("day hour", hourly), 0.0);
  EXPECT_EQ(days_a_unit("day", steps(0.0, 0.13, 100)), 0.0);  // no part of a day
  EXPECT_EQ(days_a_unit("day", steps(0.0, 1.0 / 24.0, 5)), 0.0);
  std::vector<double> uneven = hourly;
  for (std::size_t i = 0; i < uneven.size(); ++i) uneven[i] += 0.01 * static_cast<double>(i % 3);
  EXPECT_EQ(days_a_unit("day", uneven), 0.0);
}

Scaling input_of(const std::string& text) {
  return make_dataset(read_csv_text(text, "F"), {.target = "y"}).input_scaling(0);
}

TEST(Year, IsAYearOfTheScaledInput) {
  std::string dates = "t,y\n";
  std::string times = "t,y\n";
  std::string years = "t,y\n";
  for (int i = 0; i < 12; ++i) {
    dates += std::to_string(2001 + i) + "-01-01," + std::to_string(i % 5) + "\n";
    times += std::to_string(2001 + i) + "-01-01T00:00:00," + std::to_string(i % 5) + "\n";
    years += std::to_string(2001.0 + 0.25 * i) + "," + std::to_string(i % 5) + "\n";
  }
  EXPECT_NEAR(input_of(dates).year(), 1.0 / 11.0, 1e-4);
  EXPECT_NEAR(input_of(times).year(), 1.0 / 11.0, 1e-4);
  EXPECT_NEAR(input_of(years).year(), 4.0 / 11.0, 1e-12);
  EXPECT_EQ(input_of("t,y\n1,2\n2,3\n4,4\n").year(), 0.0);
}

TEST(Sampling, ShowsPeriodsBetweenTwoStepsAndHalfTheSpan) {
  const Sampling months = sampling_of(steps(0.0, 1.0, 24));
  EXPECT_EQ(months.shortest_period(), 2.0);
  EXPECT_GT(months.longest_period(), 12.0);  // two years of months
  EXPECT_LT(months.longest_period(), 15.0);
  // A few values leave some room all the same.
  const Sampling few = sampling_of(Numbers{0.0, 0.0, 1.0, 1.0, 2.0});
  EXPECT_GT(few.longest_period(), few.shortest_period());
}

}  // namespace
}  // namespace covary
