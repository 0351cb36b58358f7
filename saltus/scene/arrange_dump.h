// Contact problems of a run as files, for `saltus solve` and for those who write solvers.
#pragma once

#include <string>

#include "saltus/scene/scene.h"

namespace saltus {

/// The integrator of the scene stores its contact problems as FCLib files PREFIX_000001.h5, …,
/// numbered by the calls of the solver.
/// @param when  "all", "slow" or "failed": which problems
void ArrangeDump(const std::string& when, const std::string& prefix, Scene* scene);

}  // namespace saltus
