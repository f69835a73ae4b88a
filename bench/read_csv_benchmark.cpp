// How fast a large CSV file is read, and in how much memory. A program of its own and not a Google
// Benchmark, since the peak of memory is a matter of the whole process.
//   read_csv_benchmark [ROWS] [COLUMNS]
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <covary/random.h>
#include <covary/table.h>

namespace {

constexpr int num_repetitions = 3;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_seconds(const auto& work) {
  double best = seconds_of(work);
  for (int i = 1; i < num_repetitions; ++i) best = std::min(best, seconds_of(work));
  return best;
}

double peak_memory_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// Numbers with all their digits, as programs write them.
void write_table(const std::filesystem::path& path, std::size_t num_rows, std::size_t num_columns) {
  std::ofstream file(path, std::ios::binary);
  for (std::size_t j = 0; j < num_columns; ++j) file << (j > 0 ? "," : "") << "x" << j + 1;
  file << '\n';
  covary::Random random(1);
  std::string line;
  for (std::size_t i = 0; i < num_rows; ++i) {
    line.clear();
    for (std::size_t j = 0; j < num_columns; ++j) {
      if (j > 0) line += ',';
      std::array<char, 32> text = {};
      const double number = 2000.0 * random.uniform() - 1000.0;
      line.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
    }
    line += '\n';
    file << line;
  }
}

std::size_t read_bytes(const std::filesystem::path& path) {
  std::vector<char> buffer(std::size_t{256} << 10U);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t total = 0;
  ssize_t count = 0;
  while ((count = read(descriptor, buffer.data(), buffer.size())) > 0) {
    total += static_cast<std::size_t>(count);
  }
  close(descriptor);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t num_rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::size_t num_columns = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10;
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     fmt::format("covary_read_csv_benchmark_{}.csv", getpid());
  write_table(path, num_rows, num_columns);

  std::size_t num_bytes = 0;
  const double raw_seconds = best_seconds([&] { num_bytes = read_bytes(path); });
  const double memory_before = peak_memory_bytes();
  double sum = 0.0;
  const double seconds = best_seconds([&] {
    const covary::Table table = covary::read_csv(path.string());
    for (const covary::Column& column : table.columns) sum += column.values.back();
  });
  const double memory = peak_memory_bytes() - memory_before;
  std::filesystem::remove(path);

  const double megabytes = static_cast<double>(num_bytes) / 1e6;
  const double values_bytes = 8.0 * static_cast<double>(num_rows * num_columns);
  fmt::print("read_csv of {} rows x {} columns, {:.1f} MB (best of {}):\n", num_rows, num_columns,
             megabytes, num_repetitions);
  fmt::print("  {:.3f} s, {:.0f} MB/s\n", seconds, megabytes / seconds);
  fmt::print("  {:.1f} times as long as read(2) of the same bytes ({:.3f} s)\n",
             seconds / raw_seconds, raw_seconds);
  fmt::print("  peak memory grew by {:.2f} times the numbers (8 bytes each)\n",
             memory / values_bytes);
  return std::isfinite(sum) ? EXIT_SUCCESS : EXIT_FAILURE;
}
