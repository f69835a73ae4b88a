#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace covary {

// More is no model of ours: of more rows than exact models have, some are kept. Names and brackets
// count.
inline constexpr std::size_t max_model_values = 1'500'000;

// The text as JSON, of no more values than that. Throws Error with one sentence.
nlohmann::ordered_json parse_bounded(const std::string& text);

}  // namespace covary
