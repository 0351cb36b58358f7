// A Scene as YAML: every value is written out, so that reading the text gives an equal Scene.
#include <cmath>
#include <utility>

#include "saltus/scene/audit_rows.h"
#include "saltus/scene/scene.h"
#include "saltus/scene/write_model.h"
#include "saltus/scene/yaml.h"

namespace saltus {
namespace {

const char* PolicyName(FailurePolicy policy) {
  switch (policy) {
    case FailurePolicy::kStop:
      return "stop";
    case FailurePolicy::kHalve:
      return "halve";
    case FailurePolicy::kFlag:
      break;
  }
  return "flag";
}

Value MakeSimulation(const SimulationOptions& options, const IntegratorChoice& integrator) {
  Value map = MakeMap();
  map.Add("integrator", MakeScalar(integrator.name));
  FindIntegrator(integrator.name).write(integrator.options, &map);
  map.Add("step", MakeNumber(options.step));
  map.Add("until", MakeNumber(options.until));
  map.Add("on_failure", MakeScalar(PolicyName(options.on_failure)));
  map.Add("max_halvings", MakeNumber(options.max_halvings));
  map.Add("start_overlap", MakeScalar(options.refuse_overlap ? "refuse" : "warn"));
  if (options.adaptive) {
    Value adaptive = MakeMap();
    adaptive.Add("tolerance", MakeNumber(options.adaptive->tolerance));
    adaptive.Add("min_step", MakeNumber(options.adaptive->min_step));
    map.Add("adaptive", std::move(adaptive));
  }
  return map;
}

Value MakeAudit(const AuditLimits& limits) {
  Value map = MakeMap();
  const auto add = [&map](const char* key, const std::optional<double>& limit) {
    if (!limit) return;
    map.Add(key, std::isfinite(*limit) ? MakeNumber(*limit) : MakeScalar("none"));
  };
  for (const LimitRow& row : kLimitRows) add(row.key, limits.*row.limit);
  return map;
}

Value MakeOutput(const OutputSettings& output) {
  Value map = MakeMap();
  if (output.dt) {
    map.Add("dt", MakeNumber(*output.dt));
  } else {
    map.Add("every", MakeNumber(static_cast<double>(output.every)));
  }
  map.Add("contacts", MakeScalar(output.contacts ? "true" : "false"));
  return map;
}

}  // namespace

std::string WriteScene(const Scene& scene) {
  Value root = MakeMap();
  root.Add("saltus", MakeNumber(kSceneFormat));
  AddModel(scene.model, &root);
  root.Add("simulation", MakeSimulation(scene.simulation, scene.integrator));
  root.Add("audit", MakeAudit(scene.simulation.limits));
  root.Add("output", MakeOutput(scene.output));
  if (!scene.reference.empty()) root.Add("reference", MakeReference(scene.reference));
  return FormatYaml(root);
}

}  // namespace saltus
