#include "progress.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"

namespace covary::app {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

Progress::Progress(InputNames inputs, std::size_t num_rows)
    : inputs_(std::move(inputs)),
      num_rows_(static_cast<double>(num_rows)),
      is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_terminal_ && has_line_) std::fputs("\r\x1b[K", stderr);
}

void Progress::starting(std::size_t num_planned, std::size_t num_done) {
  num_evaluations_ = num_planned;
  begin_ = now();
  show(num_done == 0
           ? fmt::format("{} evaluations to do", num_planned)
           : fmt::format("{} evaluations to do, {} done before", num_planned - num_done, num_done));
}

void Progress::evaluated(const SearchRecord& record) { are_new_.insert(record.index); }

void Progress::recorded(const SearchRecord& record, const SearchRecord* best) {
  ++num_recorded_;
  const bool is_new = are_new_.contains(record.index);
  num_new_ += is_new ? 1U : 0U;
  // Evaluations found on disk take no time, and say nothing about the time that is left.
  if (num_new_ == 0) begin_ = now();
  if (!is_new && !is_terminal_) return;  // they were told of when they were done
  const auto num_left = static_cast<double>(num_evaluations_ - num_recorded_);
  std::string line = fmt::format("{}/{}", num_recorded_, num_evaluations_);
  if (num_new_ > 0) {
    line += fmt::format(", {} left",
                        duration((now() - begin_) / static_cast<double>(num_new_) * num_left));
  }
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
