// saltus list: everything that can be named in a scene, with one line each.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/output/result_reader.h"
#include "saltus/scene/integrator_registry.h"
#include "saltus/scene/schema.h"

#include "apps/saltus/commands.h"
#include "problems/catalog.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus list integrators
  saltus list joints
  saltus list channels ball.h5)";

std::vector<std::string> MakeTopics() {
  return {"integrators", "solvers",  "joints",   "shapes",  "forces",
          "laws",        "surfaces", "channels", "problems"};
}

using Rows = std::vector<std::pair<std::string, std::string>>;

void Print(const Rows& rows) {
  std::size_t width = 0;
  for (const auto& [name, summary] : rows) width = std::max(width, name.size());
  for (const auto& [name, summary] : rows) fmt::print("{:<{}}  {}\n", name, width, summary);
}

Rows ListRows(const std::vector<Kind>& kinds) {
  Rows rows;
  for (const Kind& kind : kinds) rows.emplace_back(kind.name, kind.summary);
  return rows;
}

Rows ListIntegratorRows() {
  Rows rows;
  for (const IntegratorInfo& info : ListIntegrators()) {
    rows.emplace_back(info.name, info.summary);
    for (const auto& option : info.options) rows.emplace_back("  " + option.key, option.summary);
  }
  return rows;
}

Rows ListSolverRows(bool all) {
  Rows rows;
  for (const ConicSolverInfo& info : ListConicSolvers()) {
    if (all || info.is_public) rows.emplace_back(info.name, info.summary);
  }
  return rows;
}

Rows ListProblemRows() {
  Rows rows;
  for (const ProblemInfo& info : ListProblems()) rows.emplace_back(info.name, info.summary);
  return rows;
}

Rows ListChannelRows(const std::string& file) {
  if (file.empty()) {
    throw InputError("list channels", "the result is missing", "saltus list channels RESULT");
  }
  Rows rows;
  const ResultReader reader(file);
  for (const Channel& channel : reader.catalog().List()) {
    rows.emplace_back(channel.name,
                      fmt::format("[{}] {}", channel.unit, channel.quantity->meaning));
  }
  return rows;
}

struct ListArguments {
  std::string topic;
  std::string file;
  bool all = false;
};

void PrintTopic(const ListArguments& arguments) {
  const std::string& topic = arguments.topic;
  if (topic == "integrators") return Print(ListIntegratorRows());
  if (topic == "solvers") return Print(ListSolverRows(arguments.all));
  if (topic == "joints") return Print(ListRows(ListJointKinds()));
  if (topic == "shapes") return Print(ListRows(ListShapeKinds()));
  if (topic == "forces") return Print(ListRows(ListForceKinds()));
  if (topic == "laws") return Print(ListRows(ListLawKinds()));
  if (topic == "surfaces") return Print(ListRows(ListSurfaceKinds()));
  if (topic == "problems") return Print(ListProblemRows());
  if (topic == "channels") return Print(ListChannelRows(arguments.file));
  throw InputError("list", "there is no list of '" + topic + "'", SuggestName(topic, MakeTopics()));
}

}  // namespace

void AddListCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<ListArguments>();
  CLI::App* list = app->add_subcommand("list", "List what a scene can name, with one line each");
  list->footer(kExamples);
  list->add_option("WHAT", arguments->topic,
                   "integrators, solvers, joints, shapes, forces, laws (of contact), surfaces (of "
                   "named contacts), problems (of the literature) or "
                   "channels (of a result)")
      ->required();
  list->add_option("RESULT", arguments->file, "result (HDF5), for channels");
  list->add_flag("--all", arguments->all, "solvers for comparisons and research too");
  list->callback([arguments, exit_code] {
    PrintTopic(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
