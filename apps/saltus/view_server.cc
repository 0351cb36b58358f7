#include "apps/saltus/view_server.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr std::size_t kLargestRequest = 16384;
constexpr int kPollInterval = 100;     // ms
constexpr int kReceiveTimeout = 2000;  // ms: a client that says nothing is dropped

const char* StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    default:
      return "Not Found";
  }
}

std::optional<long> ParseNumber(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// The part up to the next '/', which is removed too.
std::string_view TakePart(std::string_view* path) {
  const std::size_t slash = path->find('/');
  const std::string_view part = path->substr(0, slash);
  path->remove_prefix(slash == std::string_view::npos ? path->size() : slash + 1);
  return part;
}

/// The value of a header field, or nothing.
std::string FindField(const std::string& request, const std::string& field) {
  std::size_t line = request.find("\r\n");
  while (line != std::string::npos) {
    line += 2;
    const std::size_t end = request.find("\r\n", line);
    const std::string text = request.substr(line, end - line);
    const std::size_t colon = text.find(':');
    if (colon == field.size() &&
        std::equal(field.begin(), field.end(), text.begin(),
                   [](char a, char b) { return std::tolower(a) == std::tolower(b); })) {
      const std::size_t begin = text.find_first_not_of(' ', colon + 1);
      return begin == std::string::npos ? "" : text.substr(begin);
    }
    line = end;
  }
  return "";
}

bool WaitReadable(int descriptor, int milliseconds) {
  pollfd entry{descriptor, POLLIN, 0};
  return poll(&entry, 1, milliseconds) > 0;
}

void SendAll(int connection, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;  // The reader went away.
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace

ViewServer::ViewServer(std::string page, std::vector<ViewSource*> sources, std::uint16_t port)
    : page_(std::move(page)), sources_(std::move(sources)) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  if (socket_ < 0 || bind(socket_, generic, sizeof address) != 0 || listen(socket_, 16) != 0 ||
      getsockname(socket_, generic, &length) != 0) {
    const std::string reason = std::strerror(errno);
    if (socket_ >= 0) close(socket_);
    throw InputError("--port", fmt::format("cannot listen on port {}: {}", port, reason),
                     "choose another one; 0 takes any free port");
  }
  port_ = ntohs(address.sin_port);
}

ViewServer::~ViewServer() { close(socket_); }

std::string ViewServer::address() const { return fmt::format("http://127.0.0.1:{}/", port_); }

void ViewServer::Run(const std::function<bool()>& stop) {
  while (!stop()) {
    if (!WaitReadable(socket_, kPollInterval)) continue;
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    Serve(connection);
    close(connection);
  }
}

void ViewServer::Serve(int connection) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    if (request.size() > kLargestRequest || !WaitReadable(connection, kReceiveTimeout)) return;
    const ssize_t count = recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) return;
    request.append(buffer, static_cast<std::size_t>(count));
  }
  const Answer answer = Respond(request);
  SendAll(connection,
          fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
                      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                      "Connection: close\r\n\r\n",
                      answer.status, StatusText(answer.status), answer.type, answer.body.size()) +
              answer.body);
}

ViewServer::Answer ViewServer::Respond(const std::string& request) {
  const std::string host = FindField(request, "Host");
  if (host != fmt::format("127.0.0.1:{}", port_) && host != fmt::format("localhost:{}", port_)) {
    return {403, "text/plain", "this server answers to its own address only\n"};
  }
  const std::size_t begin = request.find(' '), end = request.find(' ', begin + 1);
  if (request.compare(0, 4, "GET ") != 0 || end == std::string::npos) {
    return {400, "text/plain", "only GET is answered\n"};
  }
  try {
    return Find(request.substr(begin + 1, end - begin - 1));
  } catch (const InputError& error) {
    return {404, "text/plain", std::string(error.what()) + "\n"};
  }
}

ViewServer::Answer ViewServer::Find(const std::string& path) {
  if (path == "/") return {200, "text/html; charset=utf-8", page_};
  std::string_view rest = std::string_view(path).substr(1);
  const std::string_view what = TakePart(&rest);
  const std::optional<long> index = ParseNumber(TakePart(&rest));
  if (index && *index < static_cast<long>(sources_.size())) {
    ViewSource& source = *sources_[static_cast<std::size_t>(*index)];
    if (what == "header" && rest.empty()) {
      if (source.growing()) source.Refresh();
      return {200, "application/json", source.MakeHeader()};
    }
    const std::string stream(TakePart(&rest));
    const std::optional<long> chunk = ParseNumber(rest);
    if (what == "block" && chunk) {
      return {200, "application/octet-stream", source.MakeBlock(stream, *chunk)};
    }
  }
  return {404, "text/plain", "there is no such thing here\n"};
}

}  // namespace saltus
