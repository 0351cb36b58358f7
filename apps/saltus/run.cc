// saltus run: from a scene file to a result file and a printed audit.
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/csv.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/result_writer.h"
#include "saltus/scene/arrange_dump.h"
#include "saltus/scene/result_text.h"
#include "saltus/scene/scene.h"
#include "saltus/scene/solver_options.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/interrupt.h"
#include "apps/saltus/problem_runs.h"
#include "apps/saltus/progress_bar.h"
#include "apps/saltus/report.h"
#include "apps/saltus/scene_files.h"
#include "apps/saltus/watch.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

struct RunArguments {
  std::string scene, output, restart;
  std::string integrator, step, until;  // as typed; the scene reader checks them
  std::vector<std::string> settings;
  std::string dump_problems;  // all, slow or failed
  double checkpoint_every = 30;
  int compression = 0;
  int threads = 1;
  bool quiet = false, watch = false;
};

constexpr char kExamples[] = R"(
Examples:
  saltus run scenes/bouncing_ball.yaml
  saltus run ball.yaml --step 0.001 --until 5 --set r=0.2 --set bodies.ball.mass=2 -o big.h5
  saltus run ball.yaml -o ball.csv                   time, bodies, joints and energies as a table
  saltus run ball.yaml --restart ball.h5 -o more.h5 --until 10
  saltus run problem:four-bar --integrator phem56 --set simulation.tolerance=1e-9
Ctrl-C ends the run cleanly at its last whole step, a second one at once; --restart continues it
bit for bit, also after a kill from the last checkpoint. Exit codes: 0 good, 1 failed, interrupted
or audit limits exceeded, 2 bad input.)";

std::vector<std::string> CollectOverrides(const RunArguments& arguments) {
  std::vector<std::string> overrides = arguments.settings;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) overrides.push_back(std::string("simulation.") + key + "=" + value);
  };
  add("integrator", arguments.integrator);
  add("step", arguments.step);
  add("until", arguments.until);
  return overrides;
}

/// SCENE.h5 in the current folder; a continued run does not replace the one it continues.
std::string ChooseOutput(const RunArguments& arguments) {
  std::string output = arguments.output;
  if (output.empty()) {
    const std::string scene = arguments.scene;
    const std::string stem =
        IsProblem(scene) ? scene.substr(scene.find(':') + 1) : fs::path(scene).stem().string();
    output = stem + (arguments.restart.empty() ? ".h5" : "_continued.h5");
  }
  std::error_code ignored;
  if (!arguments.restart.empty() && fs::equivalent(output, arguments.restart, ignored)) {
    throw InputError("--restart",
                     "the result would replace the file it continues, '" + output + "'",
                     "choose another place with -o");
  }
  return output;
}

/// The checkpoint must belong to this mechanism and to this step size.
void CheckFits(const Checkpoint& checkpoint, const FrameLayout& recorded, const System& system,
               double step, const std::string& file) {
  const State& state = checkpoint.state;
  const SystemTraits& traits = system.traits();
  const bool same = state.q.size() == traits.num_coordinates &&
                    state.v.size() == traits.num_velocities &&
                    MakeFrameLayout(system).bodies == recorded.bodies;
  if (!same) {
    throw InputError("--restart", "the checkpoint belongs to another mechanism",
                     "continue with the scene that made it", {file});
  }
  // Only the last step of a run may be shorter than the others.
  const double steps = state.time / step, index = static_cast<double>(checkpoint.step_index);
  if (steps > index + 1e-6 || steps < index - 1 + 1e-6) {
    throw InputError("--restart",
                     fmt::format("the run had another step size: {} steps to t = {} s, now {} s",
                                 checkpoint.step_index, state.time, step),
                     "continue with the same step", {file});
  }
}

void RestoreFrom(const std::string& file, Simulation* simulation) {
  const ResultReader reader(file);
  const Checkpoint checkpoint = reader.ReadCheckpoint();
  const SimulationOptions& options = simulation->options();
  CheckFits(checkpoint, reader.layout(), simulation->system(), options.step, file);
  if (checkpoint.state.time > options.until * (1 + 1e-12)) {
    throw InputError("--restart",
                     fmt::format("the run to continue is at t = {} s, beyond its end at {} s",
                                 checkpoint.state.time, options.until),
                     "choose a later --until", {file});
  }
  simulation->Restore(checkpoint);
}

std::unique_ptr<Observer> MakeWriter(const RunArguments& arguments, const Scene& scene,
                                     const std::string& output) {
  const OutputInterval interval{scene.output.every, scene.output.dt.value_or(0)};
  const std::string extension = fs::path(output).extension().string();
  if (extension == ".csv") return std::make_unique<CsvWriter>(output, interval);
  if (extension != ".h5" && extension != ".hdf5") {
    throw InputError("-o", "cannot tell the format of '" + output + "' from its name",
                     "end it in .h5 or .csv");
  }
  ResultOptions options;
  options.interval = interval;
  options.file = {scene.model.name, MakeResultText(scene), scene.output.contacts,
                  arguments.compression};
  options.checkpoint_interval = arguments.checkpoint_every;
  return std::make_unique<ResultWriter>(output, options);
}

