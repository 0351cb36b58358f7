// saltus info: what is in a scene or a result, and whether the result can be trusted.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "saltus/output/result_reader.h"
#include "saltus/scene/scene.h"
#include "saltus/simulation/run_notices.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/report.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus info scenes/bouncing_ball.yaml
  saltus info bouncing_ball.h5
  saltus info bouncing_ball.h5 --json                the audit for other programs
  saltus info bouncing_ball.h5 --scene               the scene that made it)";

struct InfoArguments {
  std::string file;
  bool json = false, scene = false, all = false;
};

/// The first few names of a list.
std::string FormatNames(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text = std::to_string(names.size());
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) {
    text += (i == 0 ? ": " : ", ") + names[i];
  }
  return names.size() > kShown ? text + ", …" : text;
}

std::vector<std::string> JointNames(const FrameLayout& layout) {
  std::vector<std::string> names;
  for (const FrameLayout::Joint& joint : layout.joints) names.push_back(joint.name);
  return names;
}

void ShowResult(const ResultReader& reader, bool json, bool all) {
  const std::vector<double>& times = reader.times();
  const double begin = times.empty() ? 0 : times.front(), end = times.empty() ? 0 : times.back();
  if (json) {
    JsonObject object;
    object.Add("file", reader.path());
    object.Add("title", reader.title());
    object.Add("saltus_version", reader.saltus_version());
    object.Add("outcome", reader.outcome());
    object.Add("verdict", reader.verdict());
    object.Add("frames", static_cast<double>(reader.num_frames()));
    object.Add("time_begin", begin);
    object.Add("time_end", end);
    for (const AuditEntry& entry : reader.audit()) object.Add(entry.key, entry.value);
    object.Add("bodies", reader.layout().bodies);
    object.Add("joints", JointNames(reader.layout()));
    object.Add("contacts", reader.catalog().contacts());
    fmt::print("{}", object.Finish());
    return;
  }
  fmt::print("{}: result of '{}', written by saltus {}\n", reader.path(), reader.title(),
             reader.saltus_version());
  const std::string outcome = reader.outcome();
  fmt::print("outcome   {}\n",
             outcome == "running" ? "running, or killed before its end" : outcome);
  fmt::print("frames    {}, t = {} to {} s\n", reader.num_frames(), begin, end);
  fmt::print("bodies    {}\n", FormatNames(reader.layout().bodies));
  fmt::print("joints    {}\n", FormatNames(JointNames(reader.layout())));
  fmt::print("contacts  {}\n", reader.has_contacts() ? FormatNames(reader.catalog().contacts())
                                                     : std::string("not recorded"));
  fmt::print("restart   {}\n", reader.has_checkpoint() ? "possible" : "not possible");
  fmt::print("audit\n{}", FormatAuditTable(reader.audit(), all));
  const std::string& verdict = reader.verdict();
  fmt::print("verdict   {}{}\n",
             outcome == "finished" || verdict.empty() ? "" : "not finished; up to here ",
             verdict.empty() ? "unknown: the run has no end in this file" : verdict);
}

void ShowScene(const std::string& path, bool json) {
  const Scene scene = ReadScene(path);
  Simulation simulation = MakeSimulation(scene);
  const FrameLayout layout = MakeFrameLayout(simulation.system());
  const SystemTraits& traits = simulation.system().traits();
  if (json) {
    JsonObject object;
    object.Add("file", path);
    object.Add("title", scene.model.name);
    object.Add("degrees_of_freedom", CountMobility(simulation.system()));
    object.Add("velocities", traits.num_velocities);
    object.Add("constraints", traits.num_constraints);
    object.Add("integrator", scene.integrator.name);
    object.Add("step", scene.simulation.step);
    object.Add("until", scene.simulation.until);
    object.Add("bodies", layout.bodies);
    object.Add("joints", JointNames(layout));
    fmt::print("{}", object.Finish());
    return;
  }
  fmt::print("{}: scene '{}'\n", path, scene.model.name);
  fmt::print("bodies      {}\n", FormatNames(layout.bodies));
  fmt::print("joints      {}\n", FormatNames(JointNames(layout)));
  fmt::print("mobility    {} ({} velocities, {} joint equations)\n",
             FormatMobility(simulation.system()), traits.num_velocities, traits.num_constraints);
  fmt::print("simulation  {}, step {} s, until {} s\n", scene.integrator.name,
             scene.simulation.step, scene.simulation.until);
  for (const auto& [name, value] : scene.parameters) {
    fmt::print("parameter   {} = {}\n", name, value);
  }
  for (const Notice& notice : MakeRunNotices(simulation)) {
    fmt::print("notice      {}: {}\n", notice.item, notice.message);
  }
}

void Show(const InfoArguments& arguments) {
  if (!LooksLikeResult(arguments.file)) return ShowScene(arguments.file, arguments.json);
  const ResultReader reader(arguments.file);
  if (arguments.scene) {
    fmt::print("{}", reader.scene());
  } else {
    ShowResult(reader, arguments.json, arguments.all);
  }
}

}  // namespace

void AddInfoCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<InfoArguments>();
  CLI::App* info = app->add_subcommand("info", "Tell what is in a scene or a result; the audit");
  info->footer(kExamples);
  info->add_option("FILE", arguments->file, "scene (YAML) or result (HDF5)")->required();
  info->add_flag("--json", arguments->json, "as JSON");
  info->add_flag("--all", arguments->all,
                 "show every entry of the audit, also those that are zero");
  info->add_flag("--scene", arguments->scene, "print the scene embedded in a result");
  info->callback([arguments, exit_code] {
    Show(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
