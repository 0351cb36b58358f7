// The pictures of `saltus compare`: histories of several runs in common axes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "saltus/output/comparison.h"
#include "saltus/output/trace.h"

namespace saltus {

struct RunHistory {
  std::string text;   // for the legend: "moreau-jean h=0.001"
  std::string label;  // of the integrator
  Trace trace;
};

/// (name, SVG): channels, velocity, energy, gap and multipliers over time, those that exist.
std::vector<std::pair<std::string, std::string>> MakeHistoryPlots(
    const std::vector<RunHistory>& histories, const std::vector<KnownChannel>& known,
    const std::string& title);

/// Letters, digits, '-', '=', '.' and '_' of the label; the rest becomes '_'.
std::string MakeFileName(const std::string& label);
/// Throws OutputError if the file cannot be written.
void WriteText(const std::filesystem::path& path, const std::string& text);

}  // namespace saltus
