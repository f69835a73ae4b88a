#include "long_step.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "interrupt.h"
#include "terminal.h"

namespace covary::app {
namespace {

constexpr double seconds_worth_a_line = 2.0;
constexpr double gigabyte = 1e9;

}  // namespace

LongStep::LongStep(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) == 1) {}

LongStep::~LongStep() {
  if (percent_shown_ >= 0) std::fputs("\r\x1b[K", stderr);
}

std::function<void(const WorkEstimate&)> LongStep::fitting(std::size_t num_rows) const {
  if (is_quiet_) return {};
  return [num_rows](const WorkEstimate& estimate) {
    if (estimate.seconds < seconds_worth_a_line) return;
    const bool has_all = estimate.num_rows == num_rows;
    print_note(fmt::format("fitting on {}{} rows: about {}, {:.1f} GB", estimate.num_rows,
                           has_all ? "" : fmt::format(" of {}", num_rows),
                           duration(estimate.seconds), estimate.bytes / gigabyte));
  };
}

LongWork LongStep::conditioning() {
  LongWork result = work("conditioning");
  if (is_quiet_) return result;
  result.starting = [](const WorkEstimate& estimate) {
    if (estimate.seconds < seconds_worth_a_line) return;
    print_note(fmt::format("conditioning on {} rows: about {}, {:.1f} GB", estimate.num_rows,
                           duration(estimate.seconds), estimate.bytes / gigabyte));
  };
  return result;
}

LongWork LongStep::predicting() { return work("predicting"); }

LongWork LongStep::work(const std::string& name) {
  LongWork result;
  result.should_stop = [] { return interrupt_flag().load(); };
  if (!is_quiet_ && is_terminal_) {
    result.progress = [this, name](double share) { show(name, share); };
  }
  return result;
}

void LongStep::show(const std::string& name, double share) {
  const int percent = static_cast<int>(100.0 * share);
  if (percent == percent_shown_) return;
  percent_shown_ = percent;
  const std::string line = fmt::format("\r\x1b[K{}: {} %", name, percent);
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace covary::app
