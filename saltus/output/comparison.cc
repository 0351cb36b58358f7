#include "saltus/output/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "saltus/output/csv.h"

namespace saltus {
namespace {

/// Labels in the order of their first run.
std::vector<std::string> ListLabels(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> labels;
  for (const ComparedRun& run : runs) {
    if (std::find(labels.begin(), labels.end(), run.label) == labels.end()) {
      labels.push_back(run.label);
    }
  }
  return labels;
}

double CalcEnergyChange(const Audit& audit) {
  return audit.final_energy.total() - audit.initial_energy.total();
}

double CalcIterationsPerStep(const Audit& audit) {
  if (audit.steps == 0) return 0;
  return static_cast<double>(audit.newton_iterations) / static_cast<double>(audit.steps);
}

std::string FormatShort(double value) { return fmt::format("{:.3e}", value); }

using Cells = std::array<std::string, 11>;

Cells MakeHeader() {
  return {"integrator",    "step [s]", "error",    "order", "penetration", "|g|", "|Gv|",
          "energy change", "its/step", "time [s]", ""};
}

/// `before`: the previous run of the same label, for the order between the two.
Cells MakeCells(const ComparedRun& run, const ComparedRun* before) {
  const Audit& a = run.audit;
  std::string order = "";
  if (before != nullptr && before->error && run.error && before->failure.empty() &&
      run.failure.empty()) {
    const auto between = FitOrder({before->step, run.step}, {*before->error, *run.error});
    if (between) order = fmt::format("{:.2f}", *between);
  }
  return {run.label,
          fmt::format("{:g}", run.step),
          run.error ? FormatShort(*run.error) : "-",
          order,
          FormatShort(a.max_penetration),
          FormatShort(a.max_constraint),
          FormatShort(a.max_constraint_rate),
          fmt::format("{:.6g}", CalcEnergyChange(a)),
          fmt::format("{:.2f}", CalcIterationsPerStep(a)),
          fmt::format("{:.3g}", a.wall_time),
          run.failure.empty() ? "" : "FAILED: " + run.failure};
}

}  // namespace

std::optional<double> CalcError(const Trace& trace, const std::vector<KnownChannel>& known,
                                ErrorNorm norm) {
  std::optional<double> worst;
  if (trace.times.empty()) return worst;
  for (const KnownChannel& channel : known) {
    const ChannelSampler sampler = trace.MakeSampler(channel.channel);
    const std::vector<double>& times = channel.times.empty() ? trace.times : channel.times;
    double sum = 0, largest = 0, last = 0;
    long count = 0;
    for (const double t : times) {
      // The end of a run is a multiple of the step up to rounding.
      const double slack = 1e-9 * (trace.times.back() - trace.times.front());
      if (t < trace.times.front() || t > trace.times.back() + slack) continue;
      const double difference =
          std::abs(sampler(std::min(t, trace.times.back())) - channel.value(t));
      if (!std::isfinite(difference)) continue;
      sum += difference;
      largest = std::max(largest, difference);
      last = difference;
      ++count;
    }
    if (count == 0) continue;
    const double error = norm == ErrorNorm::kMean  ? sum / static_cast<double>(count)
                         : norm == ErrorNorm::kMax ? largest
                                                   : last;
    worst = std::max(worst.value_or(0), error);
  }
  return worst;
}

std::optional<double> FitOrder(const std::vector<double>& steps,
                               const std::vector<double>& errors) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < std::min(steps.size(), errors.size()); ++i) {
    if (!(steps[i] > 0 && errors[i] > 0)) continue;
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double spread = n * sxx - sx * sx;
  if (n < 2 || !(spread > 1e-12)) return std::nullopt;
  return (n * sxy - sx * sy) / spread;
}

