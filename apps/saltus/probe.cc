// saltus probe: numbers of a result, at its frames or at any time in between.
#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/csv.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/sampler.h"

#include "apps/saltus/commands.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus probe ball.h5 ball.position.z                    at every frame
  saltus probe ball.h5 ball.position.z ball.velocity.z --at 0.5,1
  saltus probe ball.h5 hinge.angle hinge.force.x --csv > hinge.csv
A vector (ball.position) stands for all its components.
Channels: BODY.position.x|y|z, BODY.orientation.w|x|y|z, BODY.velocity.x, BODY.angular_velocity.x,
JOINT.angle|displacement|length, JOINT.force.x, JOINT.torque.x, contact.NAME.gap,
contact.NAME.force.n|t1|t2, contact.NAME.impulse.n|t1|t2, contact.NAME.moment.n|t1|t2,
contact.NAME.adhesion, energy.kinetic|potential|elastic|total,
ledger.NAME, step.size, time. 'saltus list channels RESULT' shows all of a result.)";

struct ProbeArguments {
  std::string file;
  std::vector<std::string> channels, times;
  bool csv = false;
};

double ParseTime(const std::string& text) {
  double t = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, t);
  if (result.ec != std::errc() || result.ptr != end) {
    throw InputError("--at", "'" + text + "' is not a number", "for instance --at 0.5,1");
  }
  return t;
}

/// "# ball.position.z [m]: cubic Hermite between frames", for each channel.
void PrintMethods(const std::vector<Channel>& channels, const std::vector<ChannelSampler>& samplers,
                  const std::vector<double>& times) {
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const bool exact =
        std::all_of(times.begin(), times.end(), [&](double t) { return samplers[i].IsFrame(t); });
    fmt::print("# {} [{}]: {}\n", channels[i].name, channels[i].unit,
               exact ? "recorded frames, not interpolated"
                     : InterpolationName(samplers[i].interpolation()));
  }
}

std::string MakeHeader(const std::vector<Channel>& channels, bool csv) {
  std::string header = csv ? "time" : fmt::format("# {:>22}", "time");
  for (const Channel& channel : channels) {
    header += csv ? "," + QuoteCsv(channel.name) : fmt::format(" {:>24}", channel.name);
  }
  return header + "\n";
}

// 17 digits in a CSV file read back exactly; the table has 16, as people and tests compare them.
void AppendRow(double time, const std::vector<double>& values, bool csv, std::string* text) {
  *text += csv ? FormatExact(time) : fmt::format("{:>24.16g}", time);
  for (const double value : values) {
    *text += csv ? "," + FormatExact(value) : fmt::format(" {:>24.16g}", value);
  }
  *text += '\n';
}

void PrintChannels(const ProbeArguments& arguments) {
  const ResultReader reader(arguments.file);
  std::vector<Channel> channels;
  for (const std::string& name : arguments.channels) {
    for (Channel& channel : reader.catalog().FindAll(name)) channels.push_back(std::move(channel));
  }
  std::string text = MakeHeader(channels, arguments.csv);
  std::vector<double> row(channels.size());

  if (arguments.times.empty()) {
    std::vector<std::vector<double>> columns;
    for (const Channel& channel : channels) columns.push_back(reader.ReadChannel(channel));
    for (std::size_t k = 0; k < reader.times().size(); ++k) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = columns[i][k];
      AppendRow(reader.times()[k], row, arguments.csv, &text);
    }
    if (!arguments.csv) {
      for (const Channel& channel : channels) {
        fmt::print("# {} [{}]: recorded frames, not interpolated\n", channel.name, channel.unit);
      }
    }
  } else {
    std::vector<double> times;
    for (const std::string& time : arguments.times) times.push_back(ParseTime(time));
    std::vector<ChannelSampler> samplers;
    for (const Channel& channel : channels) samplers.emplace_back(reader, channel);
    for (const double t : times) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = samplers[i](t);
      AppendRow(t, row, arguments.csv, &text);
    }
    if (!arguments.csv) PrintMethods(channels, samplers, times);
  }
  fmt::print("{}", text);
}

}  // namespace

void AddProbeCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<ProbeArguments>();
  CLI::App* probe = app->add_subcommand("probe", "Print channels of a result");
  probe->footer(kExamples);
  probe->add_option("RESULT", arguments->file, "result (HDF5)")->required();
  probe->add_option("CHANNEL", arguments->channels, "channels by name")->required();
  probe
      ->add_option("--at", arguments->times, "times [s], separated by commas (default: all frames)")
      ->type_name("T,T,…")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  probe->add_flag("--csv", arguments->csv,
                  "comma separated, with a header line and exact numbers; positions between frames "
                  "are interpolated by cubics, forces by steps, the rest linearly");
  probe->callback([arguments, exit_code] {
    PrintChannels(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
