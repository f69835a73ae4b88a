#pragma once

#include <memory>
#include <string>

#include "device/api.h"

namespace covary {

// A library that speaks for devices, loaded at run time: the program neither links nor needs it.
class DeviceLibrary {
 public:
  // Null where there is none that can be loaded and fits this program; `why` then says so in one
  // sentence. An empty path: the one of $COVARY_CUDA_LIBRARY, or one beside the program or library.
  static std::shared_ptr<const DeviceLibrary> load(const std::string& path, std::string& why);

  DeviceLibrary(const DeviceLibrary&) = delete;
  DeviceLibrary& operator=(const DeviceLibrary&) = delete;
  ~DeviceLibrary() = default;  // stays loaded: what stands behind it has threads of its own

  const device::Api& api() const { return api_; }

 private:
  explicit DeviceLibrary(const device::Api& api) : api_(api) {}

  const device::Api& api_;
};

}  // namespace covary
