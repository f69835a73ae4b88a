#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <covary/covary.h>

#include "evidence/memory.h"
#include "unit/store/model_examples.h"
#include "unit/table/error_of.h"

namespace covary {
namespace {

using Json = nlohmann::ordered_json;

// Three models of the small model's data, with weights that add up in every order.
Ensemble small_ensemble() {
  const FittedModel first = small_model();
  const InputNames names({"x"});
  const FittedModel second(parse_expression("SE", names), {0.25, 1.5, 0.125}, first.data());
  const FittedModel third(parse_expression("LIN", names), {1.0, 0.5, 0.5}, first.data(),
                          MeanFunction::constant);
  return Ensemble::from_weights({first, second, third}, {0.5, 0.25, 0.25});
}

// Bit for bit: no tolerance.
bool predicts_the_same(const Ensemble& one, const Ensemble& other) {
  const std::vector<std::vector<double>> points = points_for(other.data());
  const Prediction a = one.predict(points);
  const Prediction b = other.predict(points);
  return a.mean == b.mean && a.sd == b.sd && a.latent_sd == b.latent_sd &&
         a.interval(0.95).lower == b.interval(0.95).lower &&
         a.interval(0.95).upper == b.interval(0.95).upper;
}

std::string refusal_after(const std::function<void(Json&)>& change,
                          ErrorKind kind = ErrorKind::bad_data) {
  Json model = content_of(small_ensemble());
  change(model);
  return refusal_of(text_with(model), kind);
}

// ---- there and back ----

TEST(EnsembleFile, AnEnsembleComesBackBitForBit) {
  const Ensemble ensemble = small_ensemble();
  const std::string text = model_to_text(ensemble);
  const Ensemble again = model_from_text(text, "m.json");
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(again.weights(), ensemble.weights());
  for (std::size_t k = 0; k < again.size(); ++k) {
    EXPECT_EQ(again.members()[k].kernel_text(), ensemble.members()[k].kernel_text());
    EXPECT_EQ(again.members()[k].parameters(), ensemble.members()[k].parameters());
    EXPECT_EQ(again.members()[k].mean_function(), ensemble.members()[k].mean_function());
  }
  EXPECT_TRUE(predicts_the_same(again, ensemble));
  EXPECT_EQ(model_to_text(again), text);
}

TEST(EnsembleFile, WeightsOfEverySizeComeBackBitForBit) {
  Random random(6);
  const std::vector<FittedModel> members = small_ensemble().members();
  for (int i = 0; i < 100; ++i) {
    const Ensemble ensemble(
        members, {300.0 * random.normal(), 300.0 * random.normal(), -500.0 + random.normal()});
    const Ensemble again = model_from_text(model_to_text(ensemble), "m.json");
    EXPECT_EQ(again.weights(), ensemble.weights());
    EXPECT_TRUE(predicts_the_same(again, ensemble));
  }
  const double none = -std::numeric_limits<double>::infinity();
  const Ensemble ensemble(members, {none, 0.0, none});
  EXPECT_EQ(model_from_text(model_to_text(ensemble), "m.json").weights(), ensemble.weights());
}

TEST(EnsembleFile, AnEnsembleOfOneIsWrittenAsTheModel) {
  const FittedModel model = small_model();
  EXPECT_EQ(model_to_text(Ensemble({model}, {-77.0})), model_to_text(model));
}

TEST(EnsembleFile, TheDataAreWrittenOnceAndReadOnce) {
  const std::string text = model_to_text(small_ensemble());
  std::size_t num_columns = 0;
  for (std::size_t at = 0; (at = text.find("\"scaled_values\"", at)) != std::string::npos; ++at) {
    ++num_columns;
  }
  EXPECT_EQ(num_columns, 2U);  // x and y
  EXPECT_EQ(Json::parse(text).at("model").at("members").size(), 3U);
  const Ensemble again = model_from_text(text, "m.json");
  for (const FittedModel& member : again.members()) {
    EXPECT_EQ(member.data().target().data(), again.data().target().data());
    EXPECT_EQ(member.data().input(0).data(), again.data().input(0).data());
  }
}

TEST(EnsembleFile, TheLargestEnsembleComesBackFromDisk) {
  const std::string path = testing::TempDir() + fmt::format("ensemble_{}.json", getpid());
  const std::vector<FittedModel> members(Ensemble::max_members, small_model());
  const Ensemble ensemble(members, std::vector<double>(members.size(), 0.0));
  save_model(ensemble, path);
  const Ensemble again = load_model(path);
  std::filesystem::remove(path);
  EXPECT_EQ(again.weights(), ensemble.weights());
  EXPECT_TRUE(predicts_the_same(again, ensemble));
}

Ensemble wide_ensemble(std::size_t num_inputs) {
  std::vector<Scaling> scalings;
  for (std::size_t i = 0; i < num_inputs; ++i) scalings.push_back({fmt::format("x{}", i)});
  const Dataset data(std::vector<std::vector<double>>(num_inputs, {0.0, 0.5, 1.0}),
                     {-1.0, 0.0, 1.0}, scalings, Scaling{"y"}, std::string(32, '0'), {});
  const FittedModel model(parse_expression("SE_1", InputNames({"x0"})), {0.5, 1.0, 0.25}, data);
  return {{model, model}, {0.0, 0.0}};
}

// Many inputs of few rows are mostly names and brackets.
TEST(EnsembleFile, WhatIsWrittenCanBeReadBackAndTheRestIsNotWritten) {
  const std::string path = testing::TempDir() + fmt::format("wide_{}.json", getpid());
  const std::string sentence =
      error_of(ErrorKind::cannot_write, [&] { save_model(wide_ensemble(90'000), path); });
  EXPECT_NE(sentence.find("an ensemble of 2 models of 3 rows and 90000 inputs is too large"),
            std::string::npos)
      << sentence;
  EXPECT_FALSE(std::filesystem::exists(path));
  save_model(wide_ensemble(87'000), path);
  EXPECT_EQ(load_model(path).data().num_inputs(), 87'000U);
  std::filesystem::remove(path);
}

// Before there is a model: no search is to end with what could have been known.
TEST(EnsembleFile, WhatIsTooLargeIsRefusedByItsDataAlone) {
  const std::string path = "m.json";
  const Ensemble ensemble = wide_ensemble(90'000);
  EXPECT_EQ(error_of(ErrorKind::cannot_write, [&] { check_model_size(ensemble.data(), 2, path); }),
            error_of(ErrorKind::cannot_write, [&] { save_model(ensemble, path); }));
  EXPECT_NO_THROW(check_model_size(wide_ensemble(87'000).data(), 2, path));
  EXPECT_NO_THROW(check_model_size(small_model().data(), Ensemble::max_members, path));
}

// Few enough values, but of so many digits that their text is too long.
TEST(EnsembleFile, WhatIsTooLongIsRefusedByItsDataAlone) {
  const auto data_of = [](double value) {
    std::vector<Scaling> scalings(700);
    for (std::size_t i = 0; i < scalings.size(); ++i) scalings[i].name = fmt::format("x{}", i);
    return Dataset(std::vector<std::vector<double>>(700, std::vector<double>(2'000, value)),
                   std::vector<double>(2'000, value), scalings, Scaling{"y"}, std::string(32, '0'),
                   {});
  };
  EXPECT_NO_THROW(check_model_size(data_of(0.5), 1, "m.json"));
  error_of(ErrorKind::cannot_write, [&] { check_model_size(data_of(1.0 / 3.0), 1, "m.json"); });
}

// ---- damage ----

TEST(EnsembleFile, EveryFlippedBitIsRefusedOrHarmless) {
  const Ensemble ensemble = small_ensemble();
  const std::string text = model_to_text(ensemble);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << bit));
      if (!refusal_of(damaged).empty()) continue;
      EXPECT_TRUE(predicts_the_same(model_from_text(damaged, "m.json"), ensemble))
          << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(EnsembleFile, EveryTruncationIsRefused) {
  const std::string text = model_to_text(small_ensemble());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {  // the last byte ends the line
    EXPECT_FALSE(refusal_of(text.substr(0, size)).empty()) << size;
  }
}

// ---- a checksum that fits, and content that does not ----

TEST(EnsembleFile, AnUntouchedEnsembleWithAFreshChecksumIsFine) {
  EXPECT_EQ(refusal_after([](Json&) {}), "");
}

TEST(EnsembleFile, AWrongTypeInAnyFieldIsRefused) {
  const Json model = content_of(small_ensemble());
  for (const JsonPointer& place : places_of(model)) {
    for (const Json& other : {Json(nullptr), Json(true), Json("\x1b[31m\n"), Json(Json::array()),
                              Json(Json::object()), Json(1.5), Json(1'000'000'000)}) {
      if (model.at(place).is_number() && other.is_number()) continue;
      if (place.to_string() == "/target/name" && other.is_string()) continue;  // any will do
      Json changed = model;
      changed.at(place) = other;
      EXPECT_FALSE(refusal_of(text_with(changed)).empty())
          << (place.empty() ? "model" : place.to_string()) << " = " << other;
    }
  }
}

TEST(EnsembleFile, AnyMissingMemberIsRefused) {
  const Json model = content_of(small_ensemble());
  for (const JsonPointer& place : places_of(model)) {
    if (place.empty()) continue;
    Json changed = model;
    Json& owner = changed.at(place.parent_pointer());
    if (owner.is_array()) {
      owner.erase(std::stoul(place.back()));
    } else {
      owner.erase(place.back());
    }
    EXPECT_FALSE(refusal_of(text_with(changed)).empty()) << place.to_string();
  }
}

TEST(EnsembleFile, WeightsThatAreNoneAreRefused) {
  const auto with_weights = [](const std::vector<Json>& weights) {
    return refusal_after([&](Json& model) {
      for (std::size_t k = 0; k < 3; ++k) model["members"][k]["weight"] = weights[k];
    });
  };
  EXPECT_EQ(with_weights({0.5, 0.25, 0.25}), "");
  EXPECT_EQ(with_weights({1, 0, 0}), "");
  EXPECT_EQ(with_weights({1.5, -0.25, -0.25}),
            "m.json: weight 2 of the ensemble is -0.25; it must not be negative");
  EXPECT_EQ(with_weights({0.5, 0.25, 0.5}),
            "m.json: the weights of the ensemble add up to 1.25, not 1");
  EXPECT_EQ(with_weights({0, 0, 0}), "m.json: the weights of the ensemble add up to 0, not 1");
  EXPECT_EQ(with_weights({"NaN", 0.5, 0.5}),
            "m.json: \"weight\" has something that is not a number");
  EXPECT_FALSE(with_weights({1e308, 1e308, 1e308}).empty());
  const std::string text = model_to_text(small_ensemble());
  const std::size_t at = text.find("0.5", text.find("\"weight\""));
  for (const std::string number : {"NaN", "nan", "Infinity", "1e999", "-1e999"}) {
    std::string changed = text;
    EXPECT_FALSE(refusal_of(changed.replace(at, 3, number)).empty()) << number;
  }
}

TEST(EnsembleFile, NumbersOfMembersThatNoEnsembleHasAreRefused) {
  EXPECT_EQ(refusal_after([](Json& model) { model["members"] = 1'000'000'000; }),
            "m.json: \"members\" is not a list");
  EXPECT_EQ(refusal_after([](Json& model) { model["members"] = Json::array(); }),
            "m.json: \"members\" is a list of 0, not of 2 to 256 models");
  EXPECT_EQ(refusal_after([](Json& model) {
              const Json only = model["members"][0];
              model["members"] = Json::array({only});
            }),
            "m.json: \"members\" is a list of 1, not of 2 to 256 models");
  EXPECT_EQ(refusal_after([](Json& model) {
              const Json member = model["members"][0];
              model["members"] = Json(20'000, member);
            }),
            "m.json: \"members\" is a list of 20000, not of 2 to 256 models");
  EXPECT_EQ(refusal_after([](Json& model) { model["members"] = Json(1'500'000, 0); }),
            "m.json: it has more values than any model");
}

TEST(EnsembleFile, EnsemblesOfEnsemblesAreRefused) {
  EXPECT_EQ(
      refusal_after([](Json& model) { model["members"][1]["members"] = Json(model["members"]); }),
      "m.json: a member has members of its own");
  EXPECT_FALSE(refusal_after([](Json& model) {
                 const Json whole = model;
                 model["members"][1] = whole;
               }).empty());
  EXPECT_EQ(refusal_after([](Json& model) { model["kernel"] = "SE"; }),
            "m.json: it has both a \"kernel\" and \"members\"");
  EXPECT_EQ(refusal_after([](Json& model) {
              for (int i = 0; i < 20; ++i) {
                Json inner = Json::array();
                inner.push_back(std::move(model["members"]));
                model["members"] = std::move(inner);
              }
            }),
            "m.json: its values are nested too deep");
}

TEST(EnsembleFile, AMemberOfOtherInputsIsRefused) {
  EXPECT_FALSE(
      refusal_after([](Json& model) { model["members"][2]["kernel"] = "LIN(z)"; }).empty());
  EXPECT_FALSE(refusal_after([](Json& model) { model["members"][2]["kernel"] = "LIN_2"; }).empty());
  EXPECT_FALSE(refusal_after([](Json& model) {
                 std::swap(model["members"][0]["parameters"], model["members"][1]["parameters"]);
               }).empty());
}

// One model of so many rows has its place, 256 of them have not: refused before any is built.
TEST(EnsembleFile, AnEnsembleTooLargeForTheMachineIsRefused) {
  const auto rows = static_cast<std::size_t>(std::sqrt(machine_bytes() / 8.0 / 100.0));
  const std::string sentence = refusal_after(
      [&](Json& model) {
        const Json member = {{"weight", 1.0 / 256.0}, {"kernel", "SE"}};
        model["members"] = Json(Ensemble::max_members, member);
        model["rows"] = rows;
        model["target"]["scaled_values"] = std::vector<int>(rows, 0);
        model["inputs"][0]["scaled_values"] = std::vector<int>(rows, 0);
      },
      ErrorKind::memory);
  EXPECT_TRUE(sentence.starts_with(fmt::format("m.json: 256 models of {} rows need ", rows)))
      << sentence;
}

}  // namespace
}  // namespace covary
