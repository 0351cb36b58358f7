// saltus compare: one scene under several integrators and steps, judged by a reference.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/output/comparison.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/result_writer.h"
#include "saltus/output/trace.h"
#include "saltus/scene/scene.h"
#include "saltus/scene/solver_options.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/compare_plots.h"
#include "apps/saltus/interrupt.h"
#include "apps/saltus/progress_bar.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

constexpr char kExamples[] = R"(
Examples:
  saltus compare scenes/bouncing_ball.yaml --steps 0.02,0.01,0.005,0.0025
  saltus compare scenes/pendulum.yaml -i moreau-jean -i moreau-jean:theta=1 --reference finest
  saltus compare scenes/rocking_block.yaml -i moreau-jean -i schatzman-paoli -o block
  saltus compare arm.yaml --reference arm_fine.h5 --channel tip.position.x --norm end
-i takes NAME or NAME:KEY=VALUE,KEY=VALUE with keys of that integrator (saltus list integrators).
--reference exact uses the section 'reference' of the scene; FILE is a result (.h5) or a table
(.csv); finest runs the last integrator once more with half of the smallest step.
error: the mean of |x - x*| over all steps, largest of all channels. time: computing time of the
steps. -o DIR keeps summary.csv, a CSV of each run (positions, velocities, energies, gaps, contact
forces and impulses, joint forces) and SVG plots: error over step, error over computing time, and
the histories with the largest step.
Exit codes: 0 good, 1 a run failed (the others are shown), 2 bad input.)";

constexpr std::size_t kMaxCsvRows = 20000;
constexpr std::size_t kManyBodies = 100;  // above: only chosen channels are compared
constexpr std::size_t kFewBodies = 8;     // up to: all motions and joint forces are kept
constexpr int kMaxContacts = 8;

struct CompareArguments {
  std::string scene, output, reference, until, norm = "mean";
  std::vector<std::string> integrators, steps, settings, channels;
  bool quiet = false;
  int jobs = 1;
};

/// One run that is to be done.
struct Plan {
  std::string label;
  Scene scene;
};

struct Done {
  ComparedRun run;
  Trace trace;
};

// --- What to run ---------------------------------------------------------------------------------

/// "moreau-jean:theta=1,projection=false" as overrides; the label is the text itself.
std::vector<std::string> SplitChoice(const std::string& choice) {
  const std::size_t colon = choice.find(':');
  std::vector<std::string> overrides = {"simulation.integrator=" + choice.substr(0, colon)};
  if (colon == std::string::npos) return overrides;
  const std::string options = choice.substr(colon + 1);
  for (std::size_t start = 0; start <= options.size();) {
    const std::size_t end = std::min(options.find(',', start), options.size());
    const std::string option = options.substr(start, end - start);
    if (option.find('=') == std::string::npos) {
      throw InputError("-i", "'" + option + "' in '" + choice + "' is not KEY=VALUE",
                       "for instance -i moreau-jean:theta=1,projection=false");
    }
    overrides.push_back("simulation." + option);
    start = end + 1;
  }
  return overrides;
}

Plan MakePlan(const CompareArguments& arguments, const std::string& choice,
              const std::string& step) {
  std::vector<std::string> overrides = arguments.settings;
  if (!choice.empty()) {
    const std::vector<std::string> own = SplitChoice(choice);
    overrides.insert(overrides.end(), own.begin(), own.end());
  }
  if (!step.empty()) overrides.push_back("simulation.step=" + step);
  if (!arguments.until.empty()) overrides.push_back("simulation.until=" + arguments.until);
  Plan plan{choice, ReadScene(arguments.scene, overrides)};
  if (plan.label.empty()) plan.label = plan.scene.integrator.name;
  if (ConicSolverOptions* options = FindSolverOptions(&plan.scene)) {
    options->stop = interrupt_request();
  }
  plan.scene.simulation
      .limits = {};  // schemes that exceed the scene's limits are shown, not failed
  return plan;
}

/// All scenes are read before the first run, so that mistakes show at once.
std::vector<Plan> MakePlans(const CompareArguments& arguments) {
  std::vector<std::string> choices = arguments.integrators;
  if (choices.empty()) choices.emplace_back();
  std::vector<std::string> steps = arguments.steps;
  if (steps.empty()) {
    const double h = MakePlan(arguments, choices.front(), "").scene.simulation.step;
    steps = {fmt::format("{}", h), fmt::format("{}", h / 2), fmt::format("{}", h / 4)};
  }
  std::vector<Plan> plans;
  for (const std::string& choice : choices) {
    for (const std::string& step : steps) plans.push_back(MakePlan(arguments, choice, step));
    std::stable_sort(plans.end() - static_cast<std::ptrdiff_t>(steps.size()), plans.end(),
                     [](const Plan& a, const Plan& b) {
                       return a.scene.simulation.step > b.scene.simulation.step;
                     });
  }
  return plans;
}

