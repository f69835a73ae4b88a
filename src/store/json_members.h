#pragma once

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/error.h>

namespace covary {

// Members of JSON objects that somebody else may have written. All of these throw Error (bad_data).
[[noreturn]] inline void fail(const std::string& message) {
  throw Error(ErrorKind::bad_data, message);
}

inline const nlohmann::ordered_json& member(const nlohmann::ordered_json& object,
                                            const char* name) {
  if (!object.is_object() || !object.contains(name)) fail(fmt::format("\"{}\" is missing", name));
  return object.at(name);
}

inline std::string text_of(const nlohmann::ordered_json& object, const char* name) {
  const nlohmann::ordered_json& value = member(object, name);
  if (!value.is_string()) fail(fmt::format("\"{}\" is not text", name));
  return value.get<std::string>();
}

}  // namespace covary
