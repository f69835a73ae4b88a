#include "inference/device/device_choice.h"

#include <charconv>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "inference/device/device_library.h"

namespace covary {
namespace {

// Searches of so many rows were measured to be faster on a device, with fewer it is not known
// (docs/gpu.md).
constexpr std::size_t least_device_rows = 500;

struct Opened {
  std::unique_ptr<const DeviceInference> inference;
  std::string why;  // there is none
};

Opened open_device(int index) {
  Opened opened;
  const auto library = DeviceLibrary::load({}, opened.why);
  if (library == nullptr) return opened;
  auto connection = DeviceConnection::open(library->api(), index, opened.why);
  if (connection != nullptr) {
    opened.inference = std::make_unique<DeviceInference>(std::move(connection));
  }
  return opened;
}

}  // namespace

DeviceChoice DeviceChoice::from(std::string_view text) {
  if (text == "auto") return {};
  if (text == "cpu") return cpu();
  if (text == "cuda") return {Kind::cuda, 0};
  constexpr std::string_view numbered = "cuda:";
  DeviceChoice choice = {Kind::cuda, 0};
  if (text.starts_with(numbered)) {
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + numbered.size(), end, choice.index);
    if (error == std::errc() && last == end && choice.index >= 0) return choice;
  }
  throw Error(ErrorKind::usage,
              fmt::format("must be one of auto|cpu|cuda|cuda:NUMBER, not {}", quoted(text)));
}

const DeviceInference* device_inference(int index, std::string& why) {
  static std::mutex mutex;
  // Never destroyed: at the end of a program the driver may be gone before.
  static auto& opened = *new std::map<int, Opened>;
  const std::lock_guard lock(mutex);
  auto found = opened.find(index);
  if (found == opened.end()) found = opened.emplace(index, open_device(index)).first;
  why = found->second.why;
  return found->second.inference.get();
}

const DeviceInference* chosen_device(const DeviceChoice& choice, std::size_t num_rows) {
  if (choice.kind == DeviceChoice::Kind::cpu) return nullptr;
  const bool is_demanded = choice.kind == DeviceChoice::Kind::cuda;
  if (!is_demanded && num_rows < least_device_rows) return nullptr;
  std::string why;
  const DeviceInference* device = device_inference(choice.index, why);
  if (device == nullptr) {
    if (!is_demanded) return nullptr;
    throw Error(ErrorKind::usage,
                fmt::format("there is no device to compute on: {}; make it with make cuda where "
                            "there is a GPU (docs/gpu.md), or compute on the processor with "
                            "{}",
                            why, option_text("device", "auto")));
  }
  if (is_demanded) return device;
  return device->device().has_room(num_rows) ? device : nullptr;
}

const Inference& inference_for(std::size_t num_rows, const DeviceChoice& device) {
  const DeviceInference* chosen = chosen_device(device, num_rows);
  if (chosen == nullptr) return inference_for(num_rows);
  chosen->device().check_room(num_rows);
  return *chosen;
}

std::string to_string(const DeviceChoice& choice) {
  if (choice.kind == DeviceChoice::Kind::automatic) return "auto";
  if (choice.kind == DeviceChoice::Kind::cpu) return "cpu";
  if (choice.kind != DeviceChoice::Kind::cuda) {
    return fmt::format("the enumerator {}", static_cast<int>(choice.kind));
  }
  return choice.index == 0 ? "cuda" : fmt::format("cuda:{}", choice.index);
}

std::string device_used(const DeviceChoice& choice, std::size_t num_rows) {
  const DeviceInference* device = chosen_device(choice, num_rows);
  return device != nullptr ? device->title() : no_device;
}

std::string device_sentence() {
  std::string why;
  const DeviceInference* device = device_inference(0, why);
  return device != nullptr ? fmt::format("GPU: {}.", device->title())
                           : fmt::format("No GPU is used: {}.", why);
}

}  // namespace covary
