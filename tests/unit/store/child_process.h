#pragma once

#include <csignal>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace covary {

// A process that does `work` and reports through a pipe, to be killed at any moment.
class ChildProcess {
 public:
  using Report = std::function<void(const std::string&)>;

  explicit ChildProcess(const std::function<void(const Report&)>& work) {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) std::terminate();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      const Report report = [&](const std::string& text) {
        if (write(ends[1], text.data(), text.size()) < 0) _exit(3);
      };
      try {
        work(report);
      } catch (const std::exception& error) {
        report(std::string("exception: ") + error.what());
      }
      _exit(0);  // without the destructors of the test program
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  ~ChildProcess() {
    if (pid_ > 0) kill_and_read();
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ChildProcess(ChildProcess&&) = delete;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t pid() const { return pid_; }

  // Waits for so many bytes of its report, or for its end.
  std::string read_some(std::size_t size) {
    std::string text(size, '\0');
    std::size_t done = 0;
    while (done < size) {
      const ssize_t count = read(pipe_, text.data() + done, size - done);
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return text;
  }

  // The rest of its report, after its end.
  std::string kill_and_read() {
    kill(pid_, SIGKILL);
    return wait_and_read();
  }

  std::string wait_and_read() {
    std::string text;
    for (std::string more = read_some(4096); !more.empty(); more = read_some(4096)) text += more;
    close(pipe_);
    waitpid(pid_, &status_, 0);
    pid_ = -1;
    return text;
  }

  // After its end: the signal that ended it, or 0.
  int signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  int status_ = 0;
};

}  // namespace covary
