#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "explain/component_algebra.h"
#include "explain/phrase.h"
#include "explain/shape.h"

namespace covary {

// The factors of one product that act on one input, sorted by the part they play in a sentence.
struct InputFactors {
  std::vector<const Factor*> periodic;
  std::vector<const Factor*> smooth;
  std::vector<const Factor*> polynomial;
  std::vector<const Factor*> plain;
  std::optional<double> until;  // sides of change points: places on the scaled input
  std::optional<double> from;
  double change_width = 0.0;  // the largest of them

  std::vector<const Factor*>& of_role(KernelRole role);
};

// What the sentence about one input needs to know of it.
struct InputScene {
  const Scaling& scaling;
  Range range;
  double typical_gap = 0.0;    // median distance of neighbouring values
  std::size_t num_values = 0;  // different ones
};

InputFactors factors_on(const Product& product, std::size_t column, const InputScene& scene);

// Words for the factors on one input. `adjective` stands before "function" or alone ("smooth in
// age"), `ending` behind it ("varying on several lengthscales at once"), then what plain and
// polynomial factors do to it, and when it is there.
struct InputPhrase {
  std::string adjective;
  std::string ending;
  std::string modifier;  // "with linearly increasing amplitude"
  std::string when;      // "until 1953-02-01"
  bool repeats = false;
  std::vector<std::string> sentences;
  std::vector<std::string> cautions;
};
InputPhrase input_phrase(const InputFactors& factors, const InputScene& scene,
                         const ComponentShape& shape);

// Of factors of noise: `modifier` is how its size changes along the input ("grows with age"), empty
// if it does not; `when` and sentences as above.
InputPhrase noise_phrase(const InputFactors& factors, const InputScene& scene);

}  // namespace covary
