// saltus: run, check and look at simulations of multibody systems with contact and friction.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/output/result_file.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/import_robot.h"

namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus run scenes/bouncing_ball.yaml               run a scene; the result is bouncing_ball.h5
  saltus info bouncing_ball.h5                       what is in it, and can it be trusted
  saltus probe bouncing_ball.h5 ball.position.z --at 0.5,1
  saltus plot bouncing_ball.h5 ball.position.z energy.total -o ball.svg
  saltus view bouncing_ball.h5                       a page that plays it in the browser
  saltus compare scenes/bouncing_ball.yaml --steps 0.01,0.005,0.0025
Exit codes: 0 good, 1 the simulation failed its policy or its audit limits, 2 bad input.
'saltus COMMAND --help' tells more about each command.)";

int PrintError(const char* message, int code) {
  fmt::print(stderr, "saltus: error: {}\n", message);
  return code;
}

/// "there is no command 'rnu'; did you mean 'run'?", or nothing if the command is known.
std::string DescribeUnknownCommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == argv[1]) return "";
    names.push_back(command->get_name());
  }
  return std::string("there is no command '") + argv[1] + "'; " +
         saltus::SuggestName(argv[1], names);
}

int RunCommandLine(int argc, char** argv) {
  int exit_code = saltus::kExitGood;
  CLI::App app("Nonsmooth dynamics of multibody systems: joints, contact, friction, impacts.",
               "saltus");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.set_version_flag("--version", "saltus " + saltus::LibraryVersion());
  saltus::AddRunCommand(&app, &exit_code);
  saltus::AddCheckCommand(&app, &exit_code);
  saltus::AddInfoCommand(&app, &exit_code);
  saltus::AddProbeCommand(&app, &exit_code);
  saltus::AddPlotCommand(&app, &exit_code);
  saltus::AddViewCommand(&app, &exit_code);
  saltus::AddRenderCommand(&app, &exit_code);
  saltus::AddImportCommand(&app, &exit_code);
  saltus::AddCompareCommand(&app, &exit_code);
  saltus::AddListCommand(&app, &exit_code);
  saltus::AddEventsCommand(&app, &exit_code);
  saltus::AddJoinCommand(&app, &exit_code);
  saltus::AddSolveCommand(&app, &exit_code);
  const std::string unknown = DescribeUnknownCommand(app, argc, argv);
  if (!unknown.empty()) return PrintError(unknown.c_str(), saltus::kExitBadInput);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help and --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    PrintError(error.what(), saltus::kExitBadInput);
    fmt::print(stderr, "Run 'saltus --help' for usage.\n");
    return saltus::kExitBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a full disk: an error, no death
  try {
    return RunCommandLine(argc, argv);
  } catch (const saltus::InputError& error) {
    return PrintError(error.what(), saltus::kExitBadInput);
  } catch (const std::exception& error) {
    return PrintError(error.what(), saltus::kExitFailed);
  }
}
