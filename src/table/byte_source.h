#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace covary {

// Where the bytes of a table come from, piece by piece.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills at most `size` bytes and says how many; 0 only at the end. Throws Error(disk).
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // How many bytes there will be, or 0 when that is not known (a pipe). Only a hint.
  virtual std::uint64_t expected_size() const = 0;

 protected:
  ByteSource() = default;
  ByteSource(const ByteSource&) = default;
  ByteSource& operator=(const ByteSource&) = default;
  ByteSource(ByteSource&&) = default;
  ByteSource& operator=(ByteSource&&) = default;
};

class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text), size_(text.size()) {}
  std::size_t read(char* to, std::size_t size) override;
  std::uint64_t expected_size() const override { return size_; }

 private:
  std::string_view rest_;
  std::uint64_t size_;
};

// The path that stands for standard input, and how messages call a path.
constexpr std::string_view standard_input = "-";
std::string name_of_source(const std::string& path);

class FileSource final : public ByteSource {
 public:
  explicit FileSource(std::string path);  // throws Error(no_input)
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  FileSource(FileSource&&) = delete;
  FileSource& operator=(FileSource&&) = delete;

  std::size_t read(char* to, std::size_t size) override;
  std::uint64_t expected_size() const override { return size_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t num_read_ = 0;
};

}  // namespace covary
