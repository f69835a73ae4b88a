#include <clocale>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <locale>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <covary/covary.h>

#include "covariance/parameter_space.h"
#include "unit/random_expression.h"
#include "unit/store/model_examples.h"
#include "unit/table/error_of.h"

namespace covary {
namespace {

using Json = nlohmann::ordered_json;
using Columns = std::vector<std::vector<double>>;

const std::vector<std::string> odd_names = {"</script>", "line\nbreak, \"quoted\" \\ `tick`",
                                            "Größe [µm] \xF0\x9F\x8C\x8A"};

// Rows on a jittered grid, with odd names, a date among the inputs, and numbers of many digits.
Dataset odd_data(std::size_t num_rows) {
  Random random(7);
  Columns inputs(odd_names.size());
  for (auto& input : inputs) {
    for (std::size_t i = 0; i < num_rows; ++i) input.push_back(random.uniform());
  }
  std::vector<double> target(num_rows);
  for (double& y : target) y = random.normal();
  std::vector<Scaling> scalings;
  scalings.reserve(odd_names.size());
  for (const std::string& name : odd_names) {
    scalings.push_back({name, ColumnType::number, random.normal() / 3.0, 1.0 + random.uniform()});
  }
  scalings[1] = {odd_names[1], ColumnType::date, 19000.0, 365.25};
  return {inputs,
          target,
          scalings,
          Scaling{"y", ColumnType::number, 1e5 / 3.0, 0.1},
          std::string(32, 'f'),
          {}};
}

FittedModel random_model(Random& random, const Dataset& data) {
  const Expression kernel = random_expression(random, 1 + random.index(5), data.num_inputs());
  const ParameterSpace space(kernel);
  std::vector<double> parameters;
  for (std::size_t i = 0; i < space.size(); ++i) {
    parameters.push_back(quantile(space[i].parameter.prior, 0.1 + 0.8 * random.uniform()));
  }
  return {kernel, parameters, data,
          random.index(2) == 0 ? MeanFunction::constant : MeanFunction::zero};
}

FittedModel single_from_text(const std::string& text) {
  const Ensemble model = model_from_text(text, "m.json");
  EXPECT_EQ(model.size(), 1U);
  return model.members().front();
}

// Bit for bit: no tolerance.
void expect_same(const FittedModel& actual, const FittedModel& expected) {
  EXPECT_EQ(actual.kernel_text(), expected.kernel_text());
  EXPECT_EQ(actual.parameters(), expected.parameters());
  EXPECT_EQ(actual.mean_function(), expected.mean_function());
  EXPECT_EQ(actual.log_marginal_likelihood(), expected.log_marginal_likelihood());
  EXPECT_EQ(actual.data().fingerprint(), expected.data().fingerprint());
  EXPECT_EQ(actual.data().input_names(), expected.data().input_names());
  const Columns points = points_for(expected.data());
  const Prediction prediction = actual.predict(points);
  EXPECT_EQ(prediction.mean, expected.predict(points).mean);
  EXPECT_EQ(prediction.sd, expected.predict(points).sd);
  EXPECT_EQ(prediction.latent_sd, expected.predict(points).latent_sd);
  const Decomposition parts(actual);
  const Decomposition expected_parts(expected);
  ASSERT_EQ(parts.size(), expected_parts.size());
  for (std::size_t c = 0; c < parts.size(); ++c) {
    EXPECT_EQ(parts.curve(c, points).mean, expected_parts.curve(c, points).mean);
  }
}

bool predicts_the_same(const FittedModel& one, const FittedModel& other) {
  const Columns points = points_for(other.data());
  return one.data().num_inputs() == other.data().num_inputs() &&
         one.predict(points).mean == other.predict(points).mean &&
         one.predict(points).sd == other.predict(points).sd;
}

std::string refusal_after(const std::function<void(Json&)>& change) {
  Json model = content_of(small_model());
  change(model);
  return refusal_of(text_with(model));
}

// ---- there and back ----

TEST(ModelFile, FiftyRandomModelsComeBackBitForBit) {
  const Dataset data = odd_data(15);
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const FittedModel model = random_model(random, data);
    SCOPED_TRACE(model.kernel_text());
    const std::string text = model_to_text(model);
    const FittedModel again = single_from_text(text);
    expect_same(again, model);
    EXPECT_EQ(to_string(again.kernel()), to_string(model.kernel()));
    EXPECT_EQ(model_to_text(again), text);
  }
}

TEST(ModelFile, TransformsComeBackBitForBitAndPlainTargetsStayReadableForOlderPrograms) {
  Random random(2);
  const Dataset plain = odd_data(15);
  for (const TargetTransform transform : all_target_transforms()) {
    SCOPED_TRACE(to_string(transform));
    Columns inputs;
    std::vector<Scaling> scalings;
    for (std::size_t c = 0; c < plain.num_inputs(); ++c) {
      inputs.emplace_back(plain.input(c).begin(), plain.input(c).end());
      scalings.push_back(plain.input_scaling(c));
    }
    std::vector<double> target;
    for (std::size_t i = 0; i < plain.num_rows(); ++i)
      target.push_back(0.1 + 0.8 * random.uniform());
    const Dataset data = Dataset(inputs, target, scalings, Scaling{"y"}, std::string(32, 'f'), {})
                             .with_transform(transform);
    const FittedModel model = random_model(random, data);
    const std::string text = model_to_text(model);
    const FittedModel again = single_from_text(text);
    expect_same(again, model);
    EXPECT_EQ(again.data(), data);
    EXPECT_EQ(model_to_text(again), text);
    const int version = transform == TargetTransform::none ? 1 : 2;
    EXPECT_EQ(Json::parse(text).at("version"), version);
  }
  const auto refusal = [&](const char* key, const Json& value) {
    Json model = content_of(FittedModel(parse_expression("SE", InputNames({"x"})), {0.5, 1.0, 0.1},
                                        Dataset({{0.0, 0.3, 1.0}}, {0.2, 0.4, 0.9}, {Scaling{"x"}},
                                                Scaling{"y"}, std::string(32, '0'), {})
                                            .with_transform(TargetTransform::log)));
    model["target"][key] = value;
    return refusal_of(text_with(model));
  };
  EXPECT_EQ(refusal("transform", "cube"),
            "m.json: \"transform\" is \"cube\", which this program does not know; use the version "
            "of Covary that made it, or a newer one");
  EXPECT_EQ(refusal("plain_factor", 0.0), "m.json: \"plain_factor\" is not positive");
}

TEST(ModelFile, ExtremeNumbersComeBackBitForBit) {
  const double tiny = 5e-324;
  const double large = 1e300;
  const Dataset data({{0.0, 0.1 + 0.2, 1.0 - 1e-16}}, {-1.0 / 3.0, tiny, 2.0 / 3.0},
                     {Scaling{"x", ColumnType::date_time, 1.7e9 + 1e-7, 1e-300}},
                     Scaling{"y", ColumnType::number, -large, 1e-7}, std::string(32, 'a'), {});
  const FittedModel model(parse_expression("SE", InputNames({"x"})), {1e-3 / 7.0, 1e5 / 3.0, 1e-6},
                          data);
  const FittedModel again = single_from_text(model_to_text(model));
  EXPECT_EQ(again.parameters(), model.parameters());
  EXPECT_EQ(again.log_marginal_likelihood(), model.log_marginal_likelihood());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again.data().target()[i], data.target()[i]);
    EXPECT_EQ(again.data().input(0)[i], data.input(0)[i]);
  }
  EXPECT_EQ(again.data().input_scaling(0).offset, data.input_scaling(0).offset);
  EXPECT_EQ(again.data().input_scaling(0).factor, data.input_scaling(0).factor);
  EXPECT_EQ(again.data().target_scaling().offset, -large);
  EXPECT_EQ(model_to_text(again), model_to_text(model));
}

