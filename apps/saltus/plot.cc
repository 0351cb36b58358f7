// saltus plot: channels of a result over time, as an SVG image.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
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
Channels of one unit share a panel. 'saltus list channels RESULT' shows all channels.)";

struct PlotArguments {
  std::string file, output, title;
  std::vector<std::string> channels;
};

void Plot(const PlotArguments& arguments) {
  const ResultReader reader(arguments.file);
  std::vector<PlotLine> lines;
  for (const std::string& name : arguments.channels) {
    const Channel channel = reader.catalog().Find(name);
    lines.push_back({channel.name, channel.unit, reader.times(), reader.ReadChannel(channel)});
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
  plot->add_option("--title", arguments->title, "heading (default: the name of the scene)");
  plot->callback([arguments, exit_code] {
    Plot(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
