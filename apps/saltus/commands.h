// The subcommands of the command line, one file each. Every Add… function describes a subcommand to
// the parser and arranges that its exit code lands in *exit_code once it has run.
#pragma once

#include <CLI/CLI.hpp>

namespace saltus {

inline constexpr int kExitGood = 0;
inline constexpr int kExitFailed = 1;    // the simulation failed its policy or its audit limits
inline constexpr int kExitBadInput = 2;  // scene, result, channel or flag that makes no sense

void AddRunCommand(CLI::App* app, int* exit_code);
void AddCheckCommand(CLI::App* app, int* exit_code);
void AddInfoCommand(CLI::App* app, int* exit_code);
void AddProbeCommand(CLI::App* app, int* exit_code);
void AddPlotCommand(CLI::App* app, int* exit_code);
void AddViewCommand(CLI::App* app, int* exit_code);
void AddRenderCommand(CLI::App* app, int* exit_code);
void AddCompareCommand(CLI::App* app, int* exit_code);
void AddListCommand(CLI::App* app, int* exit_code);
void AddEventsCommand(CLI::App* app, int* exit_code);
void AddJoinCommand(CLI::App* app, int* exit_code);
void AddSolveCommand(CLI::App* app, int* exit_code);

}  // namespace saltus
