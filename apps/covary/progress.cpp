#include "progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <covary/screening.h>

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

// What evaluating a kernel takes grows like this with its parameters, the noise included: measured
// over 31 to 209 rows, one to seven inputs (docs/search_quality.md).
double work_of(const Expression& kernel) {
  constexpr double power = 0.72;
  return std::pow(static_cast<double>(kernel.num_parameters() + 1), power);
}

}  // namespace

Progress::Progress(InputNames inputs, std::size_t num_rows, const SearchOptions& options)
    : inputs_(std::move(inputs)),
      num_rows_(num_rows),
      has_open_end_(has_open_end(options)),
      time_limit_(options.time_limit),
      is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_terminal_ && has_line_) std::fputs("\r\x1b[K", stderr);
}

void Progress::screened(const Dataset& kept) {
  inputs_ = inputs_of(kept);
  print_note(screening_note(kept));
}

void Progress::starting(std::size_t num_planned, std::size_t num_done) {
  num_evaluations_ = num_planned;
  start_ = begin_ = now();
  std::string line = fmt::format("{}{} evaluations to do", has_open_end_ ? "at most " : "",
                                 num_planned - num_done);
  if (num_done > 0) line += fmt::format(", {} done before", num_done);
  show(line);
}

void Progress::begin_rung(std::size_t num_planned) {
  num_evaluations_ = num_planned;
  num_recorded_ = num_new_ = 0;
  new_work_ = 0.0;
  begin_ = now();
}

void Progress::refining(const WorkEstimate& estimate, std::size_t num_kernels,
                        std::size_t num_steps) {
  begin_rung(num_kernels);
  seconds_of_steps_ = estimate.seconds;
  show(fmt::format("fitting the best {}to all {} rows: at most {} {}, about {}{}, {:.1f} GB",
                   num_kernels == 1 ? "" : fmt::format("{} kernels ", num_kernels),
                   estimate.num_rows, num_steps, num_steps == 1 ? "step" : "steps",
                   duration(estimate.seconds), num_kernels == 1 ? "" : " each",
                   estimate.bytes / 1e9));
  if (is_terminal_) std::fputs("\n", stderr);  // so that it stays
}

void Progress::stepping(std::size_t num_done, std::size_t num_at_most) {
  if (num_done == 0) begin_ = now();
  // The gradient at the start and what judges the end count as one more.
  const auto num_left = static_cast<double>(num_at_most - num_done + 1);
  const double step = num_done == 0 ? seconds_of_steps_ / static_cast<double>(num_at_most + 1)
                                    : (now() - begin_) / static_cast<double>(num_done);
  show(fmt::format("{} of at most {} {} on all rows, at most {} left", num_done, num_at_most,
                   num_at_most == 1 ? "step" : "steps", duration(step * num_left)));
}

void Progress::climbing(std::size_t num_rows, std::size_t num_planned) {
  begin_rung(num_planned);
  show(fmt::format("comparing the best on {} rows, {}{} evaluations", num_rows,
                   has_open_end_ ? "at most " : "", num_planned));
  if (is_terminal_) std::fputs("\n", stderr);  // so that it stays
}

void Progress::evaluated(const SearchRecord& record) { are_new_.insert(record.index); }

void Progress::recorded(const SearchRecord& record, const SearchRecord* best) {
  ++num_recorded_;
  const bool is_new = are_new_.contains(record.index);
  num_new_ += is_new ? 1U : 0U;
  new_work_ += is_new ? work_of(record.kernel) : 0.0;
  largest_work_ = std::max(largest_work_, work_of(record.kernel));
  // Evaluations found on disk take no time, and say nothing about the time that is left.
  if (num_new_ == 0) begin_ = now();
  if (!is_new && !is_terminal_) return;  // they were told of when they were done
  std::string line = fmt::format("{}/{}", num_recorded_, num_evaluations_);
  if (num_new_ > 0) line += ", " + time_left();
  if (!is_terminal_) {
    line += fmt::format(
        ", {} {}", to_string(record.kernel, inputs_),
        record.evidence.value
            ? fmt::format("{:.4f}", *record.evidence.value / record.evidence.num_rows(num_rows_))
            : "failed: " + record.evidence.message);
  }
  if (best != nullptr) {
    line += fmt::format(", best {:.4f} per row: {}",
                        *best->evidence.value / best->evidence.num_rows(num_rows_),
                        to_string(best->kernel, inputs_));
  }
  show(line);
}

std::string Progress::time_left() const {
  const auto num_left = static_cast<double>(num_evaluations_ - num_recorded_);
  // Where the most is asked for, all kernels to come are as large as the largest yet: the first
  // ones are small.
  const double work = has_open_end_ ? largest_work_ : new_work_ / static_cast<double>(num_new_);
  double seconds = (now() - begin_) / new_work_ * work * num_left;
  if (time_limit_ > 0.0) {
    seconds = std::min(seconds, std::max(time_limit_ - (now() - start_), 0.0));
  }
  return fmt::format("{}{} left", has_open_end_ ? "at most " : "", duration(seconds));
}

void Progress::ended(SearchEnd end, const std::optional<double>& expected_gain) {
  if (end == SearchEnd::max_evaluations && !has_open_end_) return;  // as was said at the beginning
  show(end_words(end, expected_gain));
  if (is_terminal_) std::fputs("\n", stderr);  // so that it stays
}

void Progress::finishing(std::size_t num_finalists) {
  show(num_finalists == 1 ? std::string("fitting the best kernel once more")
                          : fmt::format("fitting the best {} kernels once more", num_finalists));
}

void Progress::conditioning(const WorkEstimate& estimate) {
  show(fmt::format("conditioning on all {} rows: about {}, {:.1f} GB", estimate.num_rows,
                   duration(estimate.seconds), estimate.bytes / 1e9));
}

void Progress::show(const std::string& line) {
  const std::lock_guard lock(mutex_);
  const std::string text =
      is_terminal_ ? "\r\x1b[K" + cut(line, terminal_width() - 1) : line + "\n";
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
  has_line_ = true;
}

}  // namespace covary::app
