#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <covary/covary.h>

#include "base/hash.h"

namespace covary {

using JsonPointer = nlohmann::ordered_json::json_pointer;

// A model as small as it can be, for tests that go through every byte of it.
inline FittedModel small_model() {
  const Dataset data({{0.0, 0.3, 1.0}}, {-1.0, 0.25, 1.0}, {Scaling{"x"}}, Scaling{"y"},
                     std::string(32, '0'), {});
  return FittedModel(parse_expression("SE + LIN", InputNames({"x"})),
                     {0.5, 1.25, 0.75, 0.5, 0.0625}, data);
}

// New points in raw units, inside and outside of the data.
inline std::vector<std::vector<double>> points_for(const Dataset& data) {
  Random random(3);
  std::vector<std::vector<double>> points(data.num_inputs());
  for (std::size_t c = 0; c < points.size(); ++c) {
    for (int i = 0; i < 20; ++i) {
      points[c].push_back(data.input_scaling(c).to_raw(-0.5 + 2.0 * random.uniform()));
    }
  }
  return points;
}

// A model's text with another content, and a checksum that fits it.
inline std::string text_with(const nlohmann::ordered_json& model) {
  Fingerprint fingerprint;
  fingerprint.add(std::string_view(model.dump()));
  const nlohmann::ordered_json file = {{"format", "covary-model"},
                                       {"version", 1},
                                       {"checksum", fingerprint.digits()},
                                       {"model", model}};
  return file.dump();
}

inline nlohmann::ordered_json content_of(const Ensemble& model) {
  return nlohmann::ordered_json::parse(model_to_text(model)).at("model");
}

// What every refusal looks like: of its kind, the file's name, one plain line. Empty if there is
// none.
inline std::string refusal_of(const std::string& text, ErrorKind kind = ErrorKind::bad_data) {
  try {
    model_from_text(text, "m.json");
  } catch (const Error& error) {
    std::string sentence = error.what();
    EXPECT_EQ(error.kind(), kind) << sentence;
    EXPECT_TRUE(sentence.starts_with("m.json: ")) << sentence;
    EXPECT_TRUE(std::none_of(sentence.begin(), sentence.end(), [](unsigned char c) {
      return std::iscntrl(c) != 0;
    })) << sentence;
    EXPECT_LE(sentence.size(), 400U) << sentence;
    return sentence;
  }
  return {};
}

// Each place of a JSON value, as pointers.
inline void collect_places(const nlohmann::ordered_json& value, const JsonPointer& at,
                           std::vector<JsonPointer>& places) {
  places.push_back(at);
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) collect_places(member, at / key, places);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect_places(value[i], at / i, places);
  }
}

inline std::vector<JsonPointer> places_of(const nlohmann::ordered_json& model) {
  std::vector<JsonPointer> places;
  collect_places(model, JsonPointer(), places);
  return places;
}

}  // namespace covary
