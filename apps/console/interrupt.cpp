#include "interrupt.h"

#include <algorithm>
#include <array>
#include <csignal>

#include <unistd.h>

#include "terminal.h"

namespace covary::app {
namespace {

constexpr unsigned seconds_to_stop = 1;
constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> flag{false};
std::atomic<int> caught{SIGINT};

// Text that a signal handler may read: there as a whole, or not.
class HandlerText {
 public:
  void set(const std::string& text) {
    size_ = 0;
    if (text.size() >= text_.size()) return;
    std::copy(text.begin(), text.end(), text_.begin());
    text_[text.size()] = '\0';
    size_ = text.size();
  }
  const char* data() const { return text_.data(); }
  std::size_t size() const { return size_; }

 private:
  std::array<char, 16384> text_ = {};
  std::atomic<std::size_t> size_ = 0;
};

HandlerText last_line;
HandlerText unfinished_file;
std::string words = "interrupted";

extern "C" void on_alarm(int /*signal*/) {
  if (unfinished_file.size() > 0) unlink(unfinished_file.data());
  [[maybe_unused]] const ssize_t done = write(STDERR_FILENO, last_line.data(), last_line.size());
  _exit(interrupt_exit_code());
}

extern "C" void on_signal(int signal) {
  caught = signal;
  flag = true;
  for (const int one : signals) std::signal(one, SIG_DFL);  // the next is not ours to hold back
  alarm(seconds_to_stop);
}

}  // namespace

void catch_interrupts() {
  if (flag) return;
  if (last_line.size() == 0) set_last_words(words);
  std::signal(SIGALRM, on_alarm);
  for (const int one : signals) {
    const auto before = std::signal(one, on_signal);
    if (one == SIGHUP && before == SIG_IGN) std::signal(one, SIG_IGN);
  }
}

void release_interrupts() {
  for (const int one : signals) {
    const auto before = std::signal(one, SIG_DFL);
    if (one == SIGHUP && before == SIG_IGN) std::signal(one, SIG_IGN);
  }
}

const std::atomic<bool>& interrupt_flag() { return flag; }
bool is_interrupted() { return flag; }
int interrupt_exit_code() { return 128 + caught; }

void set_last_words(const std::string& text) {
  words = text;
  last_line.set(error_line(text));
}

std::string last_words() {
  alarm(0);  // whoever asks is about to say them
  return words;
}

void set_unfinished_file(const std::string& path) { unfinished_file.set(path); }

}  // namespace covary::app
