// Files of any kind and size, within bounded memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <covary/error.h>
#include <covary/table.h>

#include "error_of.h"
#include "table/byte_source.h"
#include "table/csv_stream.h"

namespace covary {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

// A beginning and then one text over and over, without an end.
class EndlessSource final : public ByteSource {
 public:
  EndlessSource(std::string_view beginning, std::string_view repeated) : rest_(beginning) {
    for (int i = 0; i < 4096; ++i) repeated_ += repeated;
  }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t count = 0;
    while (count < size) {
      if (rest_.empty()) rest_ = repeated_;
      const std::size_t step = std::min(size - count, rest_.size());
      std::memcpy(to + count, rest_.data(), step);
      rest_.remove_prefix(step);
      count += step;
    }
    num_read_ += count;
    return count;
  }
  std::uint64_t expected_size() const override { return 0; }
  std::uint64_t num_read() const { return num_read_; }

 private:
  std::string repeated_;
  std::string_view rest_;
  std::uint64_t num_read_ = 0;
};

void expect_too_long(std::string_view beginning, std::string_view repeated, std::string_view line) {
  EndlessSource source(beginning, repeated);
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { read_csv_stream(source, "F", {}); }),
            "F: line " + std::string(line) +
                " is longer than 16 MiB; is a closing quote missing, or is this not a CSV file?");
  EXPECT_LE(source.num_read(), 17 * mebibyte);
}

TEST(CsvLimits, AnEndlessRecordIsGivenUp) {
  expect_too_long("", "a", "1");
  expect_too_long("a,b\n1,2\n", "1,", "3");
  expect_too_long("a,b\n1,2\n", " ", "3");
  expect_too_long("a,b\n1,2\n\n3,\"", "4\n", "4");
  expect_too_long("a,b\n1,2\n3,\"", "\"\"", "3");
}

TEST(CsvLimits, ARecordJustBelowTheBoundIsRead) {
  const std::string cell(16 * mebibyte - 4, 'a');
  EXPECT_EQ(read_csv_text("a,b\n1," + cell + "\n", "F").num_rows, 1U);
}

TEST(CsvLimits, ColumnsAreCountedUpToABound) {
  std::string header = "c1";
  std::string row = "1";
  for (int i = 2; i <= 100000; ++i) {
    header += ",c" + std::to_string(i);
    row += ",1";
  }
  EXPECT_EQ(read_csv_text(header + "\n" + row + "\n", "F").columns.size(), 100000U);
  const std::string message =
      "F: line 1 has more than 100000 columns; is this a CSV file with another separator?";
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { read_csv_text(header + ",x\n", "F"); }), message);
  EXPECT_EQ(error_of(ErrorKind::bad_data,
                     [&] { read_csv_text(row + ",1\n", "F", {.has_header = false}); }),
            message);
}

class CsvFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "covary_csv_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view text) const {
    std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(CsvFiles, AreReadFromTheDisk) {
  const Table table = read_csv(write("a.csv", "a,b\n1,2\n3,4\n"));
  EXPECT_EQ(table.num_rows, 2U);
  EXPECT_TRUE(table.source.ends_with("a.csv"));
}

TEST_F(CsvFiles, LargeOnesAreTheSameAsInMemory) {
  std::string text = "x,name,y\n";
  for (int i = 0; i < 100000; ++i) {
    text +=
        std::to_string(i) + ",\"n\n" + std::to_string(i) + "\"," + std::to_string(i % 97) + "\n";
  }
  const Table table = read_csv(write("large.csv", text));
  ASSERT_EQ(table.num_rows, 100000U);
  EXPECT_EQ(table.columns[0].values[99999], 99999.0);
  EXPECT_EQ(table.columns[2].values[99999], 99999 % 97);
  EXPECT_EQ(table.line_of(100000), 200000U);
}

TEST_F(CsvFiles, ThatAreNotThereAreNoInput) {
  const std::string path = (folder_ / "none.csv").string();
  EXPECT_EQ(error_of(ErrorKind::no_input, [&] { read_csv(path); }),
            path + ": there is no such file");
  EXPECT_EQ(error_of(ErrorKind::no_input, [&] { read_csv(folder_.string()); }),
            folder_.string() + ": this is a directory, not a file");
  EXPECT_EQ(error_of(ErrorKind::no_input, [&] { read_csv(""); }), "\"\": there is no such file");
  error_of(ErrorKind::no_input, [&] { read_csv(path + "/a.csv"); });
  write("zero.csv", "a\n1\n");
  error_of(ErrorKind::no_input, [&] { read_csv((folder_ / "zero.csv").string() + '\0'); });
}

TEST_F(CsvFiles, ThatMayNotBeReadAreNoInput) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  const std::string path = write("secret.csv", "a\n1\n");
  chmod(path.c_str(), 0);
  EXPECT_EQ(error_of(ErrorKind::no_input, [&] { read_csv(path); }),
            path + ": no permission to read this file");
}

TEST_F(CsvFiles, ThatFailWhileReadingAreDiskTrouble) {
  // The first page of a process is never mapped, so that reading it fails with EIO.
  const std::string path = "/proc/self/mem";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs Linux";
  const std::string message = error_of(ErrorKind::disk, [&] { read_csv(path); });
  EXPECT_NE(message.find("/proc/self/mem: reading failed after 0 bytes ("), std::string::npos);
}

TEST_F(CsvFiles, MayBePipes) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream pipe(path, std::ios::binary);
    pipe << "a,b\n";
    for (int i = 0; i < 50000; ++i) pipe << i << ',' << -i << '\n';
  });
  const Table table = read_csv(path);
  writer.join();
  EXPECT_EQ(table.num_rows, 50000U);
  EXPECT_EQ(table.columns[1].values.back(), -49999.0);
}

}  // namespace
}  // namespace covary
