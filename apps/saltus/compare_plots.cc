#include "apps/saltus/compare_plots.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>

#include "saltus/output/result_file.h"

namespace saltus {
namespace {

constexpr int kReferenceColour = 6;      // black
constexpr std::size_t kMaxChannels = 3;  // in one picture, times the number of integrators

bool EndsWith(const std::string& name, const std::string& ending) {
  return name.size() >= ending.size() && name.ends_with(ending);
}

/// How much a column moves; columns that stand still are not worth a line.
double CalcSpan(const Trace::Column& column) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : column.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high > low ? high - low : 0;
}

/// The names of the first history that `wanted` accepts, those that move most first.
template <typename Predicate>
std::vector<std::string> ChooseColumns(const std::vector<RunHistory>& histories,
                                       const Predicate& wanted) {
  std::vector<std::pair<double, std::string>> found;
  for (const Trace::Column& column : histories.front().trace.columns) {
    const double span = wanted(column.name) ? CalcSpan(column) : 0;
    if (span > 0) found.emplace_back(-span, column.name);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > kMaxChannels) found.resize(kMaxChannels);
  std::vector<std::string> names;
  for (const auto& [span, name] : found) names.push_back(name);
  return names;
}

std::vector<PlotLine> MakeLines(const std::vector<RunHistory>& histories,
                                const std::vector<std::string>& names) {
  std::vector<PlotLine> lines;  // an integrator keeps its colour, a channel its dashes
  std::vector<std::string> units(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (std::size_t i = 0; i < histories.size(); ++i) {
      const Trace::Column* column = histories[i].trace.Find(names[k]);
      if (column == nullptr) continue;
      units[k] = column->unit;
      PlotLine line{histories[i].text + "  " + names[k], column->unit, histories[i].trace.times,
                    column->values};
      line.colour = static_cast<int>(i);
      line.dash = static_cast<int>(
          std::count(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(k), column->unit));
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> MakeHistoryPlots(
    const std::vector<RunHistory>& histories, const std::vector<KnownChannel>& known,
    const std::string& title) {
  std::vector<std::pair<std::string, std::string>> plots;
  if (histories.empty()) return plots;
  const auto add = [&](const std::string& name, const std::string& what,
                       const std::vector<PlotLine>& lines) {
    if (lines.empty()) return;
    PlotOptions options;
    options.title = title + ": " + what;
    plots.emplace_back(name, MakeSvgPlot(lines, options));
  };

  std::vector<std::string> compared;
  for (const KnownChannel& channel : known) compared.push_back(channel.channel);
  const std::vector<std::string> shown = ChooseColumns(histories, [&](const std::string& name) {
    return std::find(compared.begin(), compared.end(), name) != compared.end();
  });
  std::vector<PlotLine> lines = MakeLines(histories, shown);
  for (const KnownChannel& channel : known) {
    if (std::find(shown.begin(), shown.end(), channel.channel) == shown.end()) continue;
    const std::vector<double>& times =
        channel.times.empty() ? histories.front().trace.times : channel.times;
    PlotLine line{"reference " + channel.channel,
                  histories.front().trace.Find(channel.channel)->unit,
                  times,
                  {}};
    line.colour = kReferenceColour;
    line.dash = 2;
    for (const double t : times) line.values.push_back(channel.value(t));
    lines.push_back(std::move(line));
  }
  add("channels", "compared channels", lines);

  const auto plot = [&](const std::string& name, const std::string& what, const auto& wanted) {
    add(name, what, MakeLines(histories, ChooseColumns(histories, wanted)));
  };
  plot("velocity", "velocities", [](const std::string& name) {
    return name.find(".velocity.") != std::string::npos ||
           name.find(".angular_velocity.") != std::string::npos;
  });
  plot("energy", "energy", [](const std::string& name) { return name == "energy.total"; });
  plot("gap", "gaps", [](const std::string& name) { return EndsWith(name, ".gap"); });
  plot("impulses", "impulses of impacts",
       [](const std::string& name) { return EndsWith(name, ".impulse.n"); });
  plot("forces", "forces of contacts and joints",
       [](const std::string& name) { return name.find(".force.") != std::string::npos; });
  return plots;
}

std::string MakeFileName(const std::string& label) {
  std::string name;
  for (const char c : label) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '=' ||
                      c == '.' || c == '_';
    name += good ? c : '_';
  }
  return name;
}

void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw OutputError(path.string() + ": cannot be written");
}

}  // namespace saltus
