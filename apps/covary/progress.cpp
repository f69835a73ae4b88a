#include "progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace covary::app {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string duration(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

std::size_t terminal_width() {
  winsize size{};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

// The first `width` characters, the last of them dots if there were more.
std::string cut(const std::string& text, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80U) continue;
    if (++characters > width) return text.substr(0, i);
  }
  return text;
}

}  // namespace

Progress::Progress(InputNames inputs, std::size_t num_rows, std::size_t num_evaluations)
    : inputs_(std::move(inputs)),
      num_rows_(static_cast<double>(num_rows)),
      num_evaluations_(num_evaluations),
      begin_(now()),
      is_terminal_(isatty(STDERR_FILENO) == 1) {
  show(fmt::format("{} evaluations to do", num_evaluations));
}

Progress::~Progress() {
  if (is_terminal_ && has_line_) std::fputs("\r\x1b[K", stderr);
}

void Progress::recorded(const SearchRecord& record, const SearchRecord* best) {
  ++num_done_;
  const double elapsed = now() - begin_;
  // Evaluations found on disk take no time, and say nothing about the time that is left.
  constexpr double instant = 0.001;
  if (elapsed < instant * static_cast<double>(num_done_)) num_resumed_ = num_done_;
  const auto num_new = static_cast<double>(num_done_ - num_resumed_);
  const auto num_left =
      static_cast<double>(num_evaluations_ - std::min(num_done_, num_evaluations_));
  std::string line = fmt::format("{}/{}", num_done_, num_evaluations_);
  if (num_new > 0.0) line += fmt::format(", {} left", duration(elapsed / num_new * num_left));
  if (!is_terminal_) {
    line += fmt::format(", {} {}", to_string(record.kernel, inputs_),
                        record.evidence.value
                            ? fmt::format("{:.4f}", *record.evidence.value / num_rows_)
                            : "failed: " + record.evidence.message);
  }
  if (best != nullptr) {
    line += fmt::format(", best {:.4f} per row: {}", *best->evidence.value / num_rows_,
                        to_string(best->kernel, inputs_));
  }
  show(line);
}

void Progress::finishing(std::size_t num_finalists) {
  show(num_finalists == 1 ? std::string("fitting the best kernel once more")
                          : fmt::format("fitting the best {} kernels once more", num_finalists));
}

void Progress::show(const std::string& line) {
  const std::string text =
      is_terminal_ ? "\r\x1b[K" + cut(line, terminal_width() - 1) : line + "\n";
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
  has_line_ = true;
}

}  // namespace covary::app
