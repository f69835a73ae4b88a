#pragma once

#include <cstddef>
#include <string>

#include <covary/error.h>

namespace covary {

// A point is so far outside the rows of training that double-precision numbers cannot hold what a
// model says there: a linear trend's variance, say.
class PredictionOverflow : public Error {
 public:
  // `sentence` goes on after the place: `column "x": 1e+200 is …`.
  PredictionOverflow(std::size_t point, std::string sentence);

  std::size_t point() const { return point_; }  // from 0, among those that were asked for
  const std::string& sentence() const { return sentence_; }

 private:
  std::size_t point_;
  std::string sentence_;
};

}  // namespace covary
