// saltus run: from a scene file to a result file and a printed audit.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/csv.h"
#include "saltus/output/result_lock.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/result_writer.h"
#include "saltus/scene/arrange_dump.h"
#include "saltus/scene/result_text.h"
#include "saltus/scene/scene.h"
#include "saltus/scene/solver_options.h"
#include "saltus/simulation/run_notices.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/interrupt.h"
#include "apps/saltus/problem_runs.h"
#include "apps/saltus/progress_bar.h"
#include "apps/saltus/report.h"
#include "apps/saltus/restart.h"
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
  bool quiet = false, watch = false, all = false, force = false, allow_changes = false;
};

constexpr char kExamples[] = R"(
Examples:
  saltus run scenes/bouncing_ball.yaml
  saltus run ball.yaml --step 0.001 --until 5 --set r=0.2 --set bodies.ball.mass=2 -o big.h5
  saltus run ball.yaml -o ball.csv                   time, bodies, joints and energies as a table
  saltus run --restart ball.h5 -o more.h5 --until 10  the scene is in the result
  saltus run problem:four-bar --integrator phem56 --set simulation.tolerance=1e-9
Ctrl-C ends the run cleanly at its last whole step, a second one at once; --restart continues it
bit for bit, also after a kill from the last checkpoint. The last line is
the verdict: good, or what to look at; docs/troubleshooting.md explains it. Exit codes: 0 good,
1 failed, interrupted or a limit of the audit exceeded, 2 bad input.)";

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

/// What messages call the run.
const std::string& RunName(const RunArguments& arguments) {
  return arguments.scene.empty() ? arguments.restart : arguments.scene;
}

/// SCENE.h5 in the current folder; a continued run does not replace the one it continues.
std::string ChooseOutput(const RunArguments& arguments) {
  std::string output = arguments.output;
  if (output.empty()) {
    const std::string name = RunName(arguments);
    const std::string stem =
        IsProblem(name) ? name.substr(name.find(':') + 1) : fs::path(name).stem().string();
    output = stem + (arguments.restart.empty() ? ".h5" : "_continued.h5");
  }
  std::error_code ignored;
  if (!arguments.restart.empty() && fs::equivalent(output, arguments.restart, ignored)) {
    throw InputError("--restart",
                     "the result would replace the file it continues, '" + output + "'",
                     "choose another place with -o; 'saltus join' puts the parts together");
  }
  return output;
}

struct RunInput {
  Scene scene;
  std::string problem;  // problem:NAME, or empty: the scene has the model
};

/// The scene or, to continue a run, the one in its result. A scene or settings that differ from it
/// in more than the end time, the audit and the output would be another run.
RunInput ReadRunInput(const RunArguments& arguments) {
  const std::vector<std::string> overrides = CollectOverrides(arguments);
  const auto read = [](const std::string& scene, const std::vector<std::string>& settings) {
    return IsProblem(scene) ? RunInput{ReadProblem(scene, settings), scene}
                            : RunInput{ReadAnyScene(scene, settings), ""};
  };
  if (arguments.restart.empty()) return read(arguments.scene, overrides);
  const ResultReader reader(arguments.restart);
  const ProblemRun problem = ReadProblemRun(reader.scene());
  const auto read_original = [&](const std::vector<std::string>& settings) {
    if (problem.scene.empty()) {
      const std::string name = "scene of " + arguments.restart;
      return RunInput{ReadSceneText(reader.scene(), name, settings), ""};
    }
    std::vector<std::string> all = problem.overrides;
    all.insert(all.end(), settings.begin(), settings.end());
    return read(problem.scene, all);
  };
  const RunInput original = read_original({});
  RunInput input =
      arguments.scene.empty() ? read_original(overrides) : read(arguments.scene, overrides);
  const bool same = input.problem == original.problem && IsSameRun(original.scene, input.scene);
  if (!arguments.allow_changes && !same) {
    throw InputError("--restart",
                     arguments.scene.empty()
                         ? "--set, --step or --integrator change the run that is continued"
                         : "the scene differs from that of '" + arguments.restart + "'",
                     "leave them out (the result holds its own scene), or say --allow-changes",
                     {arguments.restart});
  }
  return input;
}

