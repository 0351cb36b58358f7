// saltus render: a picture or a film of a result, by a browser without a window.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "saltus/base/error.h"
#include "saltus/output/json_writer.h"
#include "saltus/output/result_writer.h"
#include "saltus/output/view_page.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/headless_browser.h"
#include "apps/saltus/view_files.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus render wall.h5 --at 0.5 -o wall.png
  saltus render wall.h5 -o wall.mp4                      the whole run, 30 pictures a second
  saltus render wall.h5 -o wall.mp4 --speed 0.1          ten times slower
  saltus render wall.h5 --camera 30,20,1.4 -o wall.png   azimuth, elevation [°], zoom
  saltus render scenes/brick_wall.yaml -o wall.png       a scene before any run
Needs Chromium, and ffmpeg for films.)";

struct RenderArguments {
  std::vector<std::string> files;
  std::string output, camera, theme = "light", size = "1280x720";
  std::optional<double> at;
  std::vector<std::string> show;
  double speed = 1, rate = 30;
};

constexpr const char* kMarks[] = {"contacts",   "cones",  "joints", "springs",
                                  "velocities", "traces", "ground", "xray"};

std::string MakeStart(const RenderArguments& arguments) {
  JsonWriter json;
  json.BeginObject().Key("plain").Value(true).Key("theme").Value(arguments.theme);
  if (!arguments.camera.empty()) json.Key("camera").Value(arguments.camera);
  if (arguments.at) json.Key("time").Value(*arguments.at);
  if (!arguments.show.empty()) json.Key("show").Value(arguments.show);
  return json.EndObject().text();
}

/// A page in a file that goes away at the end of the scope.
class ScratchPage {
 public:
  ScratchPage(const ViewPage& page, const std::vector<ViewSource*>& sources) {
    std::string pattern = (std::filesystem::temp_directory_path() / "saltus_XXXXXX.html").string();
    const int file = mkstemps(pattern.data(), 5);
    if (file < 0)
      throw OutputError("cannot make a temporary page: " + std::string(strerror(errno)));
    close(file);
    path_ = pattern;
    std::ofstream stream(path_, std::ios::binary | std::ios::trunc);
    WriteEmbeddedPage(page, sources, &stream);
    if (!stream) throw OutputError(path_ + ": cannot write the temporary page");
  }
  ~ScratchPage() { std::remove(path_.c_str()); }
  ScratchPage(const ScratchPage&) = delete;
  ScratchPage& operator=(const ScratchPage&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::pair<int, int> ParseSize(const std::string& text) {
  int width = 0, height = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 16 ||
      height < 16 || width > 8192 || height > 8192) {
    throw InputError("--size", "'" + text + "' is no size", "for instance 1280x720");
  }
  return {width, height};
}

constexpr int kPatience = 2400;       // looks at a page that is not ready yet …
constexpr int kPatienceStep = 50000;  // … this many microseconds apart

/// Waits until the page is ready; throws what it complains about.
void WaitReady(HeadlessBrowser* browser) {
  for (int i = 0; i < kPatience; ++i) {
    const std::string state = browser->Evaluate(
        "(document.documentElement && document.documentElement.dataset.state) || ''");
    if (state == "ready") return;
    if (state == "failed") {
      throw std::runtime_error("the viewer says: " + browser->Evaluate("document.body.innerText"));
    }
    usleep(kPatienceStep);
  }
  throw std::runtime_error("the page does not get ready");
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw OutputError(path + ": cannot write: " + std::strerror(errno));
}

std::string QuoteForShell(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void WriteFilm(const RenderArguments& arguments, HeadlessBrowser* browser) {
  const double begin = std::stod(browser->Evaluate("String(window.saltus.state().begin)"));
  const double end = std::stod(browser->Evaluate("String(window.saltus.state().end)"));
  const std::string command = fmt::format(
      "ffmpeg -y -loglevel error -f image2pipe -framerate {} -c:v png -i - -c:v libx264 "
      "-pix_fmt yuv420p -movflags +faststart -vf pad='ceil(iw/2)*2:ceil(ih/2)*2' {}",
      arguments.rate, QuoteForShell(arguments.output));
  FILE* film = popen(command.c_str(), "w");
  if (film == nullptr) throw OutputError("cannot start ffmpeg");
  const long count = 1 + std::lround(std::floor((end - begin) / arguments.speed * arguments.rate));
  bool good = true;
  for (long k = 0; k < count && good; ++k) {
    const double time =
        std::min(begin + static_cast<double>(k) * arguments.speed / arguments.rate, end);
    browser->Evaluate(fmt::format("window.saltus.goTo({}).then(() => '')", time));
    const std::string picture = browser->TakePicture();
    good = std::fwrite(picture.data(), 1, picture.size(), film) == picture.size();
  }
  if (pclose(film) != 0 || !good) {
    throw OutputError(arguments.output + ": ffmpeg failed (is the package ffmpeg installed?)");
  }
  fmt::print("{}  {} pictures\n", arguments.output, count);
}

void Render(const RenderArguments& arguments) {
  const bool film = arguments.output.ends_with(".mp4");
  if (!film && !arguments.output.ends_with(".png")) {
    throw InputError("-o", "cannot render to '" + arguments.output + "'", "end it in .png or .mp4");
  }
  const auto [width, height] = ParseSize(arguments.size);
  CheckWritable(arguments.output);
  std::vector<std::unique_ptr<ViewSource>> owned;
  std::vector<ViewSource*> sources;
  for (const std::string& file : arguments.files) {
    owned.push_back(OpenView(file, {}));
    sources.push_back(owned.back().get());
  }
  ViewPage page{.page = ReadViewerTemplate(), .start = MakeStart(arguments)};
  const ScratchPage scratch(page, sources);
  HeadlessBrowser browser(width, height);
  browser.Open(scratch.path());
  WaitReady(&browser);
  if (film) return WriteFilm(arguments, &browser);
  WriteBytes(arguments.output, browser.TakePicture());
  fmt::print("{}\n", arguments.output);
}

}  // namespace

void AddRenderCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<RenderArguments>();
  CLI::App* render = app->add_subcommand("render", "Make a picture or a film of results");
  render->footer(kExamples);
  render->add_option("FILE", arguments->files, "results (HDF5) or scenes (YAML)")->required();
  render->add_option("-o,--output", arguments->output, "picture (.png) or film (.mp4)")->required();
  render->add_option("--at", arguments->at, "time of the picture, s (default: the start)");
  render->add_option("--camera", arguments->camera,
                     "iso, front, back, left, right, top, bottom, or azimuth,elevation[,zoom]");
  render->add_option("--size", arguments->size, "pixels (default 1280x720)");
  render->add_option("--theme", arguments->theme, "light or dark (default light)")
      ->check(CLI::IsMember({"light", "dark"}));
  render->add_option("--show", arguments->show, "what to draw beside the bodies")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kMarks), std::end(kMarks))));
  render->add_option("--speed", arguments->speed, "of a film (default 1: real time)")
      ->check(CLI::Range(1e-6, 1e6));
  render->add_option("--rate", arguments->rate, "pictures per second of a film (default 30)")
      ->check(CLI::Range(1.0, 120.0));
  render->callback([arguments, exit_code] {
    Render(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