int ReportOutcome(const RunArguments& arguments, const RunOutcome& outcome,
                  const Simulation& simulation, const std::string& output) {
  if (!arguments.quiet) {
    const Audit& audit = simulation.audit();
    fmt::print("{}: t = {} s, {} in {:.2f} s\n{}result: {}\n", arguments.scene,
               simulation.state().time,
               FormatNumberOf(static_cast<std::size_t>(audit.steps), "step", "steps"),
               audit.wall_time, FormatAuditTable(ListEntries(audit)), output);
  }
  for (const std::string& violation : outcome.violations) {
    fmt::print(stderr, "saltus: error: audit: {}\n", violation);
  }
  switch (outcome.kind) {
    case RunOutcome::Kind::kFinished:
      break;
    case RunOutcome::Kind::kFailed:
      fmt::print(stderr, "saltus: error: {}: {}\n", arguments.scene, outcome.message);
      return kExitFailed;
    case RunOutcome::Kind::kInterrupted:
      fmt::print(stderr, "saltus: {}; continue with: saltus run {} --restart {}\n", outcome.message,
                 arguments.scene, output);
      return kExitFailed;
  }
  return outcome.violations.empty() ? kExitGood : kExitFailed;
}

int RunScene(const RunArguments& arguments) {
  Eigen::setNbThreads(arguments.threads);
  const bool is_problem = IsProblem(arguments.scene);
  Scene scene = is_problem ? ReadProblem(arguments.scene, CollectOverrides(arguments))
                           : ReadAnyScene(arguments.scene, CollectOverrides(arguments));
  const std::string output = ChooseOutput(arguments);
  if (arguments.watch && fs::path(output).extension() == ".csv") {
    throw InputError("--watch", "a table cannot be watched", "write to a .h5 file");
  }
  if (!arguments.dump_problems.empty()) {
    ArrangeDump(arguments.dump_problems, fs::path(output).replace_extension().string() + "_problem",
                &scene);
  }
  if (ConicSolverOptions* options = FindSolverOptions(&scene)) {
    options->threads = arguments.threads;
    options->stop = interrupt_request();
  }
  Simulation simulation =
      is_problem ? MakeProblemSimulation(arguments.scene, scene) : MakeSimulation(scene);
  if (!arguments.quiet) PrintNotices(simulation.system().MakeNotices());
  if (!arguments.restart.empty()) {
    RestoreFrom(arguments.restart, &simulation);
  }
  const std::unique_ptr<Observer> writer = MakeWriter(arguments, scene, output);
  ProgressBar progress(scene.simulation.until, arguments.quiet);
  simulation.AddObserver(writer.get());
  simulation.AddObserver(&progress);
  Watcher watcher(output);
  if (arguments.watch) simulation.AddObserver(&watcher);
  CatchInterrupts();
  const RunOutcome outcome = simulation.Run(interrupt_request());
  const int code = ReportOutcome(arguments, outcome, simulation, output);
  watcher.WaitForEnd();
  return code;
}

}  // namespace

void AddRunCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* run = app->add_subcommand("run", "Simulate a scene and write its result");
  run->footer(kExamples);
  run->add_option("SCENE", arguments->scene, "scene file (YAML), or problem:NAME")->required();
  run->add_option("--integrator", arguments->integrator,
                  "time integrator instead of the scene's; see 'saltus list integrators'");
  run->add_option("--step", arguments->step, "step size instead of the scene's [s]");
  run->add_option("--until", arguments->until, "end time instead of the scene's [s]");
  run->add_option("--set", arguments->settings,
                  "KEY=VALUE: a parameter (r=0.2) or any value by its path "
                  "(bodies.ball.mass=2); may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  run->add_option("-o,--output", arguments->output,
                  "result: FILE.h5, or FILE.csv for a plain table (default: SCENE.h5 here)");
  run->add_option("--restart", arguments->restart,
                  "continue from the last checkpoint of this result, bit for bit");
  run->add_option("--checkpoint-every", arguments->checkpoint_every,
                  "seconds of computing between checkpoints, 0: only at the end (default 30)")
      ->check(CLI::NonNegativeNumber);
  run->add_option("--compression", arguments->compression,
                  "gzip level of the result, 0: none (default), 9: smallest")
      ->check(CLI::Range(0, 9));
  run->add_option("--threads", arguments->threads,
                  "number of threads; results do not depend on it (default 1)")
      ->check(CLI::Range(1, 4096));
  run->add_option(
         "--dump-problems", arguments->dump_problems,
         "store contact problems as FCLib files beside the result, for 'saltus solve': all, "
         "slow (not solved, or 200 iterations and more) or failed")
      ->check(CLI::IsMember({"all", "slow", "failed"}));
  run->add_flag("--watch", arguments->watch,
                "serve the motion to the browser while it is computed, and until Ctrl-C");
  run->add_flag("-q,--quiet", arguments->quiet, "print only errors");
  run->callback([arguments, exit_code] { *exit_code = RunScene(*arguments); });
}

}  // namespace saltus
