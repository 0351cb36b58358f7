#include "apps/saltus/headless_browser.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "saltus/base/error.h"
#include "saltus/output/json_writer.h"

namespace saltus {
namespace {

constexpr int kTimeout = 120000;  // ms for one answer

std::string FindProgram() {
  if (const char* given = std::getenv("CHROMIUM")) return given;
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/usr/bin";
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find(':', begin), path.size());
      const std::string candidate = path.substr(begin, end - begin) + "/" + name;
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
      begin = end + 1;
    }
  }
  throw InputError("", "pictures need the browser Chromium, which is not there",
                   "install the package chromium, or name the program by the environment "
                   "variable CHROMIUM");
}

std::string Quote(const std::string& text) { return JsonWriter().Value(text).text(); }

/// The text after "key":" up to the next quote that is not escaped; empty if there is none.
std::string FindText(const std::string& json, const std::string& key) {
  const std::string start = "\"" + key + "\":\"";
  const std::size_t begin = json.find(start);
  if (begin == std::string::npos) return "";
  std::string text;
  for (std::size_t i = begin + start.size(); i < json.size() && json[i] != '"'; ++i) {
    if (json[i] == '\\') ++i;
    text += json[i];
  }
  return text;
}

std::string DecodeBase64(std::string_view text) {
  std::string bytes;
  unsigned word = 0;
  int bits = 0;
  for (const char c : text) {
    unsigned value = 0;
    if (c >= 'A' && c <= 'Z')
      value = static_cast<unsigned>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      value = static_cast<unsigned>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      value = static_cast<unsigned>(c - '0') + 52;
    else if (c == '+')
      value = 62;
    else if (c == '/')
      value = 63;
    else
      continue;
    word = word << 6 | value;
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(word >> (bits -= 8) & 0xff);
  }
  return bytes;
}

}  // namespace

HeadlessBrowser::HeadlessBrowser(int width, int height) {
  const std::string program = FindProgram();
  std::string pattern = (std::filesystem::temp_directory_path() / "saltus_browser_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder");
  profile_ = pattern;
  Launch(program, width, height);
  const std::string target =
      FindText(Call("Target.createTarget", R"({"url":"about:blank"})"), "targetId");
  session_ = FindText(Call("Target.attachToTarget",
                           fmt::format(R"({{"targetId":{},"flatten":true}})", Quote(target))),
                      "sessionId");
  Call("Emulation.setDeviceMetricsOverride",
       fmt::format(R"({{"width":{},"height":{},"deviceScaleFactor":1,"mobile":false}})", width,
                   height));
  Call("Page.enable", "{}");
}

HeadlessBrowser::~HeadlessBrowser() {
  close(to_browser_);  // The browser ends when its pipe is closed.
  close(from_browser_);
  for (int i = 0; i < 50 && waitpid(process_, nullptr, WNOHANG) == 0; ++i) usleep(100000);
  if (kill(process_, 0) == 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(profile_, ignored);
}

void HeadlessBrowser::Launch(const std::string& program, int width, int height) {
  int there[2], back[2];
  if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) {
    throw std::runtime_error("cannot make a pipe");
  }
  const std::vector<std::string> arguments = {program,
                                              "--headless",
                                              "--no-sandbox",
                                              "--disable-gpu",
                                              "--disable-background-networking",
                                              "--disable-component-update",
                                              "--disable-sync",
                                              "--no-first-run",
                                              "--use-gl=angle",
                                              "--use-angle=swiftshader",
                                              "--enable-unsafe-swiftshader",
                                              "--ignore-gpu-blocklist",
                                              "--hide-scrollbars",
                                              "--force-color-profile=srgb",
                                              "--remote-debugging-pipe",
                                              fmt::format("--window-size={},{}", width, height),
                                              "--user-data-dir=" + profile_};
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    // The protocol wants its pipes at 3 and 4. They may be there already, the wrong way round.
    const int in = fcntl(there[0], F_DUPFD, 10), out = fcntl(back[1], F_DUPFD, 10);
    dup2(in, 3);
    dup2(out, 4);
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(there[0]);
  close(back[1]);
  to_browser_ = there[1];
  from_browser_ = back[0];
  signal(SIGPIPE, SIG_IGN);  // A browser that ended is reported by the answer that is missing.
}

std::string HeadlessBrowser::ReadMessage() {
  for (;;) {
    const std::size_t end = buffer_.find('\0');
    if (end != std::string::npos) {
      std::string message = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd entry{from_browser_, POLLIN, 0};
    char bytes[65536];
    const ssize_t count =
        poll(&entry, 1, kTimeout) > 0 ? read(from_browser_, bytes, sizeof bytes) : 0;
    if (count <= 0) throw std::runtime_error("the browser does not answer");
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

std::string HeadlessBrowser::Call(const std::string& method, const std::string& parameters) {
  const int id = ++last_id_;
  std::string message =
      fmt::format(R"({{"id":{},"method":{},"params":{})", id, Quote(method), parameters);
  if (!session_.empty()) message += R"(,"sessionId":)" + Quote(session_);
  message += "}";
  message.push_back('\0');
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t count = write(to_browser_, message.data() + sent, message.size() - sent);
    if (count <= 0) throw std::runtime_error("the browser ended");
    sent += static_cast<std::size_t>(count);
  }
  const std::string mark = fmt::format(R"({{"id":{},)", id);
  for (;;) {
    const std::string answer = ReadMessage();
    if (!answer.starts_with(mark)) continue;  // An event, or somebody else's answer.
    if (answer.find("\"error\":{") == mark.size()) {
      throw std::runtime_error("the browser refuses " + method + ": " +
                               FindText(answer, "message"));
    }
    return answer;
  }
}

void HeadlessBrowser::Open(const std::string& path) {
  Call("Page.navigate",
       fmt::format(R"({{"url":{}}})", Quote("file://" + std::filesystem::absolute(path).string())));
}

std::string HeadlessBrowser::Evaluate(const std::string& expression) {
  const std::string answer =
      Call("Runtime.evaluate", fmt::format(R"({{"expression":{},"awaitPromise":true,)"
                                           R"("returnByValue":true}})",
                                           Quote(expression)));
  if (answer.find("\"exceptionDetails\"") != std::string::npos) {
    throw std::runtime_error("the page failed: " + FindText(answer, "description"));
  }
  return FindText(answer, "value");
}

std::string HeadlessBrowser::TakePicture() {
  return DecodeBase64(FindText(Call("Page.captureScreenshot", R"({"format":"png"})"), "data"));
}

}  // namespace saltus
