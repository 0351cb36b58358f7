// A small HTTP server that hands out a page and its data on the loopback interface only.
//
//   GET /                        the page
//   GET /header/i                header of result i, read again while the run goes on
//   GET /block/i/STREAM/CHUNK    a packed block
//
// A request must name this server in its Host field: a foreign page that points a name of its own
// at 127.0.0.1 reads nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "saltus/output/view_source.h"

namespace saltus {

class ViewServer {
 public:
  /// Listens at once. Throws InputError if the port is taken; 0: any free port.
  ViewServer(std::string page, std::vector<ViewSource*> sources, std::uint16_t port);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  std::string address() const;  // "http://127.0.0.1:PORT/"

  /// Answers requests, one after the other, until `stop` returns true; it is asked ten times a
  /// second.
  void Run(const std::function<bool()>& stop);

  struct Answer {
    int status = 200;
    std::string type = "application/octet-stream";
    std::string body;
  };
  /// The answer to the lines of one request.
  Answer Respond(const std::string& request);

 private:
  Answer Find(const std::string& path);
  void Serve(int connection);

  std::string page_;
  std::vector<ViewSource*> sources_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace saltus
