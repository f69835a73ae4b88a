#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include <covary/report.h>

namespace covary {

using Json = nlohmann::ordered_json;

template <class Value>
Json optional_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const Explanation& explanation);
Json to_json(const ReportModel& report);

}  // namespace covary
