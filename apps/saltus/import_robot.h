// saltus import: robots of other programs as scene files.
#pragma once

#include <CLI/CLI.hpp>

namespace saltus {

void AddImportCommand(CLI::App* app, int* exit_code);

}  // namespace saltus
