#pragma once

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/covary.h>

namespace covary::app {

using Json = nlohmann::ordered_json;

inline Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
template <class Value>
Json json_of(const Value& value) {
  return value;
}

// Every field of an evaluation that has no key of its own yet.
inline void add_evidence(Json& object, const Evidence& evidence) {
  for_each_evidence_field([&](const auto& field) {
    if (object.contains(field.name)) return;
    object[field.name] = json_of(plain_value(evidence.*field.member));
  });
}

// Paths and names may be any bytes; what is not UTF-8 is printed as U+FFFD.
inline void print_object(const Json& object) {
  fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace covary::app
