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

TEST(WithTermShortened, ShortensTheLengthsOfOneTermAndTheNoiseAndTouchesNothingElse) {
  const Expression kernel =
      parse_expression("SE_1*LIN_2*MAT32_2 + (RQ_1 + PER_1) + LIN_1", InputNames::unnamed(2));
  const ParameterSpace space(kernel);
  // Preorder indices of the nodes of both terms that have lengths.
  const std::vector<std::vector<std::size_t>> terms = {{4, 6}, {8}};
  Random random(5);
  std::vector<std::size_t> times(terms.size(), 0);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<double> place = start_from_priors(space, random);
    const std::vector<double> moved = with_term_shortened(place, kernel, space, random);
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (moved[i] == place[i]) continue;
      const bool is_length = space[i].parameter.quantity == Quantity::input_length;
      const bool is_noise = i + 1 == space.size();
      if (is_length || is_noise) {
        EXPECT_LT(space.natural(i, moved[i]), space.natural(i, place[i]));
      } else {
        EXPECT_NE(space[i].parameter.name.find("variance"), std::string_view::npos);
      }
      if (is_length) nodes.push_back(space[i].node);
    }
    EXPECT_LT(moved.back(), place.back());
    for (std::size_t t = 0; t < terms.size(); ++t) times[t] += nodes == terms[t] ? 1U : 0U;
  }
  EXPECT_EQ(times[0] + times[1], 200U);
  EXPECT_GT(times[0], 50U);
  EXPECT_GT(times[1], 50U);
  const ParameterSpace lines(parse_expression("LIN_1 + LIN_2", InputNames::unnamed(2)));
  const std::vector<double> place = start_from_priors(lines, random);
  EXPECT_EQ(with_term_shortened(place, parse_expression("LIN_1 + LIN_2", InputNames::unnamed(2)),
                                lines, random),
            place);
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
