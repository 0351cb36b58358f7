// Comparison of runs: errors against known values, observed orders, a table and log-log plots.
//
// Error of one channel x over the instants t_k of a run (its steps, or the times at which the
// reference is known), x* the reference:
//   mean   Σ |x(t_k) − x*(t_k)| / K        velocities jump at slightly different instants in two
//                                           runs, so only a mean converges for impacts        (1)
//   max    max_k |x(t_k) − x*(t_k)|                                                           (2)
//   end    |x(t_K) − x*(t_K)|                                                                 (3)
// The error of a run is that of its worst channel (SI units as they come).
// Observed order: slope of the straight line through (log h, log error) by least squares.      (4)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "saltus/output/svg_plot.h"
#include "saltus/output/trace.h"
#include "saltus/simulation/audit.h"

namespace saltus {

/// What one channel should be.
struct KnownChannel {
  std::string channel;
  std::vector<double> times;            // s; empty: at every step of the run
  std::function<double(double)> value;  // not finite: not known there
};

enum class ErrorNorm { kMean, kMax, kEnd };

/// (1)–(3); nothing if no instant of the run has a known value. Every channel must be in the trace.
std::optional<double> CalcError(const Trace& trace, const std::vector<KnownChannel>& known,
                                ErrorNorm norm);

/// (4); nothing for fewer than two different steps. Errors that are not positive are left out.
std::optional<double> FitOrder(const std::vector<double>& steps, const std::vector<double>& errors);

/// One run of the table.
struct ComparedRun {
  std::string label;    // integrator and its options
  double step = 0;      // s
  std::string failure;  // why the run ended early; empty if it did not
  double end_time = 0;
  std::optional<double> error;
  Audit audit;
};

/// Aligned text: one line per run in the given order, then the fitted order of each label.
std::string FormatComparison(const std::vector<ComparedRun>& runs);
/// The same numbers, comma separated, with a header line.
std::string FormatComparisonCsv(const std::vector<ComparedRun>& runs);
/// All columns of a trace; at most max_rows rows, evenly thinned.
std::string FormatTraceCsv(const Trace& trace, std::size_t max_rows);

enum class ErrorAxis { kStep, kCost };
/// Error over step [s] or over computing time [s], one line per label, both axes logarithmic.
std::string MakeErrorPlot(const std::vector<ComparedRun>& runs, ErrorAxis axis,
                          const std::string& title);

}  // namespace saltus
