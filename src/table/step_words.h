#pragma once

#include <cstdint>
#include <string>

namespace covary {

// Steps of time in words: "month", "2 weeks".
std::string duration_text(double seconds);
std::string month_text(std::int64_t months);
std::string step_phrase(const std::string& step);  // "a month", "an hour", "2 weeks"

}  // namespace covary
