// Models that are kept by the rows of their support and a file beside them.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/model_file.h>
#include <covary/random.h>

#include "evidence/support_model.h"
#include "evidence/training_rows.h"
#include "inference/sparse/sparse_inference.h"

namespace covary {
namespace {

Dataset some_rows(std::size_t num_rows) {
  Random random(3);
  std::vector<std::vector<double>> x(2);
  std::vector<double> y;
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (auto& column : x) column.push_back(random.uniform());
    y.push_back(std::sin(7.0 * x[0][i]) + x[1][i] + 0.3 * random.normal());
  }
  return {std::move(x), std::move(y), {{"a"}, {"b"}}, {"y"}, std::string(32, '0'), {}};
}

// As a model of many rows would be, were 300 many.
FittedModel sparse_model(const std::string& text, std::vector<double> parameters) {
  const Dataset data = some_rows(300);
  const Expression kernel = parse_expression(text, inputs_of(data));
  const auto inference = make_sparse_inference({.support = 40});
  const auto posterior =
      inference->posterior(kernel, parameters, training_rows(data, MeanFunction::constant), {});
  return restored_model(kernel, std::move(parameters), data.rows(*posterior->support()),
                        MeanFunction::constant, state_of(*posterior));
}

const std::vector<std::vector<double>> places = {{0.1, 0.5, 0.9}, {0.3, 0.3, 0.8}};

class SupportFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("covary_support_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "m.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream file(path_ + ".support", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void set_bytes(const std::string& bytes) const {
    std::ofstream(path_ + ".support", std::ios::binary) << bytes;
  }
  std::string error() const {
    try {
      load_model(path_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(SupportFile, GivesBackTheModelBitByBit) {
  const FittedModel one = sparse_model("SE(a)*SE(b)", {0.3, 1.0, 0.5, 1.0, 0.1});
  const FittedModel other = sparse_model("SE(a) + LIN(b)", {0.3, 1.0, 0.5, 1.0, 0.1});
  for (const Ensemble& model : {Ensemble(one), Ensemble({one, other}, {0.0, -1.0})}) {
    save_model(model, path_, ExistingFile::replace);
    const Ensemble again = load_model(path_);
    EXPECT_EQ(again.predict(places).mean, model.predict(places).mean);
    EXPECT_EQ(again.predict(places).sd, model.predict(places).sd);
    EXPECT_EQ(again.covariance(places), model.covariance(places));
    ASSERT_EQ(again.size(), model.size());
    for (std::size_t k = 0; k < model.size(); ++k) {
      const FittedModel& kept = again.members()[k];
      EXPECT_FALSE(kept.is_exact());
      EXPECT_EQ(kept.num_rows(), 300U);
      EXPECT_EQ(kept.support_data().num_rows(), 40U);
      EXPECT_EQ(kept.log_marginal_likelihood_interval().lower,
                model.members()[k].log_marginal_likelihood_interval().lower);
      EXPECT_EQ(kept.log_marginal_likelihood_interval().upper,
                model.members()[k].log_marginal_likelihood_interval().upper);
    }
    EXPECT_THROW(again.members().front().leave_one_out_mean(), Error);
    EXPECT_THROW(model_to_text(again), Error);
    const std::string bytes = model_to_bytes(again);
    EXPECT_EQ(model_from_bytes(bytes, "bytes").predict(places).sd, model.predict(places).sd);
    EXPECT_THROW(model_from_bytes(bytes.substr(0, bytes.size() - 1), "bytes"), Error);
  }
}

TEST_F(SupportFile, IsRefusedWhereItIsMissingDamagedOrAnothers) {
  save_model(sparse_model("SE(a)", {0.3, 1.0, 0.1}), path_);
  const std::string whole = bytes();
  for (const std::size_t place : {0U, 20U, 400U, 6000U}) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    set_bytes(damaged);
    EXPECT_NE(error().find("support"), std::string::npos) << error();
  }
  set_bytes(whole.substr(0, whole.size() - 1));
  EXPECT_NE(error().find("support"), std::string::npos) << error();
  set_bytes(whole + "x");
  EXPECT_NE(error().find("support"), std::string::npos) << error();
  set_bytes(whole);
  EXPECT_EQ(error(), "");
  std::filesystem::remove(path_ + ".support");
  EXPECT_NE(error().find("m.json.support: there is no such file"), std::string::npos) << error();
}

}  // namespace
}  // namespace covary