std::string FormatComparison(const std::vector<ComparedRun>& runs) {
  std::vector<Cells> rows = {MakeHeader()};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool follows = i > 0 && runs[i - 1].label == runs[i].label;
    rows.push_back(MakeCells(runs[i], follows ? &runs[i - 1] : nullptr));
  }
  Cells::size_type columns = rows[0].size();
  std::vector<std::size_t> width(columns, 0);
  for (const Cells& row : rows) {
    for (std::size_t c = 0; c + 1 < columns; ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string text;
  for (const Cells& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], width[0]);
    for (std::size_t c = 1; c + 1 < columns; ++c) line += fmt::format("  {:>{}}", row[c], width[c]);
    if (!row.back().empty()) line += "  " + row.back();
    text += line + "\n";
  }
  for (const std::string& label : ListLabels(runs)) {
    std::vector<double> steps, errors;
    for (const ComparedRun& run : runs) {
      if (run.label != label || !run.error || !run.failure.empty()) continue;
      steps.push_back(run.step);
      errors.push_back(*run.error);
    }
    const auto order = FitOrder(steps, errors);
    if (order)
      text += fmt::format("{}: order {:.2f} (fit, {} steps)\n", label, *order, steps.size());
  }
  return text;
}

std::string FormatComparisonCsv(const std::vector<ComparedRun>& runs) {
  std::string text =
      "integrator,step,error,max_penetration,max_constraint,max_constraint_rate,energy_change,"
      "newton_iterations_per_step,steps,rejected,wall_time,end_time,failure\n";
  for (const ComparedRun& run : runs) {
    const Audit& a = run.audit;
    text += QuoteCsv(run.label);
    for (const double value : {run.step, run.error.value_or(std::nan("")), a.max_penetration,
                               a.max_constraint, a.max_constraint_rate, CalcEnergyChange(a),
                               CalcIterationsPerStep(a), static_cast<double>(a.steps),
                               static_cast<double>(a.rejected), a.wall_time, run.end_time}) {
      text += "," + FormatExact(value);
    }
    text += "," + QuoteCsv(run.failure) + "\n";
  }
  return text;
}

std::string FormatTraceCsv(const Trace& trace, std::size_t max_rows) {
  std::string text = "time";
  for (const Trace::Column& column : trace.columns) text += "," + QuoteCsv(column.name);
  text += '\n';
  const std::size_t rows = trace.times.size();
  const std::size_t stride = std::max<std::size_t>(1, (rows + max_rows - 1) / max_rows);
  for (std::size_t k = 0; k < rows; k += stride) {
    text += FormatExact(trace.times[k]);
    for (const Trace::Column& column : trace.columns) text += "," + FormatExact(column.values[k]);
    text += '\n';
  }
  return text;
}

namespace {

/// Slopes 1 and 2, below all points.
void AddGuides(std::vector<PlotLine>* lines) {
  double low = INFINITY, high = 0, error = INFINITY;
  for (const PlotLine& line : *lines) {
    for (std::size_t i = 0; i < line.times.size(); ++i) {
      low = std::min(low, line.times[i]);
      high = std::max(high, line.times[i]);
      error = std::min(error, line.values[i]);
    }
  }
  if (!(high > low) || !std::isfinite(error)) return;
  for (const int order : {1, 2}) {
    PlotLine guide{"order " + std::to_string(order), "", {low, high}, {}};
    const double start = 0.5 * error;
    guide.values = {start, start * std::pow(high / low, order)};
    guide.colour = PlotLine::kGuide;
    guide.dash = order;
    lines->push_back(std::move(guide));
  }
}

}  // namespace

std::string MakeErrorPlot(const std::vector<ComparedRun>& runs, ErrorAxis axis,
                          const std::string& title) {
  std::vector<PlotLine> lines;
  for (const std::string& label : ListLabels(runs)) {
    std::vector<std::pair<double, double>> points;
    for (const ComparedRun& run : runs) {
      if (run.label != label || !run.error || !(*run.error > 0) || !run.failure.empty()) continue;
      points.emplace_back(axis == ErrorAxis::kStep ? run.step : run.audit.wall_time, *run.error);
    }
    std::sort(points.begin(), points.end());
    PlotLine line{label, "", {}, {}};
    for (const auto& [x, y] : points) {
      line.times.push_back(x);
      line.values.push_back(y);
    }
    lines.push_back(std::move(line));
  }
  if (axis == ErrorAxis::kStep) AddGuides(&lines);
  PlotOptions options;
  options.title = title;
  options.y_label = "error";
  options.x_label = axis == ErrorAxis::kStep ? "step [s]" : "computing time [s]";
  options.logarithmic = true;
  options.markers = true;
  return MakeSvgPlot(lines, options);
}

}  // namespace saltus
