// Whatever the bytes of a model's file are, loading them ends in a model that predicts, and whose
// own file gives it back, or in a proper error. The checksum, which hardly any change of a file
// survives, is made to fit in every second input, so that what stands behind it is reached.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <covary/ensemble.h>
#include <covary/error.h>
#include <covary/model_file.h>

#include "base/hash.h"
#include "fuzz/claims.h"
#include "store/bounded_json.h"

namespace covary {
namespace {

// Larger models are lawful and slow.
constexpr std::size_t most_rows = 40;
constexpr std::size_t most_leaves = 12;

std::string with_fitting_checksum(const std::string& text) {
  try {
    nlohmann::ordered_json file = parse_bounded(text);
    if (!file.is_object() || !file.contains("model")) return text;
    Fingerprint fingerprint;
    fingerprint.add(std::string_view(file["model"].dump()));
    file["checksum"] = fingerprint.digits();
    return file.dump();
  } catch (const Error&) {
    return text;
  } catch (const nlohmann::json::exception&) {  // text that is not UTF-8 cannot be written
    return text;
  }
}

void check(const Ensemble& model) {
  const Dataset& data = model.data();
  if (data.num_rows() > most_rows) return;
  for (const FittedModel& member : model.members()) {
    if (member.kernel().num_leaves() > most_leaves) return;
  }
  std::vector<std::vector<double>> places;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) places.push_back({raw_input(data, i)[0]});
  const Prediction prediction = model.predict(places);
  require(prediction.mean.size() == 1 && !std::isnan(prediction.mean[0]) &&
              !std::isnan(prediction.sd[0]),
          "a model predicts numbers");
  const std::string text = model_to_text(model);
  require(model_to_text(model_from_text(text, "again.json")) == text,
          "a model's file gives the same model back");
}

}  // namespace
}  // namespace covary

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(covary::text_of(data, size).substr(1));
  if (data[0] % 2 == 1) text = covary::with_fitting_checksum(text);
  try {
    covary::check(covary::model_from_text(text, "model.json"));
  } catch (const covary::Error& error) {
    covary::require(
        error.kind() == covary::ErrorKind::bad_data || error.kind() == covary::ErrorKind::memory,
        "a bad file is bad data");
    covary::require_sentence(error.what());
  }
  return 0;
}
