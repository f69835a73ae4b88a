// What is drawn anew at a fitted place.
#include "evidence/start_values.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

DataHints hints_of_one_input() {
  DataHints hints;
  hints.inputs.resize(1);
  hints.inputs[0].smallest_spacing = 0.01;
  hints.inputs[0].periods = {0.1, 0.05, 0.3};
  hints.inputs[0].breaks = {0.4, 0.7};
  return hints;
}

TEST(ManyHilledParameters, ArePeriodsAndPlacesOfChange) {
  const ParameterSpace space(parse_expression("CP(SE, PER*RQ) + PER", InputNames::unnamed(1)));
  std::vector<std::string> names;
  for (const std::size_t i : many_hilled_parameters(space)) {
    names.emplace_back(space[i].parameter.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"location", "period", "period"}));
  const ParameterSpace smooth(parse_expression("SE*LIN + RQ", InputNames::unnamed(1)));
  EXPECT_TRUE(many_hilled_parameters(smooth).empty());
}

TEST(WithPartRedrawn, MovesToAnotherHillAndTouchesNothingBesideThePart) {
  const ParameterSpace space(
      parse_expression("CP(SE, PER*RQ) + PER*CP(LIN, SE)", InputNames::unnamed(1)));
  const DataHints hints = hints_of_one_input();
  Random random(5);
  std::size_t num_trials = 0;
  std::size_t num_moved = 0;
  std::size_t num_rest_kept = 0;  // the other parameters of the part
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<double> place = start_from_hints(space, hints, random);
    for (const std::size_t parameter : many_hilled_parameters(space)) {
      const std::vector<double> moved = with_part_redrawn(place, parameter, space, hints, random);
      bool is_rest_kept = true;
      for (std::size_t i = 0; i < space.size(); ++i) {
        if (space[i].node != space[parameter].node) {
          EXPECT_EQ(moved[i], place[i]);
        } else if (i != parameter) {
          is_rest_kept = is_rest_kept && moved[i] == place[i];
        }
      }
      const double before = space.natural(parameter, place[parameter]);
      const double now = space.natural(parameter, moved[parameter]);
      const bool is_place = space[parameter].parameter.quantity == Quantity::input_location;
      ++num_trials;
      if (is_place ? std::abs(now - before) > 0.1 : std::abs(1.0 / now - 1.0 / before) > 0.5) {
        ++num_moved;
      }
      if (is_rest_kept) ++num_rest_kept;
    }
  }
  EXPECT_GT(num_moved, num_trials * 9 / 10);
  // Both kinds of redraws are there.
  EXPECT_GT(num_rest_kept, num_trials / 10);
  EXPECT_LT(num_rest_kept, num_trials / 2);
}

}  // namespace
}  // namespace covary