std::vector<std::string> ChooseChannels(const CompareArguments& arguments,
                                        const FrameLayout& layout) {
  if (!arguments.channels.empty()) return arguments.channels;
  if (layout.bodies.size() > kManyBodies) {
    throw InputError(
        "--channel", fmt::format("the scene has {} bodies", layout.bodies.size()),
        "name the channels to compare, for instance --channel " + layout.bodies[0] + ".position.z");
  }
  std::vector<std::string> channels;
  for (const std::string& body : layout.bodies) {
    for (const char* axis : {"x", "y", "z"}) channels.push_back(body + ".position." + axis);
  }
  return channels;
}

/// What is recorded of each run: the compared channels, and for plots and tables all that is cheap.
TraceOptions MakeTraceOptions(const std::vector<std::string>& compared, const FrameLayout& layout) {
  TraceOptions options;
  std::vector<std::string>& list = options.channels;
  const auto add = [&list](const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const std::string& name : compared) {
    add(name);
    const std::size_t at = name.rfind(".position.");
    if (at != std::string::npos) add(name.substr(0, at) + ".velocity." + name.substr(at + 10));
  }
  for (const char* kind : {"kinetic", "potential", "elastic", "total"}) {
    add(std::string("energy.") + kind);
  }
  if (layout.bodies.size() <= kManyBodies) options.max_contacts = kMaxContacts;
  if (layout.bodies.size() > kFewBodies) return options;
  for (const std::string& body : layout.bodies) {
    for (const char* quantity : {"position", "velocity", "angular_velocity"}) {
      for (const char* axis : {"x", "y", "z"}) add(body + "." + quantity + "." + axis);
    }
  }
  for (const FrameLayout::Joint& joint : layout.joints) {
    if (!joint.coordinate.empty()) add(joint.name + "." + joint.coordinate);
    for (const char* axis : {"x", "y", "z"}) add(joint.name + ".force." + axis);
  }
  return options;
}

// --- Running -------------------------------------------------------------------------------------

Done Run(const Plan& plan, const TraceOptions& trace_options, const std::string& progress_text,
         bool quiet, bool* interrupted) {
  Simulation simulation = MakeSimulation(plan.scene);
  TraceRecorder recorder(simulation.system(), trace_options);
  ProgressBar progress(plan.scene.simulation.until, quiet, progress_text);
  simulation.AddObserver(&recorder);
  simulation.AddObserver(&progress);
  RunOutcome outcome;
  try {
    outcome = simulation.Run(interrupt_request());
  } catch (const InputError& error) {  // what this integrator cannot treat: friction, …
    outcome.kind = RunOutcome::Kind::kFailed;
    outcome.message = error.what();
    progress.OnEnd({}, outcome);
  }
  *interrupted = outcome.kind == RunOutcome::Kind::kInterrupted;
  Done done;
  done.run.label = plan.label;
  done.run.step = plan.scene.simulation.step;
  if (outcome.kind != RunOutcome::Kind::kFinished) done.run.failure = outcome.message;
  done.run.end_time = simulation.state().time;
  done.run.audit = simulation.audit();
  done.trace = recorder.trace();
  return done;
}

// --- The reference -------------------------------------------------------------------------------

std::vector<KnownChannel> MakeExact(const Scene& scene) {
  if (scene.reference.empty()) {
    throw InputError("--reference", "the scene has no section 'reference'",
                     "use --reference finest or a FILE, or add the section (docs/scene.md)");
  }
  std::vector<KnownChannel> known;
  for (const ReferenceChannel& r : scene.reference) {
    KnownChannel channel{r.channel, {}, {}};
    if (r.formula) {
      channel.value = [f = *r.formula](double t) { return f.Value(t); };
    } else {
      std::map<double, double> values(r.values.begin(), r.values.end());
      for (const auto& [t, value] : r.values) channel.times.push_back(t);
      channel.value = [values](double t) { return values.at(t); };
    }
    known.push_back(std::move(channel));
  }
  return known;
}

/// Those of the known channels that were asked for, all if none was.
std::vector<KnownChannel> SelectChannels(std::vector<KnownChannel> known,
                                         const std::vector<std::string>& wanted) {
  if (wanted.empty()) return known;
  std::vector<std::string> names;
  for (const KnownChannel& channel : known) names.push_back(channel.channel);
  std::vector<KnownChannel> selected;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw InputError("--channel " + name, "the section 'reference' of the scene does not have it",
                       SuggestName(name, names));
    }
    selected.push_back(known[static_cast<std::size_t>(found - names.begin())]);
  }
  return selected;
}

