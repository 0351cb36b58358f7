#include "saltus/scene/arrange_dump.h"

#include <memory>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/scene/solver_options.h"

namespace saltus {

void ArrangeDump(const std::string& when, const std::string& prefix, Scene* scene) {
  if (when != "all" && when != "slow" && when != "failed") {
    throw InputError("dump_problems", "'" + when + "' is no choice",
                     SuggestName(when, {"all", "slow", "failed"}));
  }
  const auto dump = std::make_shared<ProblemDump>();
  dump->when = when == "all"    ? DumpWhen::kAll
               : when == "slow" ? DumpWhen::kSlow
                                : DumpWhen::kFailed;
  dump->prefix = prefix;
  if (ConicSolverOptions* options = FindSolverOptions(scene)) options->dump = dump;
}

}  // namespace saltus
