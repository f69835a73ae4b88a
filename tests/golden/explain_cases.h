#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <covary/covary.h>

namespace covary {

// Models to be put into words, made of a few lines of a .test file. Data and parameters are simple:
// inputs in even steps (the second and later ones in orders of their own), a target by formula, and
// parameters that are the same for all kernels of a kind unless said.
class ExplainCases {
 public:
  // Takes a line that sets the scene: `range LOW HIGH [INPUT]`, `rows N`, `data WORD`,
  // `set SE.lengthscale 0.2 0.3`. False for any other.
  bool set_context(const std::string& word, const std::string& rest);

  // `words`: the counted titles; `sentences`: those about the kernel and its figures; `cautions`.
  std::string outcome(const std::string& word, const std::string& kernel,
                      const InputNames& inputs) const;

 private:
  FittedModel model_of(const std::string& text, const InputNames& inputs) const;

  std::map<std::string, std::pair<std::string, std::string>> ranges_;  // by input; "" for all
  std::map<std::string, std::vector<double>> parameters_;
  std::size_t num_rows_ = 60;
  std::string data_ = "rising";
};

}  // namespace covary
