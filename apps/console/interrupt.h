#pragma once

#include <atomic>
#include <string>

namespace covary::app {

// From here on Ctrl-C, SIGTERM and SIGHUP ask the program to end: long work looks at the flag and
// stops with what is finished kept. Work that has not stopped a second later, and all of it at a
// second signal, is ended as it is: what is on disk is whole at any moment. A hang-up that whoever
// started the program ignores (nohup) stays ignored.
void catch_interrupts();

// For work that waits for others, such as whoever reads stdout: a signal ends the process at once.
void release_interrupts();

const std::atomic<bool>& interrupt_flag();
bool is_interrupted();

// 128 and the number of the signal: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
int interrupt_exit_code();

// What the user is told in that case; "interrupted" if nothing else was said.
void set_last_words(const std::string& text);
std::string last_words();

// A file that is worth nothing before it is finished, which a sudden end removes; "" for none.
void set_unfinished_file(const std::string& path);

// Thrown by a command that stopped because of it.
struct Interrupted {};

}  // namespace covary::app
