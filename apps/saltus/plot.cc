// saltus plot: channels of a result over time, as an SVG image.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/result_writer.h"
#include "saltus/output/svg_plot.h"

#include "apps/saltus/commands.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus plot ball.h5 ball.position.z -o ball.svg
  saltus plot ball.h5 energy.kinetic energy.potential energy.total ball.velocity.z
  saltus plot ball.h5 ball.position contact.ball-ground.gap --from 0.2 --to 0.5
A vector ("ball.position") stands for its components. Channels of one quantity share a panel.
'saltus list channels RESULT' shows all channels.)";

struct PlotArguments {
  std::string file, output, title;
  std::vector<std::string> channels;
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
};

/// Keeps the points with from ≤ t ≤ to.
void CutTimes(double from, double to, PlotLine* line) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < line->times.size(); ++i) {
    if (line->times[i] < from || line->times[i] > to) continue;
    line->times[kept] = line->times[i];
    line->values[kept++] = line->values[i];
  }
  line->times.resize(kept);
  line->values.resize(kept);
}

void Plot(const PlotArguments& arguments) {
  const ResultReader reader(arguments.file);
  std::vector<PlotLine> lines;
  for (const std::string& name : arguments.channels) {
    for (const Channel& channel : reader.catalog().FindAll(name)) {
      PlotLine line{channel.name, channel.unit, reader.times(), reader.ReadChannel(channel)};
      line.quantity = QuantityName(channel, reader.layout());
      CutTimes(arguments.from, arguments.to, &line);
      lines.push_back(std::move(line));
    }
  }
  if (lines.front().times.empty()) {
    throw InputError("--from, --to", "no frame lies between them",
                     fmt::format("the result goes from {} s to {} s",
                                 reader.times().empty() ? 0.0 : reader.times().front(),
                                 reader.times().empty() ? 0.0 : reader.times().back()));
  }
  PlotOptions options;
  options.title = arguments.title.empty() ? reader.title() : arguments.title;
  const std::string output = arguments.output.empty()
                                 ? std::filesystem::path(arguments.file).stem().string() + ".svg"
                                 : arguments.output;
  if (!output.ends_with(".svg")) {
    throw InputError("-o", "cannot draw '" + output + "'",
                     "end it in .svg (Python's result.plot also makes .png and .pdf)");
  }
  CheckWritable(output);
  std::ofstream stream(output, std::ios::binary | std::ios::trunc);
  stream << MakeSvgPlot(lines, options);
  stream.close();
  if (!stream) throw OutputError(output + ": cannot write: " + std::strerror(errno));
  fmt::print("{}\n", output);
}

}  // namespace

void AddPlotCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<PlotArguments>();
  CLI::App* plot = app->add_subcommand("plot", "Draw channels of a result over time (SVG)");
  plot->footer(kExamples);
  plot->add_option("RESULT", arguments->file, "result (HDF5)")->required();
  plot->add_option("CHANNEL", arguments->channels, "channels by name")->required();
  plot->add_option("-o,--output", arguments->output, "image (default: RESULT.svg here)");
  plot->add_option("--from", arguments->from, "first time [s] (default: the start)");
  plot->add_option("--to", arguments->to, "last time [s] (default: the end)");
  plot->add_option("--title", arguments->title, "heading (default: the name of the scene)");
  plot->callback([arguments, exit_code] {
    Plot(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
