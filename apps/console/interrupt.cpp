#include "interrupt.h"

#include <csignal>

namespace covary::app {
namespace {

std::atomic<bool> flag{false};

extern "C" void on_signal(int signal) {
  flag = true;
  std::signal(signal, SIG_DFL);  // the next one is not ours to hold back
}

}  // namespace

const std::atomic<bool>& interrupt_flag() { return flag; }

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

void release_interrupts() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace covary::app
