#pragma once

#include <string>

#include <covary/model.h>

#include "terminal.h"

namespace covary::app {

// The data, the model's mean and its 95 % band in characters, a fifth of the range beyond the data
// included. REQUIRES: a model of one input.
std::string text_plot(const FittedModel& model, const TerminalSize& terminal);

}  // namespace covary::app
