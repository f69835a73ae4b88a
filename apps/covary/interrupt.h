#pragma once

#include <atomic>

namespace covary::app {

// True once the user has pressed Ctrl-C or the process was asked to end; a second time ends it at
// once. Long work looks at it and stops with what is finished kept.
const std::atomic<bool>& interrupt_flag();
void catch_interrupts();

// Thrown by a command that stopped because of it; the program then ends with exit code 130.
struct Interrupted {};

}  // namespace covary::app
