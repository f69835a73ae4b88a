#include "loopback_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#ifdef __SANITIZE_THREAD__
// It does not know fences; the mutexes beside them are what it can follow.
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#endif
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <covary/error.h>

namespace covary::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = asio::ip::tcp;
using Answer = std::function<Reply(const std::string& path)>;

constexpr std::chrono::seconds patience(30);
constexpr std::size_t most_header_bytes = 16384;

// One connection, which may ask for several things.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, const Answer& answer, std::uint16_t port)
      : stream_(std::move(socket)), answer_(answer), port_(port) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(most_header_bytes);
    parser_->body_limit(0);
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (error == http::error::end_of_stream || error == beast::error::timeout) {
                         return;
                       }
                       if (error) return self->write({400, "text/plain", "bad request\n"}, false);
                       self->respond();
                     });
  }

 private:
  using Request = http::request<http::empty_body>;

  bool is_own_name(beast::string_view host) const {
    const std::string name(host);
    return name == fmt::format("127.0.0.1:{}", port_) || name == fmt::format("localhost:{}", port_);
  }

  bool is_from_elsewhere(const Request& request) const {
    if (!is_own_name(request[http::field::host])) return true;
    const beast::string_view origin = request[http::field::origin];
    constexpr beast::string_view scheme = "http://";
    if (!origin.empty() &&
        !(origin.starts_with(scheme) && is_own_name(origin.substr(scheme.size())))) {
      return true;
    }
    const beast::string_view site = request["Sec-Fetch-Site"];
    return site == "cross-site" || site == "same-site";
  }

  void respond() {
    const Request& request = parser_->get();
    const bool is_known =
        request.method() == http::verb::get || request.method() == http::verb::head;
    Reply reply;
    if (is_from_elsewhere(request)) {
      reply = {403, "text/plain", "this page answers only to its own address\n"};
    } else if (!is_known) {
      reply = {405, "text/plain", "only GET is answered\n"};
    } else {
      const std::string target(request.target());
      reply = answer_(target.substr(0, target.find('?')));
    }
    write(std::move(reply), request.keep_alive(), request.method() == http::verb::head);
  }

  void write(Reply reply, bool keep_alive, bool is_head = false) {
    auto response = std::make_shared<http::response<http::string_body>>();
    response->result(reply.status);
    response->version(11);
    response->set(http::field::content_type, reply.type);
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("Content-Security-Policy",
                  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                  "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                  "frame-ancestors 'none'");
    response->keep_alive(keep_alive);
    const std::size_t size = reply.body.size();
    if (!is_head) response->body() = std::move(reply.body);
    response->content_length(size);
    http::async_write(
        stream_, *response,
        [self = shared_from_this(), response, keep_alive](beast::error_code error, std::size_t) {
          if (!error && keep_alive) return self->read();
          beast::error_code ignored;
          self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
        });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  const Answer& answer_;
  std::uint16_t port_;
};

}  // namespace

class LoopbackServer::Service {
 public:
  explicit Service(Answer answer)
      : answer_(std::move(answer)),
        acceptor_(context_, Tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
        port_(acceptor_.local_endpoint().port()) {
    accept();
    thread_ = std::jthread([this] { context_.run(); });
  }
  ~Service() {
    context_.stop();
    thread_.join();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  Service(Service&&) = delete;
  Service& operator=(Service&&) = delete;

  std::uint16_t port() const { return port_; }
  std::size_t num_accept_errors() const { return num_accept_errors_; }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, Tcp::socket socket) {
      if (error) return accept_later();
      std::make_shared<Connection>(std::move(socket), answer_, port_)->read();
      accept();
    });
  }

  // The connection stays in the queue, so that asking at once would fail again and again until, for
  // example, a file is closed.
  void accept_later() {
    ++num_accept_errors_;
    pause_.expires_after(pause_after_error);
    pause_.async_wait([this](beast::error_code) { accept(); });
  }

  Answer answer_;
  asio::io_context context_{1};
  Tcp::acceptor acceptor_;
  asio::steady_timer pause_{context_};
  std::uint16_t port_;
  std::atomic<std::size_t> num_accept_errors_ = 0;
  std::jthread thread_;
};

LoopbackServer::LoopbackServer(std::function<Reply(const std::string& path)> answer) {
  try {
    service_ = std::make_unique<Service>(std::move(answer));
  } catch (const boost::system::system_error& error) {
    throw Error(
        ErrorKind::cannot_write,
        fmt::format("no port of 127.0.0.1 can be opened for --watch: {}", error.code().message()));
  }
}

LoopbackServer::~LoopbackServer() = default;

std::uint16_t LoopbackServer::port() const { return service_->port(); }

std::size_t LoopbackServer::num_accept_errors() const { return service_->num_accept_errors(); }

std::string LoopbackServer::address() const { return fmt::format("http://127.0.0.1:{}/", port()); }

}  // namespace covary::app
