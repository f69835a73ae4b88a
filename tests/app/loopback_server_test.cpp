// The server of the live page when the machine is short of something.
#include "loopback_server.h"

#include <chrono>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace covary::app {
namespace {

// While it lives, no file or connection can be opened.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;
  NoMoreFiles(NoMoreFiles&&) = delete;
  NoMoreFiles& operator=(NoMoreFiles&&) = delete;

 private:
  rlimit before_{};
};

class Client {
 public:
  Client() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {}
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;

  bool connect_to(std::uint16_t port) const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }

  // The first bytes that come back.
  std::string get(std::uint16_t port) const {
    const std::string request = fmt::format("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port);
    if (send(socket_, request.data(), request.size(), 0) < 0) return "";
    std::string bytes(4096, '\0');
    const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }

 private:
  int socket_;
};

TEST(LoopbackServer, WaitsWhileNoConnectionCanBeOpenedAndThenAnswers) {
  const LoopbackServer server([](const std::string&) { return Reply{.body = "here"}; });
  const Client client;
  const auto begin = std::chrono::steady_clock::now();
  {
    const NoMoreFiles limit;
    ASSERT_TRUE(client.connect_to(server.port()));
    std::this_thread::sleep_for(2 * LoopbackServer::pause_after_error);
  }
  const auto waited = std::chrono::steady_clock::now() - begin;
  const auto num_pauses = static_cast<std::size_t>(waited / LoopbackServer::pause_after_error);
  EXPECT_GE(server.num_accept_errors(), 1U);
  EXPECT_LE(server.num_accept_errors(), num_pauses + 2);
  EXPECT_NE(client.get(server.port()).find("here"), std::string::npos);
}

}  // namespace
}  // namespace covary::app
