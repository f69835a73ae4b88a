// Whatever the bytes of a run's file are, looking at the run ends in its contents or in a proper
// error, the same one whether it is read once or twice; and a forecast or settings that are kept in
// it as text are read or refused.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <unistd.h>

#include <covary/error.h>
#include <covary/forecast.h>

#include "fuzz/claims.h"
#include "store/run_store.h"

namespace covary {
namespace {

// In memory where the machine has such a folder; gone with the process.
class Folder {
 public:
  Folder() {
    const bool has_memory = std::filesystem::is_directory("/dev/shm");
    std::string name = (has_memory ? std::string("/dev/shm") : std::string("/tmp")) + "/runXXXXXX";
    require(::mkdtemp(name.data()) != nullptr, "there is room for a folder");
    name_ = name;
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(name_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

struct Outcome {
  std::optional<std::size_t> num_evaluations = {};
  std::string error = {};

  bool operator==(const Outcome&) const = default;
};

Outcome look_at(const std::string& folder) {
  Outcome outcome;
  try {
    RunStore store = RunStore::open_read_only(folder);
    const RunContents contents = store.contents();
    outcome.num_evaluations = contents.evaluations.size();
    for (const auto& [name, text] : contents.facts) {
      if (name == "forecast") static_cast<void>(forecast_from_text(text));
    }
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::bad_data, "a damaged run is bad data");
    require_sentence(error.what());
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace
}  // namespace covary

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const covary::Folder folder;
  static_cast<void>(covary::forecast_from_text(std::string(covary::text_of(data, size))));
  std::ofstream(folder.name() + "/run.sqlite", std::ios::binary | std::ios::trunc)
      << covary::text_of(data, size);
  covary::require(covary::look_at(folder.name()) == covary::look_at(folder.name()),
                  "a run is the same on every look");
  return 0;
}
