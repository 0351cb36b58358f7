// Every ready scene under nonsmooth-alpha: joints and contacts exact at all steps, few iterations,
// no step accepted above its tolerance; the drift of Moreau–Jean beside it. As a page:
//   build/release/bin/scenes_audit scenes/*.yaml > verification/scenes_audit.md
//   build/release/bin/scenes_audit quick FILE...               a few hundred steps at most
// Exits with 1 if a limit is exceeded.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "saltus/scene/scene.h"

namespace saltus {
namespace {

constexpr double kLimit = 1e-11;  // m, m/s, rad, rad/s
constexpr double kMaxIterations = 4;

struct Outcome {
  RunOutcome run;
  Audit audit;
};

Outcome Run(const std::string& file, const std::string& integrator, double work, bool* whole,
            double* until) {
  std::vector<std::string> settings = {"simulation.integrator=" + integrator,
                                       "simulation.on_failure=halve"};
  if (integrator == "moreau-jean") settings.emplace_back("simulation.projection=false");
  Scene scene = ReadScene(file, settings);
  scene.simulation.limits = {};
  const double bodies =
      static_cast<double>(std::max<std::size_t>(1, scene.model.rigid_bodies.size()));
  const double steps = std::max(4.0, std::floor(work / bodies));
  *whole = steps * scene.simulation.step >= scene.simulation.until;
  scene.simulation.until = std::min(scene.simulation.until, steps * scene.simulation.step);
  *until = scene.simulation.until;
  Simulation simulation = MakeSimulation(scene);
  Outcome outcome;
  outcome.run = simulation.Run();
  outcome.audit = simulation.audit();
  return outcome;
}

/// One line of the table; false if a limit is exceeded.
bool AuditScene(const std::string& file, double work) {
  bool whole = false;
  double until = 0;
  const Outcome alpha = Run(file, "nonsmooth-alpha", work, &whole, &until);
  const Outcome moreau = Run(file, "moreau-jean", work, &whole, &until);
  const Audit& a = alpha.audit;
  const double iterations =
      static_cast<double>(a.newton_iterations) / static_cast<double>(std::max(1L, a.steps));
  const bool finished = alpha.run.kind == RunOutcome::Kind::kFinished;
  const bool good = finished && a.flagged == 0 && a.max_penetration < kLimit &&
                    a.max_constraint < kLimit && a.max_constraint_rate < kLimit &&
                    iterations <= kMaxIterations;
  std::printf("| %s | %.4g%s | %ld | %.1e | %.1e | %.1e | %.2f | %ld | %ld | %.1e | %.1e |%s\n",
              std::filesystem::path(file).stem().c_str(), until, whole ? "" : " (of more)",
              static_cast<long>(a.steps), a.max_penetration, a.max_constraint,
              a.max_constraint_rate, iterations, static_cast<long>(a.rejected),
              static_cast<long>(a.flagged), moreau.audit.max_penetration,
              moreau.audit.max_constraint, good ? "" : " (!)");
  if (!finished) std::printf("\n%s: %s\n\n", file.c_str(), alpha.run.message.c_str());
  std::fflush(stdout);
  return good;
}

}  // namespace
}  // namespace saltus

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  std::printf(
      "# Ready scenes under nonsmooth-alpha\n\n"
      "Made by `build/release/bin/scenes_audit scenes/*.yaml > verification/scenes_audit.md`. "
      "Largest "
      "penetration [m], |g| [m, rad] and |Gv + g_t| [m/s, rad/s] at the end of any step, Newton "
      "iterations per step, steps rejected (and halved) and steps "
      "accepted above tolerance. Beside it Moreau–Jean without its projections, otherwise as the "
      "scene has it. Wanted: below 1e-11, at most 4 iterations, none above tolerance.\n\n"
      "| scene | until [s] | steps | penetration | \\|g\\| | \\|Gv\\| | iterations | rejected | "
      "above tolerance | Moreau–Jean: penetration | \\|g\\| |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool good = true;
  for (int i = quick ? 2 : 1; i < argc; ++i) {
    good = saltus::AuditScene(argv[i], quick ? 3000 : 4000000) && good;
  }
  std::printf("\nAll limits kept: %s.\n", good ? "yes" : "NO");
  return good ? 0 : 1;
}
