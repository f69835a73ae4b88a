// OpenBLAS begins threads of its own when it is loaded, before any line of ours, and each of them
// asks for 128 MB of address space until it gets it. Where a limit may refuse that the program
// would never end. So before libraries begin, a limited program is started again, without those
// threads, which we do not use, and with one arena for all of malloc.
#include <array>
#include <cstddef>
#include <cstring>

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

// The C library has not begun either: its getenv and setenv know nothing yet.
void start_without_threads(int /*argc*/, char** argv, char** environment) {
  static char no_threads[] = "OPENBLAS_NUM_THREADS=1";
  static char one_arena[] = "MALLOC_ARENA_MAX=1";
  if (!is_limited()) return;
  constexpr std::size_t most = 4096;
  static std::array<char*, most> wanted;
  std::size_t count = 0;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const bool is_chosen = std::strncmp(*entry, no_threads, sizeof(no_threads) - 2) == 0;
    if (is_chosen || count + 3 >= most) return;
    wanted[count++] = *entry;
  }
  wanted[count++] = no_threads;
  wanted[count] = one_arena;
  execve("/proc/self/exe", argv, wanted.data());  // where that cannot be, all is as it was
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const before_libraries)(int, char**, char**) = start_without_threads;

}  // namespace
