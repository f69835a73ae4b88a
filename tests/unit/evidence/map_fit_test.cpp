// The race of starts.
#include "evidence/map_fit.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

using Numbers = std::vector<double>;

// What is known of the kernel from elsewhere counts for all rows, even if the sample, as here, has
// nothing to do with them.
TEST(MapFit, DoesNotFallBehindTheStartThatItWasGivenHoweverTheSampleMisleads) {
  Random random(3);
  Numbers x;
  Numbers y;
  for (int i = 0; i < 300; ++i) {
    x.push_back(random.uniform());
    y.push_back(std::sin(40.0 * x.back()) + 0.1 * random.normal());
  }
  Numbers noise;
  for (int i = 0; i < 125; ++i) noise.push_back(random.normal());
  FitData data;
  data.inputs = {x};
  data.target = y;
  data.hints = data_hints(data.inputs, y);
  FitData misled = data;
  misled.sample_inputs = {std::span(x).first(125)};
  misled.sample_target = noise;
  data.sample_inputs = data.inputs;
  data.sample_target = data.target;

  const Expression kernel = parse_expression("PER*SE + RQ", InputNames::unnamed(1));
  EvidenceOptions options;
  const MapFit best = fit_map(kernel, data, options, {}, [] { return false; });
  const ParameterSpace space(kernel);
  Numbers parameters;
  for (std::size_t i = 0; i < space.size(); ++i) {
    parameters.push_back(space.natural(i, best.place[i]));
  }
  options.restarts = 2;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    options.seed = seed;
    const MapFit again =
        fit_map(kernel, misled, options, {{kernel, parameters}}, [] { return false; });
    EXPECT_GT(again.value, best.value - 0.01);
  }
}

}  // namespace
}  // namespace covary
