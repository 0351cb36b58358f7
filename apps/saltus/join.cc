// saltus join: the parts of a run that was continued, as one result.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/join_results.h"

#include "apps/saltus/commands.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus join ball.h5 ball_continued.h5 -o whole.h5
A frame that two parts share is taken from the earlier one, which knows its forces. Audit, verdict
and checkpoint are those of the last part: they count from the start of the run.)";

struct JoinArguments {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
};

}  // namespace

void AddJoinCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<JoinArguments>();
  CLI::App* join = app->add_subcommand("join", "Join the results of a run and its continuations");
  join->footer(kExamples);
  join->add_option("RESULT", arguments->files, "results in the order of time")->required();
  join->add_option("-o,--output", arguments->output, "result of all parts")->required();
  join->add_flag("--force", arguments->force, "replace an older result of the same name");
  join->callback([arguments, exit_code] {
    const long frames = JoinResults(arguments->files, arguments->output, arguments->force);
    fmt::print("{}: {} frames\n", arguments->output, frames);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
