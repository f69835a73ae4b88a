#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/covary.h>

namespace covary::app {

using Json = nlohmann::ordered_json;

// Paths and names may be any bytes; what is not UTF-8 is printed as U+FFFD.
inline void print_object(const Json& object) {
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace covary::app