// single_model.json was written by the first program that wrote models.
TEST(ModelFile, AModelIsWrittenAsEverByteForByte) {
  std::ifstream file(COVARY_TESTS_DIR "/unit/store/single_model.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(model_to_text(small_model()), text);
  expect_same(single_from_text(text), small_model());
}

TEST(ModelFile, TheTextIsPlainJsonForOtherPrograms) {
  const Json file = Json::parse(model_to_text(small_model()));
  EXPECT_EQ(file.at("format"), "covary-model");
  EXPECT_EQ(file.at("version"), 1);
  EXPECT_EQ(file.at("model").at("kernel"), "SE + LIN");
  EXPECT_EQ(file.at("model").at("rows"), 3);
  EXPECT_EQ(file.at("model").at("parameters").size(), 5U);
}

// ---- damage ----

TEST(ModelFile, EveryFlippedBitIsRefusedOrHarmless) {
  const FittedModel model = small_model();
  const std::string text = model_to_text(model);
  std::size_t num_accepted = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << bit));
      if (!refusal_of(damaged).empty()) continue;
      ++num_accepted;
      EXPECT_TRUE(predicts_the_same(single_from_text(damaged), model))
          << "byte " << i << ", bit " << bit;
    }
  }
  EXPECT_LT(num_accepted, text.size());  // white space and no more
}

