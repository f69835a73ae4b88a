#pragma once

#include <nlohmann/json.hpp>

#include <covary/holdout.h>

namespace covary::app {

nlohmann::ordered_json holdout_json(const HoldoutFigures& figures);
void print_holdout(const HoldoutFigures& figures);

}  // namespace covary::app