KnownChannel MakeKnown(const std::string& name, ChannelSampler sampler, double begin, double end) {
  const auto shared = std::make_shared<const ChannelSampler>(std::move(sampler));
  return {name, {}, [shared, begin, end](double t) {
            return t >= begin && t <= end ? (*shared)(t) : std::nan("");
          }};
}

std::vector<KnownChannel> MakeFromTrace(const Trace& trace, const std::vector<std::string>& names,
                                        const std::string& source) {
  std::vector<KnownChannel> known;
  for (const std::string& name : names) {
    if (trace.Find(name) == nullptr) {
      throw InputError("--reference", "has no channel '" + name + "'", "", {source});
    }
    known.push_back(
        MakeKnown(name, trace.MakeSampler(name), trace.times.front(), trace.times.back()));
  }
  return known;
}

std::vector<KnownChannel> MakeFromFile(const std::string& file,
                                       const std::vector<std::string>& names) {
  if (!LooksLikeResult(file)) return MakeFromTrace(ReadTraceCsv(file), names, file);
  const ResultReader reader(file);
  std::vector<KnownChannel> known;
  if (reader.times().empty()) throw InputError("--reference", "holds no frame", "", {file});
  for (const std::string& name : names) {
    known.push_back(MakeKnown(name, ChannelSampler(reader, reader.catalog().Find(name)),
                              reader.times().front(), reader.times().back()));
  }
  return known;
}

ErrorNorm ReadNorm(const std::string& name) {
  if (name == "mean") return ErrorNorm::kMean;
  if (name == "max") return ErrorNorm::kMax;
  if (name == "end") return ErrorNorm::kEnd;
  throw InputError("--norm", "unknown norm '" + name + "'", "choose mean, max or end");
}

// --- The command ---------------------------------------------------------------------------------

class Comparison {
 public:
  explicit Comparison(const CompareArguments& arguments)
      : arguments_(arguments), norm_(ReadNorm(arguments.norm)), plans_(MakePlans(arguments)) {}

  int Run() {
    CatchInterrupts();
    Prepare();
    RunPlans();
    fmt::print("{}: reference: {}; error: {} of |x - x*|, worst channel of {}\n{}",
               arguments_.scene, reference_text_, arguments_.norm, FormatChannels(),
               FormatComparison(runs_));
    if (!arguments_.output.empty()) WritePlots();
    const bool failed = std::any_of(runs_.begin(), runs_.end(),
                                    [](const ComparedRun& run) { return !run.failure.empty(); });
    return failed ? kExitFailed : kExitGood;
  }

 private:
  void Prepare() {
    Simulation simulation = MakeSimulation(plans_.front().scene);
    const FrameLayout layout = MakeFrameLayout(simulation.system());
    const bool has_exact = !plans_.front().scene.reference.empty();
    std::string choice = arguments_.reference;
    if (choice.empty()) choice = has_exact ? "exact" : "finest";
    if (!arguments_.output.empty()) {
      fs::create_directories(arguments_.output);
      CheckWritable((fs::path(arguments_.output) / "summary.csv").string());
    }
    reference_text_ = choice;
    if (choice == "exact") {
      known_ = SelectChannels(MakeExact(plans_.front().scene), arguments_.channels);
      for (const KnownChannel& channel : known_) names_.push_back(channel.channel);
    } else {
      names_ = ChooseChannels(arguments_, layout);
    }
    options_ = MakeTraceOptions(names_, layout);
    TraceRecorder check(simulation.system(), options_);  // unknown channels show before any run
    if (choice == "finest") {
      RunFinest();
    } else if (choice != "exact") {
      known_ = MakeFromFile(choice, names_);
    }
  }

  void RunFinest() {
    Plan plan = plans_.back();
    for (const Plan& other : plans_) {
      plan.scene.simulation.step =
          std::min(plan.scene.simulation.step, other.scene.simulation.step);
    }
    plan.scene.simulation.step /= 2;
    TraceOptions options;
    options.channels = options_.channels;
    const Done done = saltus::Run(plan, options, "reference  ", arguments_.quiet, &interrupted_);
    if (!done.run.failure.empty() && !interrupted_) {
      throw InputError("--reference finest", "the reference run failed: " + done.run.failure,
                       "choose another last integrator or another reference");
    }
    known_ = MakeFromTrace(done.trace, names_, "finest");
    reference_text_ = fmt::format("{} with step {:g} s", plan.label, plan.scene.simulation.step);
  }

