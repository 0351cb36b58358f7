// Scene: everything a scene file says, as a struct of structs that YAML, Python and the command
// line all fill. Reading never leaves a half-filled Scene: it returns a checked one or throws
// InputError with file, line, column, key path and a suggestion.
//
//   Scene scene = ReadScene("pendulum.yaml", {"simulation.step=0.001"});
//   Simulation simulation = MakeSimulation(scene);
//   RunOutcome outcome = simulation.Run();
//
// docs/scene.md is the reference of the format.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saltus/multibody/model_spec.h"
#include "saltus/scene/integrator_registry.h"
#include "saltus/scene/reference.h"
#include "saltus/scene/value.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

struct Model;

inline constexpr int kSceneFormat = 1;  // the value of the key `saltus`

/// What a result file keeps.
struct OutputSettings {
  long every = 1;            // record each n-th step, ≥ 1
  std::optional<double> dt;  // or the first step at or after each multiple of dt, s, > 0
  bool contacts = true;      // record contact points, forces and impulses
};

struct Scene {
  ModelSpec model;  // with the scene's name and gravity
  SimulationOptions simulation;
  IntegratorChoice integrator;
  OutputSettings output;
  std::vector<ReferenceChannel> reference;  // known values, for comparisons; may be empty

  std::vector<std::pair<std::string, double>> parameters;  // the values in effect, for the record
  /// The text it was read from, includes and overrides worked in: embedded in result files.
  std::string source;
  /// Where each value was written; null for a Scene made in code. Only messages use it.
  std::shared_ptr<const Value> origin;
};

/// Reads a scene file. Each override is "key=value": a parameter ("r=0.2") or a path
/// ("simulation.step=0.01", "bodies.ball.mass=2", "ground.shapes.0.material=ice").
Scene ReadScene(const std::string& path, const std::vector<std::string>& overrides = {},
                const SceneLimits& limits = {});

/// Reads a scene from memory. `name` stands for the file in messages; includes and mesh files are
/// relative to `base_dir`, and refused if it is empty.
Scene ReadSceneText(const std::string& text, const std::string& name,
                    const std::vector<std::string>& overrides = {},
                    const std::string& base_dir = "", const SceneLimits& limits = {});

/// The scene as YAML, parameters and repetitions worked out: reading it gives an equal Scene.
/// Throws InputError for a TimeFunction made of a C++ callable, which has no text.
std::string WriteScene(const Scene& scene);

/// Errors of the builder are given the place of the offending key.
std::shared_ptr<const Model> BuildModel(const Scene& scene);
std::unique_ptr<Integrator> MakeIntegrator(const Scene& scene);
Simulation MakeSimulation(const Scene& scene);

}  // namespace saltus
