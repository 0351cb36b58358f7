// A line plot over time (or over another quantity, also with logarithmic axes) as an SVG image:
// axes, ticks, units and a legend, nothing to install.
#pragma once

#include <string>
#include <vector>

namespace saltus {

struct PlotLine {
  std::string label;           // "ball.position.z"
  std::string unit;            // lines of one unit and one quantity share a panel
  std::vector<double> times;   // s, not decreasing
  std::vector<double> values;  // not finite: a break in the line
  int colour = -1;             // 0, 1, … of the palette; −1: one after the other; kGuide: grey
  int dash = 0;                // 0 solid, 1 dashed, 2 dotted, 3 dash-dotted

  std::string quantity{};  // "position", …; empty: any of that unit

  static constexpr int kGuide = -2;
};

struct PlotOptions {
  std::string title;
  double width = 800;         // pixels
  double panel_height = 320;  // pixels for each panel
  std::string x_label = "time [s]";
  std::string y_label;       // instead of the unit
  bool logarithmic = false;  // both axes; what is not positive is left out
  bool markers = false;      // a dot at each point
};

/// One panel per quantity, one above the other, with a common time axis; the legend stands beside,
/// where it covers nothing. Lines with more points than pixels are drawn by the smallest and
/// largest value of each pixel column: no peak is lost.
std::string MakeSvgPlot(const std::vector<PlotLine>& lines, const PlotOptions& options);

/// Round numbers (1, 2 or 5 times a power of ten) that cover [low, high] with at most max_count
/// steps. low < high.
std::vector<double> MakeTicks(double low, double high, int max_count);
/// The same for logarithms: log10 of powers of ten (and of 2 and 5 times them if those are few)
/// that cover [low, high], which are log10 too.
std::vector<double> MakeLogTicks(double low, double high);

}  // namespace saltus
