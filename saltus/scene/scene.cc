#include "saltus/scene/scene.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <utility>

#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/scene/audit_rows.h"
#include "saltus/scene/compose.h"
#include "saltus/scene/read_model.h"
#include "saltus/scene/text_file.h"
#include "saltus/scene/yaml.h"
#include "saltus/simulation/run_notices.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

// --- Checks of the whole file --------------------------------------------------------------------

/// Names become channels ("ball.position.x") and paths, so dots, blanks and signs are out.
void CheckNames(const Value& tree) {
  for (const char* section : {"materials", "bodies", "joints", "forces", "contacts"}) {
    const Value::Entry* items = tree.Find(section);
    if (items == nullptr) continue;
    for (const Value::Entry& item : items->value.entries) {
      const std::string path = std::string(section) + "." + item.key;
      constexpr std::size_t kLongest = 200;
      const bool good = !item.key.empty() && item.key.size() <= kLongest &&
                        std::all_of(item.key.begin(), item.key.end(), [](char c) {
                          const auto byte = static_cast<unsigned char>(c);
                          return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_' || c == '-';
                        });
      if (good) continue;
      throw InputError(path, "'" + item.key.substr(0, kLongest) + "' cannot be the name of an item",
                       "use letters, digits, '_' and '-', at most " + std::to_string(kLongest),
                       item.place.location());
    }
  }
}

void ReadFormat(const MapField& scene) {
  const Field format = scene.Require("saltus", "the format version; begin with 'saltus: 1'");
  constexpr long kAnyFormat = 1'000'000;
  const long version = format.ReadInteger(1, kAnyFormat);
  if (version != kSceneFormat) {
    format.Fail("format " + std::to_string(version) + " is not known to this program",
                "it reads format " + std::to_string(kSceneFormat));
  }
}

// --- Settings ------------------------------------------------------------------------------------

/// The keys of `simulation` for one integrator. If the integrator was chosen on the command line,
/// the file may still hold the options of another one: those are left out.
Value SelectOptions(const Value& simulation, const IntegratorInfo& chosen, bool overridden,
                    Section* section) {
  *section = FindSection("simulation");
  for (const auto& option : chosen.options) section->keys.push_back(option.key);
  Value selected = simulation;
  if (!overridden) return selected;
  std::erase_if(selected.entries, [&](const Value::Entry& entry) {
    const auto has = [&entry](const IntegratorInfo& info) {
      return std::any_of(info.options.begin(), info.options.end(),
                         [&entry](const auto& option) { return option.key == entry.key; });
    };
    const std::vector<IntegratorInfo>& all = ListIntegrators();
    return !has(chosen) && std::any_of(all.begin(), all.end(), has);
  });
  return selected;
}

constexpr double kMaxSteps = 1e15;  // they are counted exactly in a double up to 9e15

void ReadSimulation(const Field& field, Scene* scene) {
  if (!field.value().is_map()) {
    field.Fail("expected a map, found " + Describe(field.value()),
               "for instance {step: 0.001, until: 1}");
  }
  bool overridden = false;
  if (const Value::Entry* entry = field.value().Find("integrator")) {
    std::vector<std::string> names;
    for (const IntegratorInfo& info : ListIntegrators()) names.push_back(info.name);
    const Field name(entry->value, field.path() + ".integrator");
    scene->integrator.name = names[name.ReadChoice(names)];
    overridden = name.place().location().file.starts_with("--set ");
  }
  const IntegratorInfo& info = FindIntegrator(scene->integrator.name);
  Section section;
  const Value selected = SelectOptions(field.value(), info, overridden, &section);
  const MapField map(Field(selected, field.path()), section);
  scene->integrator.options = info.read(map);

  SimulationOptions& options = scene->simulation;
  options.step = map.ReadNumber("step", options.step, kPositive);
  options.until = map.ReadNumber("until", options.until, kPositive);
  if (options.until / options.step > kMaxSteps) {
    const std::optional<Field> step = map.Find("step"), until = map.Find("until");
    (step    ? *step
     : until ? *until
             : field)
        .Fail("the run would take more than 10^15 steps", "choose a larger step or an earlier end");
  }
  if (const auto key = map.Find("on_failure")) {
    options.on_failure = static_cast<FailurePolicy>(key->ReadChoice({"stop", "halve", "flag"}));
  }
  if (const auto key = map.Find("start_overlap")) {
    options.refuse_overlap = key->ReadChoice({"warn", "refuse"}) == 1;
  }
  if (const auto key = map.Find("max_halvings")) {
    options.max_halvings = static_cast<int>(key->ReadInteger(0, 60));
  }
  if (const auto key = map.Find("adaptive")) {
    const MapField adaptive(*key, "adaptive");
    AdaptiveOptions& chosen = options.adaptive.emplace();
    chosen.tolerance = adaptive.ReadNumber("tolerance", chosen.tolerance, kPositive);
    chosen.min_step = adaptive.ReadNumber("min_step", chosen.min_step, kPositive);
  }
}

