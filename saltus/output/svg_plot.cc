#include "saltus/output/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace saltus {
namespace {

constexpr double kLeft = 84, kRight = 24, kTop = 44, kBottom = 52, kGap = 34;
// Colours that remain distinct for colour-blind readers (Okabe and Ito).
constexpr std::array<const char*, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000"};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Include(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  /// Gives an empty or single-valued range a width.
  void Widen() {
    if (low > high) low = 0, high = 1;
    const double least = std::max(1e-12 * std::max(std::abs(low), std::abs(high)), 1e-300);
    if (high - low > least) return;
    const double half = low == 0 ? 1.0 : 0.1 * std::abs(low);
    low -= half;
    high += half;
  }
};

constexpr std::array<const char*, 4> kDashes = {"", "7 4", "1.5 4", "7 4 1.5 4"};
constexpr double kLegendLine = 18, kSample = 24;  // pixels

struct Panel {
  std::string unit, quantity;
  std::vector<const PlotLine*> lines;
  std::vector<const char*> colours;
  double top = 0, bottom = 0;  // pixels
  Range y;
};

struct Scale {
  double from = 0, to = 1, at_from = 0, at_to = 1;
  double operator()(double x) const {
    return at_from + (x - from) / (to - from) * (at_to - at_from);
  }
};

std::string Escape(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

std::vector<Panel> MakePanels(const std::vector<PlotLine>& lines) {
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto panel = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) {
      return p.unit == lines[i].unit && p.quantity == lines[i].quantity;
    });
    if (panel == panels.end()) {
      panels.push_back({});
      panel = panels.end() - 1;
      panel->unit = lines[i].unit;
      panel->quantity = lines[i].quantity;
    }
    panel->lines.push_back(&lines[i]);
    const int colour = lines[i].colour;
    const std::size_t place = colour < 0 ? i : static_cast<std::size_t>(colour);
    panel->colours.push_back(colour == PlotLine::kGuide ? "#999999"
                                                        : kColours[place % kColours.size()]);
    for (const double value : lines[i].values) panel->y.Include(value);
  }
  return panels;
}

void AddText(std::string* svg, double x, double y, const char* style, const std::string& text) {
  *svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, Escape(text));
}

void AddRule(std::string* svg, double x1, double y1, double x2, double y2, const char* colour) {
  *svg +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                  x1, y1, x2, y2, colour);
}

// Path of one line. Points that fall into one pixel column become its first, smallest, largest and
// last value in their order.
std::string MakePath(const PlotLine& line, const Scale& x, const Scale& y) {
  std::string path;
  int drawn = 0;  // points since the last break
  const auto draw = [&](std::size_t i) {
    path +=
        fmt::format("{}{:.2f} {:.2f}", drawn > 0 ? "L" : "M", x(line.times[i]), y(line.values[i]));
    ++drawn;
  };
  const auto lift_pen = [&] {
    if (drawn == 1) path += "h0";  // a point on its own: the round cap makes it a dot
    drawn = 0;
  };
  const std::size_t count = std::min(line.times.size(), line.values.size());
  for (std::size_t i = 0; i < count;) {
    if (!std::isfinite(line.values[i]) || !std::isfinite(line.times[i])) {
      lift_pen();
      ++i;
      continue;
    }
    const double column = std::floor(x(line.times[i]));
    std::size_t end = i, smallest = i, largest = i;
    for (;
         end < count && std::isfinite(line.values[end]) && std::floor(x(line.times[end])) == column;
         ++end) {
      if (line.values[end] < line.values[smallest]) smallest = end;
      if (line.values[end] > line.values[largest]) largest = end;
    }
    std::array<std::size_t, 4> kept = {i, std::min(smallest, largest), std::max(smallest, largest),
                                       end - 1};
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (k == 0 || kept[k] != kept[k - 1]) draw(kept[k]);
    }
    i = end;
  }
  lift_pen();
  return path;
}

const char* Dash(const PlotLine& line) {
  return kDashes[static_cast<std::size_t>(std::max(line.dash, 0)) % kDashes.size()];
}

/// Space for the longest label beside the panels; a panel with a single line has it on its axis.
double CalcLegendWidth(const std::vector<Panel>& panels) {
  std::size_t longest = 0;
  for (const Panel& panel : panels) {
    if (panel.lines.size() < 2) continue;
    for (const PlotLine* line : panel.lines) longest = std::max(longest, line->label.size());
  }
  constexpr double kLetter = 6.6;  // mean width at this size, pixels
  return longest == 0 ? 0 : kSample + 20 + kLetter * static_cast<double>(longest);
}

void AddLegend(std::string* svg, const Panel& panel, double right) {
  if (panel.lines.size() < 2) return;
  double y = panel.top + 12;
  for (std::size_t i = 0; i < panel.lines.size(); ++i, y += kLegendLine) {
    *svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n",
        right + 12, y - 4, right + 12 + kSample, y - 4, panel.colours[i], Dash(*panel.lines[i]));
    AddText(svg, right + 18 + kSample, y, "", panel.lines[i]->label);
  }
}

std::string FormatTick(double tick, bool logarithmic) {
  return fmt::format("{:.6g}", logarithmic ? std::pow(10.0, tick) : tick);
}

