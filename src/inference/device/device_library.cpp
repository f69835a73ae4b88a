#include "inference/device/device_library.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "device/formulas.h"

namespace covary {
namespace {

constexpr const char* file_name = "libcovary_cuda.so";

// The folder of the program or shared library that this code is part of.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code error;
  const std::filesystem::path own = std::filesystem::canonical(info.dli_fname, error);
  if (!error) return own.parent_path();
  return std::filesystem::canonical("/proc/self/exe", error).parent_path();
}

std::vector<std::filesystem::path> places() {
  if (const char* given = std::getenv("COVARY_CUDA_LIBRARY"); given != nullptr && *given != '\0') {
    return {given};
  }
  const std::filesystem::path folder = own_folder();
  return {folder / file_name, folder / ".." / "lib" / "covary" / file_name,
          folder / ".." / "lib" / file_name};
}

// The library brings a hundred megabytes along, for nothing where there is no driver.
bool has_driver() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return false;
  dlclose(driver);
  return true;
}

const device::Api* loaded(const std::filesystem::path& path, std::string& why) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = fmt::format("{} cannot be loaded: {}", path.string(), dlerror());
    return nullptr;
  }
  using Entry = const device::Api* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, device::api_symbol));
  const device::Api* api = entry != nullptr ? entry() : nullptr;
  const bool fits = api != nullptr && api->version == device::api_version &&
                    std::strcmp(api->formulas, device::formula_names) == 0;
  if (fits) return api;
  why = fmt::format("{} is of another version of covary", path.string());
  return nullptr;
}

}  // namespace

std::shared_ptr<const DeviceLibrary> DeviceLibrary::load(const std::string& path,
                                                         std::string& why) {
  why = fmt::format("there is no {} beside the program", file_name);
  const std::vector<std::filesystem::path> candidates =
      path.empty() ? places() : std::vector<std::filesystem::path>{path};
  for (const std::filesystem::path& candidate : candidates) {
    std::error_code error;
    if (!std::filesystem::exists(candidate, error)) {
      if (candidates.size() == 1) why = fmt::format("there is no file {}", candidate.string());
      continue;
    }
    const bool is_found_by_itself = candidates.size() > 1;
    if (is_found_by_itself && !has_driver()) {
      why = "there is no driver of a GPU";
      return nullptr;
    }
    const device::Api* api = loaded(candidate, why);
    if (api == nullptr) return nullptr;
    why.clear();
    return std::shared_ptr<const DeviceLibrary>(new DeviceLibrary(*api));
  }
  return nullptr;
}

}  // namespace covary