std::unique_ptr<Observer> MakeWriter(const RunArguments& arguments, const Scene& scene,
                                     const std::string& output) {
  const OutputInterval interval{scene.output.every, scene.output.dt.value_or(0)};
  const std::string extension = fs::path(output).extension().string();
  if (extension == ".csv") {
    CheckReplaceable(output, arguments.force);
    return std::make_unique<CsvWriter>(output, interval);
  }
  if (extension != ".h5" && extension != ".hdf5") {
    throw InputError("-o", "cannot tell the format of '" + output + "' from its name",
                     "end it in .h5 or .csv");
  }
  ResultOptions options;
  options.interval = interval;
  options.file = {scene.model.name, MakeResultText(scene), scene.output.contacts,
                  arguments.compression, arguments.force};
  options.checkpoint_interval = arguments.checkpoint_every;
  return std::make_unique<ResultWriter>(output, options);
}

/// The verdict is the last line.
int ReportOutcome(const RunArguments& arguments, const RunOutcome& outcome, Simulation* simulation,
                  const std::string& output) {
  if (!arguments.quiet) {
    const Audit& audit = simulation->audit();
    fmt::print("{}: t = {} s, {} in {:.2f} s\n{}result: {}\n", RunName(arguments),
               simulation->state().time,
               FormatNumberOf(static_cast<std::size_t>(audit.steps), "step", "steps"),
               audit.wall_time, FormatAuditTable(ListEntries(audit), arguments.all), output);
    std::fflush(stdout);
    PrintHyperstatic(simulation->system(), simulation->state());
  }
  for (const std::string& violation : outcome.violations) {
    fmt::print(stderr, "saltus: error: audit: {}\n", violation);
  }
  const bool finished = outcome.kind == RunOutcome::Kind::kFinished;
  if (outcome.kind == RunOutcome::Kind::kFailed) {
    fmt::print(stderr, "saltus: error: {}: {}\n", RunName(arguments), outcome.message);
  } else if (!finished) {
    fmt::print(stderr, "saltus: {}; continue with: saltus run --restart {}\n", outcome.message,
               output);
  }
  if (!arguments.quiet) {
    fmt::print("verdict: {}{}\n", finished ? "" : "not finished; up to here ", outcome.verdict);
  }
  return finished && outcome.violations.empty() ? kExitGood : kExitFailed;
}

int RunScene(const RunArguments& arguments) {
  Eigen::setNbThreads(arguments.threads);
  RunInput input = ReadRunInput(arguments);
  Scene& scene = input.scene;
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
      input.problem.empty() ? MakeSimulation(scene) : MakeProblemSimulation(input.problem, scene);
  if (!arguments.quiet && arguments.restart.empty()) PrintNotices(MakeRunNotices(simulation));
  if (!arguments.restart.empty()) {
    RestoreCheckpoint(arguments.restart, &simulation);
  }
  const std::unique_ptr<Observer> writer = MakeWriter(arguments, scene, output);
  ProgressBar progress(scene.simulation.until, arguments.quiet);
  simulation.AddObserver(writer.get());
  simulation.AddObserver(&progress);
  Watcher watcher(output);
  if (arguments.watch) simulation.AddObserver(&watcher);
  CatchInterrupts();
  const RunOutcome outcome = simulation.Run(interrupt_request());
  const int code = ReportOutcome(arguments, outcome, &simulation, output);
  watcher.WaitForEnd();
  return code;
}

}  // namespace

void AddRunCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* run = app->add_subcommand("run", "Simulate a scene and write its result");
  run->footer(kExamples);
  CLI::Option* scene =
      run->add_option("SCENE", arguments->scene, "scene file (YAML), or problem:NAME");
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
                  "continue from the last checkpoint of this result, bit for bit, with the scene "
                  "that it holds")
      ->type_name("RESULT");
  run->add_flag("--allow-changes", arguments->allow_changes,
                "with --restart: go on with another scene or other settings");
  run->add_flag("--force", arguments->force, "replace an older result of the same name");
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
  run->add_flag("--all", arguments->all, "show every entry of the audit, also those that are zero");
  run->add_flag("-q,--quiet", arguments->quiet, "print only errors");
  run->callback([arguments, exit_code, scene] {
    if (arguments->restart.empty() && scene->count() == 0) throw CLI::RequiredError("SCENE");
    *exit_code = RunScene(*arguments);
  });
}

}  // namespace saltus
