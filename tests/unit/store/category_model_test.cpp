#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <covary/covary.h>

#include "unit/store/model_examples.h"

namespace covary {
namespace {

Ensemble model_of_levels() {
  const Dataset data = make_dataset(
      read_csv_text("region,x,y\n\"a, b\",1,2\nΩ,2,4\n\"a, b\",3,3\nΩ,4,9\nc,5,1\nc,6,2\n", "F"),
      {.target = "y"});
  return FittedModel(parse_expression("SE(x)*CAT(region)", inputs_of(data)), {0.5, 1.0, 0.7, 0.1},
                     data);
}

TEST(CategoryModel, ComesBackWithItsLevels) {
  const Ensemble model = model_of_levels();
  const Ensemble again = model_from_text(model_to_text(model), "m.json");
  EXPECT_EQ(again.data(), model.data());
  EXPECT_EQ(again.data().input_scaling(0).levels, (std::vector<std::string>{"a, b", "c", "Ω"}));
  const std::vector<std::vector<double>> points = {{0.0, 1.0, 2.0, 3.0}, {1.0, 2.0, 9.0, 4.0}};
  EXPECT_EQ(again.predict(points).mean, model.predict(points).mean);
  EXPECT_EQ(again.predict(points).sd, model.predict(points).sd);
}

// Programs that know no categories would take levels for numbers: they must not read it.
TEST(CategoryModel, HasAVersionOfItsOwn) {
  const auto version = [](const Ensemble& model) {
    return nlohmann::ordered_json::parse(model_to_text(model)).at("version").get<int>();
  };
  EXPECT_EQ(version(small_model()), 1);
  EXPECT_EQ(version(model_of_levels()), 3);
}

TEST(CategoryModel, WhatContradictsItselfIsRefused) {
  const nlohmann::ordered_json content = content_of(model_of_levels());
  const auto refusal = [&](const char* place, const nlohmann::ordered_json& value) {
    nlohmann::ordered_json changed = content;
    changed.at(JsonPointer(place)) = value;
    return refusal_of(text_with(changed));
  };
  EXPECT_EQ(refusal_of(text_with(content)), "");
  EXPECT_EQ(refusal("/inputs/0/scaled_values/2", 3.0),
            "m.json: the values of the category \"region\" are not its levels");
  EXPECT_EQ(refusal("/inputs/0/scaled_values/2", 0.5),
            "m.json: the values of the category \"region\" are not its levels");
  EXPECT_EQ(refusal("/inputs/0/factor", 2.0),
            "m.json: the values of the category \"region\" are not its levels");
  EXPECT_EQ(refusal("/inputs/0/levels", nlohmann::ordered_json::array({"a", "a", "b"})),
            "m.json: two levels have the name \"a\"");
  EXPECT_EQ(refusal("/inputs/0/levels/1", 7), "m.json: \"levels\" has something that is not text");
  EXPECT_EQ(refusal("/inputs/0/levels", 7), "m.json: \"levels\" is not a list of names");
  EXPECT_EQ(refusal("/target/type", "category"), "m.json: \"levels\" is missing");
}

}  // namespace
}  // namespace covary
