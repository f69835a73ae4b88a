// OpenBLAS begins threads of its own when it is loaded, before any line of ours, and each of them
// asks for 128 MB of address space until it gets it. Where a limit may refuse that the program
// would never end. So before libraries begin, a limited program is started again, without those
// threads, which we do not use, and with one arena for all of malloc.
#include <array>
#include <cstdlib>

#include <sys/resource.h>
#include <unistd.h>

namespace {

bool is_limited() {
  for (const auto resource : std::array{RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit = {};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return true;
  }
  return false;
}

void start_without_threads(int /*argc*/, char** argv, char** /*environment*/) {
  constexpr const char* name = "OPENBLAS_NUM_THREADS";
  // NOLINTBEGIN(concurrency-mt-unsafe): there is one thread yet
  if (!is_limited() || std::getenv(name) != nullptr) return;
  setenv(name, "1", 1);
  setenv("MALLOC_ARENA_MAX", "1", 0);
  // NOLINTEND(concurrency-mt-unsafe)
  execv("/proc/self/exe", argv);  // where that cannot be, all is as it was
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = start_without_threads;

}  // namespace