void AddMarkers(std::string* svg, const PlotLine& line, const Scale& x, const Scale& y,
                const char* colour) {
  for (std::size_t i = 0; i < std::min(line.times.size(), line.values.size()); ++i) {
    if (!std::isfinite(line.times[i]) || !std::isfinite(line.values[i])) continue;
    *svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\"/>\n",
                        x(line.times[i]), y(line.values[i]), colour);
  }
}

void AddPanel(std::string* svg, const Panel& panel, const Scale& x, const PlotOptions& options,
              bool is_last) {
  const bool log = options.logarithmic;
  const double left = x.at_from, right = x.at_to;
  const std::vector<double> y_ticks =
      log ? MakeLogTicks(panel.y.low, panel.y.high) : MakeTicks(panel.y.low, panel.y.high, 6);
  const Scale y{y_ticks.front(), y_ticks.back(), panel.bottom, panel.top};
  for (const double tick : y_ticks) {
    AddRule(svg, left, y(tick), right, y(tick), "#e3e3e3");
    AddText(svg, left - 8, y(tick) + 4, "text-anchor=\"end\"", FormatTick(tick, log));
  }
  for (const double tick : log ? MakeLogTicks(x.from, x.to) : MakeTicks(x.from, x.to, 10)) {
    if (tick < x.from - 1e-9 * (x.to - x.from) || tick > x.to + 1e-9 * (x.to - x.from)) continue;
    AddRule(svg, x(tick), panel.top, x(tick), panel.bottom, "#e3e3e3");
    if (!is_last) continue;
    AddText(svg, x(tick), panel.bottom + 18, "text-anchor=\"middle\"", FormatTick(tick, log));
  }
  *svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#444\"/>\n",
      left, panel.top, right - left, panel.bottom - panel.top);
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    *svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke-dasharray=\"{}\"/>\n",
        MakePath(*panel.lines[i], x, y), panel.colours[i], Dash(*panel.lines[i]));
    if (options.markers && panel.lines[i]->colour != PlotLine::kGuide) {
      AddMarkers(svg, *panel.lines[i], x, y, panel.colours[i]);
    }
  }
  AddLegend(svg, panel, right);
  const std::string label =
      !options.y_label.empty()  ? options.y_label
      : panel.lines.size() == 1 ? fmt::format("{} [{}]", panel.lines[0]->label, panel.unit)
      : panel.quantity.empty()  ? fmt::format("[{}]", panel.unit)
                                : fmt::format("{} [{}]", panel.quantity, panel.unit);
  const double middle = (panel.top + panel.bottom) / 2;
  *svg += fmt::format(
      "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      middle, Escape(label));
}

}  // namespace

std::vector<double> MakeTicks(double low, double high, int max_count) {
  const double rough = (high - low) / std::max(max_count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-12)) {
      step = factor * power;
      break;
    }
  }
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  std::vector<double> ticks;
  for (double i = first; i <= last; ++i) ticks.push_back(i == 0 ? 0.0 : i * step);
  return ticks;
}

std::vector<double> MakeLogTicks(double low, double high) {
  const double first = std::floor(low + 1e-9), last = std::ceil(high - 1e-9);
  const bool fine = last - first <= 2;
  std::vector<double> ticks;
  for (double power = first; power <= last; ++power) {
    ticks.push_back(power);
    if (!fine || power == last) continue;
    ticks.push_back(power + std::log10(2.0));
    ticks.push_back(power + std::log10(5.0));
  }
  return ticks;
}

std::string MakeSvgPlot(const std::vector<PlotLine>& all_lines, const PlotOptions& options) {
  std::vector<PlotLine> lines = all_lines;
  if (options.logarithmic) {
    for (PlotLine& line : lines) {
      for (double& x : line.times) x = std::log10(x);  // not finite unless positive: left out
      for (double& y : line.values) y = std::log10(y);
    }
  }
  std::vector<Panel> panels = MakePanels(lines);
  Range time;
  for (const PlotLine& line : lines) {
    for (const double t : line.times) time.Include(t);
  }
  time.Widen();
  const Scale x{time.low, time.high, kLeft, options.width - kRight};
  double y = kTop;
  for (Panel& panel : panels) {
    panel.y.Widen();
    panel.top = y;
    panel.bottom = y + options.panel_height;
    y = panel.bottom + kGap;
  }
  const double bottom = panels.empty() ? kTop : panels.back().bottom;
  double height = bottom + kBottom;
  for (const Panel& panel : panels) {  // a long legend needs room below
    const double count = static_cast<double>(panel.lines.size());
    if (count > 1) height = std::max(height, panel.top + kLegendLine * count + 12);
  }
  const double width = options.width + CalcLegendWidth(panels);

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
      "font-size=\"12\" fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  AddText(&svg, kLeft, 26, "font-size=\"15\" font-weight=\"bold\"", options.title);
  for (const Panel& panel : panels) AddPanel(&svg, panel, x, options, &panel == &panels.back());
  AddText(&svg, (x.at_from + x.at_to) / 2, bottom + kBottom - 14, "text-anchor=\"middle\"",
          options.x_label);
  return svg + "</svg>\n";
}

}  // namespace saltus