  /// Runs share nothing, so that several may go on at once; computing times then compete.
  void RunPlans() {
    const std::size_t jobs =
        std::min(static_cast<std::size_t>(std::max(arguments_.jobs, 1)), plans_.size());
    std::vector<std::optional<Done>> done(plans_.size());
    std::vector<std::exception_ptr> errors(plans_.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{interrupted_};
    const auto work = [&] {
      for (std::size_t i = next++; i < plans_.size() && !stopped; i = next++) {
        const Plan& plan = plans_[i];
        const std::string text = fmt::format("{}/{} {} h={:g}  ", i + 1, plans_.size(), plan.label,
                                             plan.scene.simulation.step);
        bool interrupted = false;
        try {
          done[i] = saltus::Run(plan, options_, text, arguments_.quiet || jobs > 1, &interrupted);
        } catch (...) {
          errors[i] = std::current_exception();
          stopped = true;
        }
        if (interrupted) stopped = true;
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t k = 1; k < jobs; ++k) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    interrupted_ = stopped;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (done[i]) AddRun(plans_[i], std::move(*done[i]));
    }
  }

  void AddRun(const Plan& plan, Done done) {
    done.run.error = CalcError(done.trace, known_, norm_);
    if (!arguments_.output.empty()) {
      const std::string name =
          fmt::format("{}_h{:g}.csv", MakeFileName(plan.label), plan.scene.simulation.step);
      WriteText(fs::path(arguments_.output) / name, FormatTraceCsv(done.trace, kMaxCsvRows));
    }
    const bool first = histories_.empty() || histories_.back().label != plan.label;
    if (first) {
      histories_.push_back(
          {fmt::format("{} h={:g}", plan.label, done.run.step), plan.label, std::move(done.trace)});
    }
    runs_.push_back(std::move(done.run));
  }

  std::string FormatChannels() const {
    constexpr std::size_t kShown = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, names_.size()); ++i) {
      text += (i == 0 ? "" : ", ") + names_[i];
    }
    return names_.size() > kShown ? text + fmt::format(" and {} more", names_.size() - kShown)
                                  : text;
  }

  void WritePlots() const {
    const fs::path folder = arguments_.output;
    const std::string& title = plans_.front().scene.model.name;
    WriteText(folder / "summary.csv", FormatComparisonCsv(runs_));
    WriteText(folder / "error_step.svg",
              MakeErrorPlot(runs_, ErrorAxis::kStep, title + ": error over step"));
    WriteText(folder / "error_cost.svg",
              MakeErrorPlot(runs_, ErrorAxis::kCost, title + ": error over computing time"));
    for (const auto& [name, svg] : MakeHistoryPlots(histories_, known_, title)) {
      WriteText(folder / (name + ".svg"), svg);
    }
    if (!arguments_.quiet) fmt::print("tables and plots: {}\n", arguments_.output);
  }

  const CompareArguments& arguments_;
  ErrorNorm norm_;
  std::vector<Plan> plans_;
  std::vector<std::string> names_;  // compared channels
  TraceOptions options_;
  std::vector<KnownChannel> known_;
  std::string reference_text_;
  std::vector<ComparedRun> runs_;
  std::vector<RunHistory> histories_;  // of the largest step of each integrator
  bool interrupted_ = false;
};

}  // namespace

void AddCompareCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* compare =
      app->add_subcommand("compare", "Run a scene under several integrators and steps");
  compare->footer(kExamples);
  compare->add_option("SCENE", arguments->scene, "scene file (YAML)")->required();
  compare
      ->add_option("-i,--integrator", arguments->integrators,
                   "NAME or NAME:KEY=VALUE,…; may be repeated (default: the scene's)")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  compare
      ->add_option("--steps", arguments->steps,
                   "step sizes [s], separated by commas (default: the scene's, a half, a quarter)")
      ->type_name("H,H,…")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  compare->add_option("--reference", arguments->reference,
                      "exact, finest or FILE (default: exact if the scene has a reference)");
  compare
      ->add_option("--channel", arguments->channels,
                   "channels to compare, may be repeated (default: positions of all bodies, or "
                   "those of the scene's reference)")
      ->type_name("CHANNEL")
      ->expected(1)
      ->take_all();
  compare->add_option("--norm", arguments->norm,
                      "of the error over time: mean (default), max, end");
  compare->add_option("--until", arguments->until, "end time instead of the scene's [s]");
  compare->add_option("--set", arguments->settings, "KEY=VALUE, as for 'saltus run'")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  compare->add_option("-o,--output", arguments->output, "folder for tables and plots");
  compare
      ->add_option("-j,--jobs", arguments->jobs,
                   "runs at a time (default 1: computing times do not compete)")
      ->check(CLI::Range(1, 1024));
  compare->add_flag("-q,--quiet", arguments->quiet, "no progress");
  compare->callback([arguments, exit_code] { *exit_code = Comparison(*arguments).Run(); });
}

}  // namespace saltus
