// How large a model is: what the limits of verdict.h and the notices before a run are relative to.
#pragma once

#include "saltus/collision/shape.h"
#include "saltus/dynamics/system.h"

namespace saltus {

/// Systems that are not made of bodies have no sizes; 1 m stands for both.
struct ModelScale {
  double smallest_shape = 1;  // smallest width of any shape of a body, m; `size` if there is none
  double size = 1;            // diagonal of the box around bodies, shapes and joints, m, > 0
};

/// The smallest thickness of a shape, m; infinite for planes and triangles.
double CalcWidth(const Shape& shape);

ModelScale CalcScale(const System& system, const State& start);
/// Σ |f_i| at a state, gravity included, times the size, J: where nothing moves, energies are
/// compared with it.
double CalcEnergyScale(const System& system, const State& state, const ModelScale& scale);

}  // namespace saltus
