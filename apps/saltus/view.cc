// saltus view: a page that plays results, or shows scenes before any run.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/result_writer.h"
#include "saltus/output/view_page.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/view_files.h"
#include "apps/saltus/view_server.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus view ball.h5                        writes ball.html: one file, opens in every browser
  saltus view scenes/brick_wall.yaml         the scene before any run
  saltus view coarse.h5 fine.h5 -o both.html side by side, one clock
  saltus view a.h5 b.h5 --tabs               one at a time
  saltus view big.h5 --serve                 on the loopback, read as needed; also while it runs
Positions are rounded to 1e-7 of the size of the scene (--precision); the error is printed.)";

struct ViewArguments {
  std::vector<std::string> files;
  std::string output;
  bool serve = false, tabs = false;
  int port = 0;
  ViewOptions options;
};

std::string FormatSize(double bytes) {
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3)
                     : fmt::format("{:.1f} MB", bytes / 1e6);
}

void WriteFile(const ViewArguments& arguments, const ViewPage& page,
               const std::vector<ViewSource*>& sources) {
  const std::string output =
      arguments.output.empty() ? std::filesystem::path(arguments.files[0]).stem().string() + ".html"
                               : arguments.output;
  if (!output.ends_with(".html")) {
    throw InputError("-o", "cannot write the page to '" + output + "'", "end it in .html");
  }
  CheckWritable(output);
  std::ofstream stream(output, std::ios::binary | std::ios::trunc);
  WriteEmbeddedPage(page, sources, &stream);
  const auto size = static_cast<double>(stream.tellp());
  stream.close();
  if (!stream) throw OutputError(output + ": cannot write: " + std::strerror(errno));
  fmt::print("{}  {}\n", output, FormatSize(size));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    fmt::print("  {}: {} frames, positions to {:.1e} m\n", arguments.files[i],
               sources[i]->num_frames(), sources[i]->position_error());
  }
}

void Serve(const ViewPage& page, const std::vector<ViewSource*>& sources, int port) {
  ViewServer server(MakeServedPage(page, sources.size()), sources,
                    static_cast<std::uint16_t>(port));
  fmt::print("{}  (Ctrl-C ends it)\n", server.address());
  std::fflush(stdout);
  server.Run([] { return false; });  // A signal ends the program; there is nothing to save.
}

void View(const ViewArguments& arguments) {
  ViewPage page;
  page.page = ReadViewerTemplate();
  page.layout = arguments.tabs ? ViewLayout::kOneAtATime : ViewLayout::kSideBySide;
  std::vector<std::unique_ptr<ViewSource>> owned;
  std::vector<ViewSource*> sources;
  for (const std::string& file : arguments.files) {
    owned.push_back(OpenView(file, arguments.options));
    sources.push_back(owned.back().get());
  }
  if (arguments.serve) {
    Serve(page, sources, arguments.port);
  } else {
    WriteFile(arguments, page, sources);
  }
}

}  // namespace

void AddViewCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App* view = app->add_subcommand("view", "Show results or scenes in the browser");
  view->footer(kExamples);
  view->add_option("FILE", arguments->files, "results (HDF5) or scenes (YAML)")->required();
  view->add_option("-o,--output", arguments->output, "page (default: FILE.html here)");
  view->add_flag("--tabs", arguments->tabs, "show several files one at a time");
  view->add_option("--precision", arguments->options.precision,
                   "error of positions relative to the size of the scene (default 1e-7)")
      ->check(CLI::Range(1e-9, 1e-2));
  view->add_flag("--serve", arguments->serve, "serve the page on the loopback, write no file");
  view->add_option("--port", arguments->port, "with --serve (default: any free port)")
      ->check(CLI::Range(0, 65535));
  view->callback([arguments, exit_code] {
    View(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
