#include "apps/saltus/restart.h"

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/result_reader.h"

namespace saltus {
namespace {

/// The text of what decides the motion.
std::string DescribeMotion(Scene scene) {
  scene.simulation.until = 1;
  scene.simulation.limits = {};
  scene.output = {};
  scene.reference.clear();
  scene.model.name.clear();
  return WriteScene(scene);
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

}  // namespace

bool IsSameRun(const Scene& a, const Scene& b) { return DescribeMotion(a) == DescribeMotion(b); }

void RestoreCheckpoint(const std::string& file, Simulation* simulation) {
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

}  // namespace saltus
