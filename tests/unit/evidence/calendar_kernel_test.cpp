// Kernels whose period the calendar gives are PER with that period held.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/model.h>
#include <covary/model_file.h>
#include <covary/table.h>

namespace covary {
namespace {

// Four years of months, with a year in them.
Dataset months() {
  std::string text = "month,other,y\n";
  for (int i = 0; i < 48; ++i) {
    const int year = 2001 + i / 12;
    const int month = 1 + i % 12;
    text += std::to_string(year) + (month < 10 ? "-0" : "-") + std::to_string(month) + "-01," +
            std::to_string(std::fmod(0.37 * i, 1.0)) + "," +
            std::to_string(3.0 + std::sin(0.5236 * i) + 0.02 * i) + "\n";
  }
  return make_dataset(read_csv_text(text, "F"), {.target = "y"});
}

TEST(CalendarKernels, AreThePeriodicKernelWithTheirPeriodHeld) {
  const Dataset data = months();
  const InputNames inputs = inputs_of(data);
  const double year = data.input_scaling(0).year();
  const struct {
    std::string word;
    double period;
  } cases[] = {{"YEAR", year}, {"WEEK", year * 7.0 / 365.25}, {"DAY", year / 365.25}};
  for (const auto& one : cases) {
    const FittedModel fixed(parse_expression(one.word + "(month)*SE(other) + LIN(month)", inputs),
                            {0.7, 1.3, 0.4, 0.9, 0.5, 0.2, 0.01}, data);
    const FittedModel free(parse_expression("PER(month)*SE(other) + LIN(month)", inputs),
                           {0.7, 1.3, one.period, 0.4, 0.9, 0.5, 0.2, 0.01}, data);
    EXPECT_NEAR(fixed.log_marginal_likelihood(), free.log_marginal_likelihood(), 1e-9);
    const std::vector<std::vector<double>> points = {{13000.0, 14000.5}, {0.3, 0.6}};
    const FittedModel loaded = model_from_text(model_to_text(fixed), "F").members().front();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(fixed.predict(points).mean[i], free.predict(points).mean[i], 1e-9);
      EXPECT_NEAR(fixed.predict(points).sd[i], free.predict(points).sd[i], 1e-9);
      EXPECT_EQ(fixed.predict(points).mean[i], loaded.predict(points).mean[i]);
    }
  }
}

TEST(CalendarKernels, AreFittedWithoutAPeriod) {
  const Dataset data = months();
  const auto oracle = make_oracle(data, {});
  const InputNames inputs = inputs_of(data);
  const Evidence fixed = oracle->evaluate(parse_expression("YEAR(month) + LIN(month)", inputs));
  const Evidence free = oracle->evaluate(parse_expression("PER(month) + LIN(month)", inputs));
  ASSERT_TRUE(fixed.value && free.value);
  EXPECT_EQ(fixed.parameters.size() + 1, free.parameters.size());
  EXPECT_GT(*fixed.value, *free.value + 1.0);  // what a period costs that need not be found
}

TEST(CalendarKernels, AProductOfTwoIsOne) {
  const Dataset data = months();
  const InputNames inputs = inputs_of(data);
  const Expression product = parse_expression("YEAR*YEAR", inputs);
  EXPECT_EQ(to_string(shortest_form(product), inputs), "YEAR(month)");
  const FittedModel two(product, {0.7, 1.3, 0.4, 0.5, 0.01}, data);
  std::vector<double> merged = {0.7, 1.3};
  find_base_kernel("YEAR")->merge(merged, std::vector<double>{0.4, 0.5});
  merged.push_back(0.01);
  const FittedModel one(parse_expression("YEAR", inputs), merged, data);
  EXPECT_NEAR(one.log_marginal_likelihood(), two.log_marginal_likelihood(), 1e-9);
}

TEST(CalendarKernels, NeedACalendar) {
  const Dataset data = months();
  const Expression kernel = parse_expression("YEAR_2", InputNames::unnamed(2));
  const Evidence evidence = make_oracle(data, {})->evaluate(kernel);
  EXPECT_FALSE(evidence.value);
  EXPECT_EQ(evidence.message, "YEAR needs a calendar, and input 2 has none");
  EXPECT_THROW(parse_expression("YEAR(other)", inputs_of(data)), ParseError);
  EXPECT_EQ(to_string(parse_expression("YEAR", inputs_of(data)), inputs_of(data)), "YEAR(month)");
}

TEST(KernelInputs, KnowWhichCyclesTheSamplingShows) {
  EXPECT_EQ(inputs_of(months()).traits()[0].cycles, std::vector{CalendarUnit::year});
  EXPECT_TRUE(inputs_of(months()).traits()[0].has_calendar);
  EXPECT_FALSE(inputs_of(months()).traits()[1].has_calendar);
  std::string days = "t,y\n";
  std::string hours = "t,y\n";
  for (int i = 0; i < 27; ++i) {
    days += "2001-01-" + std::string(i < 9 ? "0" : "") + std::to_string(i + 1) + "," +
            std::to_string(i % 7) + "\n";
  }
  for (int i = 0; i < 60; ++i) {
    hours += "2001-01-0" + std::to_string(1 + i / 24) + "T" + (i % 24 < 10 ? "0" : "") +
             std::to_string(i % 24) + ":00:00," + std::to_string(i % 7) + "\n";
  }
  const auto cycles = [](const std::string& text) {
    return inputs_of(make_dataset(read_csv_text(text, "F"), {.target = "y"})).traits()[0].cycles;
  };
  EXPECT_EQ(cycles(days), std::vector{CalendarUnit::week});
  EXPECT_EQ(cycles(hours), std::vector{CalendarUnit::day});
}

TEST(Periods, StayWhereTheRowsCanShowThem) {
  // Noise, in which the paper's priors find a period of two rows.
  Random random(5);
  std::string text = "t,y\n";
  for (int i = 0; i < 50; ++i)
    text += std::to_string(i) + "," + std::to_string(random.uniform()) + "\n";
  const Dataset data = make_dataset(read_csv_text(text, "F"), {.target = "y"});
  const Expression kernel = parse_expression("LIN + PER", inputs_of(data));
  const Evidence informed = make_oracle(data, {})->evaluate(kernel);
  ASSERT_TRUE(informed.value);
  EXPECT_GE(informed.parameters[4] * 49.0, 2.0 - 1e-9);
  EXPECT_LE(informed.parameters[4] * 49.0, 50.0 / 1.75 + 1e-9);
}

}  // namespace
}  // namespace covary