void ReadAudit(const Field& field, AuditLimits* limits) {
  const MapField map(field, "audit");
  const auto read = [&map](const char* key, std::optional<double>* limit) {
    const auto found = map.Find(key);
    if (!found) return;
    const bool none = found->value().is_scalar() && found->value().text == "none";
    *limit = none ? std::numeric_limits<double>::infinity() : found->ReadNumber(kAtLeastZero);
  };
  for (const LimitRow& row : kLimitRows) read(row.key, &(limits->*row.limit));
}

void ReadOutput(const Field& field, OutputSettings* output) {
  const MapField map(field, "output");
  if (const auto key = map.Find("every")) output->every = key->ReadInteger(1, 1'000'000'000);
  if (const auto key = map.Find("dt")) {
    if (map.Has("every")) key->Fail("both 'every' and 'dt' are given", "keep one of: every, dt");
    output->dt = key->ReadNumber(kPositive);
  }
  output->contacts = map.ReadBool("contacts", output->contacts);
}

Scene ReadTree(const Value& tree, const ReadContext& context) {
  Scene scene;
  const MapField map(Field(tree, ""), "scene");
  ReadFormat(map);
  CheckNames(tree);
  ModelSpec& model = scene.model;
  if (const auto key = map.Find("name")) model.name = key->ReadText();
  model.gravity = map.ReadVector3("gravity", model.gravity);
  if (const auto key = map.Find("planar")) {
    try {
      model.planar = MakePlane(key->ReadText());
    } catch (const InputError& error) {
      key->Fail(error.message(),
                error.suggestion().empty() ? "for instance xz" : error.suggestion());
    }
  }
  if (const auto key = map.Find("materials")) ReadMaterials(*key, &model);
  if (const auto key = map.Find("pairs")) ReadPairs(*key, &model);
  if (const auto key = map.Find("bodies")) ReadBodies(*key, context, &model);
  if (const auto key = map.Find("ground")) ReadGround(*key, context, &model);
  if (const auto key = map.Find("joints")) ReadJoints(*key, &model);
  if (const auto key = map.Find("forces")) ReadForces(*key, &model);
  if (const auto key = map.Find("contacts")) ReadContacts(*key, &model);
  if (const auto key = map.Find("simulation")) ReadSimulation(*key, &scene);
  if (const auto key = map.Find("audit")) ReadAudit(*key, &scene.simulation.limits);
  if (const auto key = map.Find("output")) ReadOutput(*key, &scene.output);
  if (const auto key = map.Find("reference")) scene.reference = ReadReference(*key);
  if (model.rigid_bodies.empty() && model.point_masses.empty()) {
    throw InputError("bodies", "the scene has no bodies", "add at least one under 'bodies'",
                     tree.place.location());
  }
  return scene;
}

/// The place of the value that `path` ("bodies.ball.mass") names, or of the last part that exists.
SourceLocation FindPlace(const Value& tree, std::string path) {
  std::replace(path.begin(), path.end(), '[', '.');  // "pairs[0].materials"
  std::erase(path, ']');
  const Value* value = &tree;
  SourceLocation location = tree.place.location();
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find('.', start), path.size());
    const std::string key = path.substr(start, end - start);
    start = end + 1;
    if (const Value::Entry* entry = value->Find(key)) {
      value = &entry->value;
      location = value->is_scalar() ? value->place.location() : entry->place.location();
      continue;
    }
    std::size_t index = 0;
    const auto result = std::from_chars(key.data(), key.data() + key.size(), index);
    if (result.ec != std::errc() || index >= value->items.size()) return location;
    value = &value->items[index];
    location = value->place.location();
  }
  return location;
}

}  // namespace

