// A Chromium without a window that loads one page, runs expressions in it and takes pictures. It is
// driven over two pipes by the DevTools protocol (messages of JSON, each ended by a zero byte).
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace saltus {

class HeadlessBrowser {
 public:
  /// Starts the browser: the program that the environment variable CHROMIUM names, or chromium,
  /// chromium-browser or google-chrome. Throws InputError if there is none.
  /// @param width, height  of the page, pixels, in [16, 8192]
  HeadlessBrowser(int width, int height);
  ~HeadlessBrowser();
  HeadlessBrowser(const HeadlessBrowser&) = delete;
  HeadlessBrowser& operator=(const HeadlessBrowser&) = delete;

  /// Loads a local file.
  void Open(const std::string& path);
  /// The value of a JavaScript expression whose result is a text; waits if it is a promise.
  /// Throws std::runtime_error if it throws.
  std::string Evaluate(const std::string& expression);
  /// The page as a PNG image.
  std::string TakePicture();

 private:
  void Launch(const std::string& program, int width, int height);
  /// Sends a command and returns the answer to it.
  std::string Call(const std::string& method, const std::string& parameters);
  std::string ReadMessage();

  std::string profile_;  // a folder of its own, removed at the end
  pid_t process_ = -1;
  int to_browser_ = -1, from_browser_ = -1;
  int last_id_ = 0;
  std::string session_;
  std::string buffer_;
};

}  // namespace saltus