TEST(ModelFile, EveryTruncationIsRefused) {
  const std::string text = model_to_text(small_model());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {  // the last byte ends the line
    EXPECT_FALSE(refusal_of(text.substr(0, size)).empty()) << size;
  }
}

TEST(ModelFile, BytesAfterTheEndAreRefused) {
  const std::string text = model_to_text(small_model());
  EXPECT_FALSE(refusal_of(text + "}").empty());
  EXPECT_FALSE(refusal_of(text + text).empty());
}

TEST(ModelFile, OtherThingsAreRefused) {
  for (const std::string text :
       {R"()", R"( )", R"(null)", R"(1)", R"("covary-model")", R"([])", R"({})", R"({"format":1})",
        R"({"format":"covary-model"})", R"({"format":"covary-model","version":1})",
        R"({"format":"covary-model","version":1,"model":{}})",
        R"({"format":"covary-model","version":1,"checksum":1,"model":{}})",
        R"({"format":"covary-model","version":2,"checksum":"","model":{}})",
        R"({"format":"covary-model","version":"\u001b[31m","checksum":"","model":{}})",
        R"({"format":"covary-model","version":1e999})", "x,y\n1,2\n", "\xff\xfe"}) {
    EXPECT_FALSE(refusal_of(text).empty()) << text;
  }
  EXPECT_FALSE(refusal_of(std::string(1'000'000, '[')).empty());
  EXPECT_FALSE(refusal_of(std::string(10'000, '\0')).empty());
}

// ---- a checksum that fits, and content that does not ----

TEST(ModelFile, AnUntouchedModelWithAFreshChecksumIsFine) {
  EXPECT_EQ(refusal_after([](Json&) {}), "");
}

TEST(ModelFile, AWrongTypeInAnyFieldIsRefused) {
  const Json model = content_of(small_model());
  for (const Json::json_pointer& place : places_of(model)) {
    for (const Json& other : {Json(nullptr), Json(true), Json("\x1b[31m\n"), Json(Json::array()),
                              Json(Json::object()), Json(1.5)}) {
      if (model.at(place).is_number() && other.is_number()) continue;
      if (place.to_string() == "/target/name" && other.is_string()) continue;  // any will do
      Json changed = model;
      changed.at(place) = other;
      EXPECT_FALSE(refusal_of(text_with(changed)).empty())
          << (place.empty() ? "model" : place.to_string()) << " = " << other;
    }
  }
}

TEST(ModelFile, AnyMissingMemberIsRefused) {
  const Json model = content_of(small_model());
  for (const Json::json_pointer& place : places_of(model)) {
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

TEST(ModelFile, ParametersOutOfTheirRangeAreRefused) {
  for (std::size_t i = 0; i < 5; ++i) {
    for (const double value : {-1.0, -0.0, 0.0, -1e-300}) {
      EXPECT_FALSE(
          refusal_after([&](Json& model) { model["parameters"][i]["value"] = value; }).empty())
          << "parameter " << i << " = " << value;
    }
  }
}

TEST(ModelFile, FactorsThatAreNotPositiveAreRefused) {
  for (const double factor : {-1.0, 0.0}) {
    EXPECT_FALSE(refusal_after([&](Json& model) { model["target"]["factor"] = factor; }).empty());
    EXPECT_FALSE(
        refusal_after([&](Json& model) { model["inputs"][0]["factor"] = factor; }).empty());
  }
}

TEST(ModelFile, FormatsOfDatesComeBackAndOthersAreRefused) {
  const Dataset data =
      make_dataset(read_csv_text("day,y\n31.12.2024,1\n1.1.2025,3\n5.1.2025,2\n7.1.2025,4\n", "F"),
                   {.target = "y"});
  const FittedModel model(parse_expression("SE", InputNames({"day"})), {0.5, 1.25, 0.0625}, data);
  EXPECT_EQ(content_of(model).at("inputs")[0].at("date_format"), "D.M.YYYY");
  const std::string text = model_to_text(model);
  EXPECT_EQ(model_from_text(text, "m.json").data().input_scaling(0).date_format, "D.M.YYYY");
  EXPECT_EQ(model_to_text(model_from_text(text, "m.json")), text);
  for (const char* wrong : {"", "YYYY-MM-DD", "D.M.Y", "abc", "%Y", "DD.MM.YYYY\n"}) {
    nlohmann::ordered_json content = content_of(model);
    content["inputs"][0]["date_format"] = wrong;
    EXPECT_NE(refusal_of(text_with(content)).find("which is no format of dates"), std::string::npos)
        << wrong;
  }
  nlohmann::ordered_json numbers = content_of(small_model());
  numbers["inputs"][0]["date_format"] = "D.M.YYYY";  // of a column of numbers
  EXPECT_NE(refusal_of(text_with(numbers)), "");
}

TEST(ModelFile, RowsThatAreNotThoseOfTheColumnsAreRefused) {
  for (const Json& rows : {Json(4), Json(0), Json(-3), Json(1e18), Json(3.5)}) {
    EXPECT_FALSE(refusal_after([&](Json& model) { model["rows"] = rows; }).empty()) << rows;
  }
}

TEST(ModelFile, ColumnsOfDifferentLengthsAreRefused) {
  EXPECT_EQ(refusal_after([](Json& model) { model["inputs"][0]["scaled_values"].push_back(0.5); }),
            "m.json: the columns differ in length");
  EXPECT_FALSE(refusal_after([](Json& model) {
                 model["target"]["scaled_values"] = Json::array();
                 model["inputs"][0]["scaled_values"] = Json::array();
               }).empty());
}

TEST(ModelFile, ColumnsThatNoTableHasAreRefused) {
  EXPECT_FALSE(refusal_after([](Json& model) { model["inputs"] = Json::array(); }).empty());
  EXPECT_FALSE(refusal_after([](Json& model) { model["inputs"][0]["type"] = "text"; }).empty());
  EXPECT_FALSE(refusal_after([](Json& model) { model["inputs"][0]["type"] = "real"; }).empty());
  // Two inputs of one name: prediction could not tell them apart.
  EXPECT_FALSE(refusal_after([](Json& model) {
                 const Json input = model["inputs"][0];
                 model["inputs"].push_back(input);
                 model["kernel"] = "SE(x) + LIN(x)";
               }).empty());
}

TEST(ModelFile, ParametersOfAnotherKernelAreRefused) {
  EXPECT_FALSE(refusal_after([](Json& model) { model["kernel"] = "SE"; }).empty());
  EXPECT_FALSE(refusal_after([](Json& model) { model["kernel"] = "SE + SE"; }).empty());
  EXPECT_FALSE(refusal_after([](Json& model) {
                 std::swap(model["parameters"][0], model["parameters"][1]);
               }).empty());
}

TEST(ModelFile, KernelsThatAreNoneAreRefused) {
  for (const std::string& kernel :
       {std::string(), std::string("SE +"), std::string("QQ + LIN"), std::string("SE_2 + LIN"),
        std::string("SE(z) + LIN"), std::string("SE\x1b[31m\n"), std::string(1'000'000, '('),
        std::string("SE") + std::string(1'000'000, '+')}) {
    EXPECT_FALSE(refusal_after([&](Json& model) { model["kernel"] = kernel; }).empty())
        << kernel.substr(0, 20);
  }
  std::string sum = "SE";
  for (int i = 0; i < 200'000; ++i) sum += "+SE";
  EXPECT_FALSE(refusal_after([&](Json& model) { model["kernel"] = sum; }).empty());
}

TEST(ModelFile, NumbersThatOverflowAreRefused) {
  const std::string text = model_to_text(small_model());
  const std::size_t at = text.find("0.0625");
  ASSERT_NE(at, std::string::npos);
  for (const std::string number : {"1e999", "-1e999", "NaN", "Infinity", "1e", "0x10", "1,5"}) {
    std::string changed = text;
    EXPECT_FALSE(refusal_of(changed.replace(at, 6, number)).empty()) << number;
  }
  EXPECT_FALSE(refusal_after([](Json& model) {
                 for (Json& x : model["inputs"][0]["scaled_values"]) x = 1e308;
               }).empty());
}

// Its covariance matrix would take 8 TB: to be refused before anything is allocated.
TEST(ModelFile, AModelTooLargeForTheMachineIsRefused) {
  EXPECT_FALSE(refusal_after([](Json& model) {
                 const std::vector<int> zeros(1'000'000, 0);
                 model["rows"] = zeros.size();
                 model["target"]["scaled_values"] = zeros;
                 model["inputs"][0]["scaled_values"] = zeros;
               }).empty());
}

// Thousands of wrong contents: an Error or a model that can be used, and nothing else.
TEST(ModelFile, RandomContentIsRefusedOrUsable) {
  const Json whole = content_of(small_model());
  const std::vector<Json> values = {
      nullptr,       true,          0,      -1,         1,        3,
      1e18,          1e308,         -1e308, 1e-320,     "",       "x",
      "SE",          "date",        "zero", "constant", "SE*LIN", "a\nb",
      Json::array(), Json::object()};
  const std::vector<Json::json_pointer> places = places_of(whole);
  Random random(11);
  std::size_t num_usable = 0;
  for (int i = 0; i < 5000; ++i) {
    Json model = whole;
    for (std::uint64_t changes = 1 + random.index(3); changes > 0; --changes) {
      const Json::json_pointer& place = places[random.index(places.size())];
      if (!model.contains(place)) continue;
      model[place] = random.index(3) == 0 ? whole.at(places[random.index(places.size())])
                                          : values[random.index(values.size())];
    }
    const std::string text = text_with(model);
    if (!refusal_of(text).empty()) continue;
    ++num_usable;
    const FittedModel usable = single_from_text(text);
    try {
      EXPECT_EQ(usable.predict(points_for(usable.data())).mean.size(), 20U) << text;
    } catch (const Error& error) {  // with numbers near the largest that there are
      EXPECT_NE(std::string(error.what()).find("beyond double-precision numbers"),
                std::string::npos)
          << text;
    }
  }
  EXPECT_GT(num_usable, 10U);
}

// ---- locales ----

struct CommaPunctuation : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(ModelFile, TheTextIsTheSameUnderEveryLocale) {
  const FittedModel model = small_model();
  const std::string text = model_to_text(model);
  const std::string folder = testing::TempDir() + fmt::format("locale_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string command =
      fmt::format("localedef -i de_DE -f UTF-8 {}/de_DE.UTF-8 > /dev/null 2>&1", folder);
  const bool made =
      std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  setenv("LOCPATH", folder.c_str(), 1);   // NOLINT(concurrency-mt-unsafe)
  const char* old = std::setlocale(LC_ALL, "de_DE.UTF-8");  // NOLINT(concurrency-mt-unsafe)
  EXPECT_TRUE(old != nullptr || !made);
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  EXPECT_EQ(model_to_text(model), text);
  expect_same(single_from_text(text), model);
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");  // NOLINT(concurrency-mt-unsafe)
  unsetenv("LOCPATH");          // NOLINT(concurrency-mt-unsafe)
  std::filesystem::remove_all(folder);
}

// ---- on disk ----

class ModelOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / fmt::format("model_{}", getpid());
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "m.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(ModelOnDisk, ComesBackBitForBitAndLeavesOneFile) {
  Random random(5);
  const FittedModel model = random_model(random, odd_data(15));
  save_model(model, path_);
  EXPECT_EQ(read(path_), model_to_text(model));
  expect_same(load_model(path_).members().front(), model);
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(ModelOnDisk, AnExistingFileGivesWayOnlyWhenAsked) {
  write(path_, "precious");
  error_of(ErrorKind::cannot_write, [&] { save_model(small_model(), path_); });
  EXPECT_EQ(read(path_), "precious");
  EXPECT_EQ(num_files(), 1U);
  save_model(small_model(), path_, ExistingFile::replace);
  EXPECT_EQ(read(path_), model_to_text(small_model()));
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(ModelOnDisk, AFolderNeverGivesWay) {
  std::filesystem::create_directory(path_);
  error_of(ErrorKind::cannot_write, [&] { save_model(small_model(), path_); });
  const std::string sentence = error_of(
      ErrorKind::cannot_write, [&] { save_model(small_model(), path_, ExistingFile::replace); });
  EXPECT_EQ(sentence.find("--force"), std::string::npos) << sentence;  // it would not help
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(ModelOnDisk, AMissingFolderIsNamed) {
  const std::string path = (folder_ / "nowhere" / "m.json").string();
  const std::string sentence =
      error_of(ErrorKind::cannot_write, [&] { save_model(small_model(), path); });
  EXPECT_TRUE(sentence.starts_with(path)) << sentence;
}

// The file that is written beside must not follow a link that somebody has put there.
TEST_F(ModelOnDisk, ALinkInTheWayIsNotWrittenThrough) {
  const std::string precious = (folder_ / "precious").string();
  write(precious, "precious");
  std::filesystem::create_symlink(precious, path_ + ".part");
  try {
    save_model(small_model(), path_);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cannot_write) << error.what();
  }
  EXPECT_EQ(read(precious), "precious");
}

TEST_F(ModelOnDisk, WhatCannotBeReadIsNamed) {
  EXPECT_EQ(error_of(ErrorKind::no_input, [&] { load_model(path_); }),
            path_ + ": there is no such file");
  EXPECT_EQ(error_of(ErrorKind::no_input, [&] { load_model(folder_.string()); }),
            folder_.string() + ": this is a directory, not a file");
  write(path_, "");
  EXPECT_TRUE(error_of(ErrorKind::bad_data, [&] { load_model(path_); }).starts_with(path_));
}

}  // namespace
}  // namespace covary