Composition ComposeScene(const std::string& text, const std::string& file,
                         const std::string& base_dir, const std::vector<std::string>& overrides,
                         const SceneLimits& limits) {
  ValueBudget budget(limits.max_values);
  Value root = ParseYaml(text, file, limits, &budget);
  if (!root.is_map()) {
    throw InputError("", "expected a map of sections, found " + Describe(root),
                     "a scene begins with 'saltus: 1'", root.place.location());
  }
  const bool included = MergeIncludes(file, base_dir, limits, &budget, &root);
  for (const std::string& assignment : overrides) {
    ApplyOverride(assignment, limits, &budget, &root);
  }
  Composition composition;
  composition.source = included || !overrides.empty() ? FormatYaml(root) : text;
  composition.tree = Expand(root, &budget, &composition.parameters);
  return composition;
}

Scene ReadSceneText(const std::string& text, const std::string& name,
                    const std::vector<std::string>& overrides, const std::string& base_dir,
                    const SceneLimits& limits) {
  Composition composition = ComposeScene(text, name, base_dir, overrides, limits);
  auto tree = std::make_shared<const Value>(std::move(composition.tree));
  Scene scene = ReadTree(*tree, {base_dir, limits});
  if (scene.model.name.empty()) scene.model.name = fs::path(name).stem().string();
  scene.parameters = std::move(composition.parameters);
  scene.source = std::move(composition.source);
  scene.origin = std::move(tree);
  return scene;
}

Scene ReadScene(const std::string& path, const std::vector<std::string>& overrides,
                const SceneLimits& limits) {
  const Value file = MakeScalar(path);
  std::string folder = fs::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  const std::string text = ReadTextFile(path, Field(file, ""), limits);
  return ReadSceneText(text, path, overrides, folder, limits);
}

std::shared_ptr<const Model> BuildModel(const Scene& scene) {
  try {
    return ModelBuilder(scene.model).Build();
  } catch (const InputError& error) {
    if (!scene.origin || error.location().line > 0) throw;
    throw InputError(error.item(), error.message(),
                     error.suggestion().empty() ? "docs/scene.md says what is admissible here"
                                                : error.suggestion(),
                     FindPlace(*scene.origin, error.item()));
  }
}

std::unique_ptr<Integrator> MakeIntegrator(const Scene& scene) {
  return FindIntegrator(scene.integrator.name).make(scene.integrator.options);
}

Simulation MakeSimulation(const Scene& scene) {
  auto system = std::make_unique<MultibodySystem>(BuildModel(scene));
  if (scene.simulation.refuse_overlap) {
    const std::vector<StartOverlap> overlaps = FindStartOverlaps(*system);
    if (!overlaps.empty()) {
      const SourceLocation place =
          scene.origin ? FindPlace(*scene.origin, "bodies") : SourceLocation{};
      throw InputError("bodies", "they overlap at the start: " + DescribeOverlaps(overlaps),
                       "move them apart, or say start_overlap: warn", place);
    }
  }
  return Simulation(std::move(system), MakeIntegrator(scene), scene.simulation);
}

}  // namespace saltus
