#pragma once

#include <atomic>
#include <string>

namespace covary::app {

// True once the user has pressed Ctrl-C or the process was asked to end; a second time ends it at
// once. Long work looks at it and stops with what is finished kept.
const std::atomic<bool>& interrupt_flag();
void catch_interrupts();

// From here on Ctrl-C ends the process at once: for work that does not look at the flag.
void release_interrupts();

// Thrown by a command that stopped because of it; the program then ends with exit code 130.
struct Interrupted {
  std::string run = {};  // folder of what can be gone on with by --resume, if there is one
};

}  // namespace covary::app
