#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace covary::app {

struct Reply {
  unsigned status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body = {};
};

// Answers GET requests of this machine on a free port of 127.0.0.1, in a thread of its own. Pages
// of other origins get nothing: a request has to name this server as its host, which a name that
// was made to point here (DNS rebinding) does not, and must not come from another origin.
class LoopbackServer {
 public:
  // `answer` gets the path, without what follows a "?"; it is called by the server's thread, one
  // request at a time. Throws Error if no port can be had.
  explicit LoopbackServer(std::function<Reply(const std::string& path)> answer);
  ~LoopbackServer();  // ends what is under way
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  LoopbackServer(LoopbackServer&&) = delete;
  LoopbackServer& operator=(LoopbackServer&&) = delete;

  std::uint16_t port() const;
  std::string address() const;  // "http://127.0.0.1:41234/"
  // How often no connection could be opened; in between it waits for `pause_after_error`.
  std::size_t num_accept_errors() const;
  static constexpr std::chrono::milliseconds pause_after_error{200};

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

}  // namespace covary::app
