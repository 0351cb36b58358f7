// What a program adds to the contact solver of a scene: threads, the wish to stop, files.
#pragma once

#include "saltus/scene/scene.h"

namespace saltus {

/// Of the scene's integrator; null if it has no contact solver.
ConicSolverOptions* FindSolverOptions(Scene* scene);

}  // namespace saltus
