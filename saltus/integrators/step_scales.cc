#include "saltus/integrators/step_scales.h"

#include <algorithm>

#include "saltus/linalg/diagonal.h"

namespace saltus {

void StepScales::Calc(const System& system, const BlockMatrix& M, double h, double t,
                      const VectorX& q, const VectorX& v) {
  system.CalcForce(t, q, v, &acceleration);
  DivideByDiagonal(M, &acceleration);
  acceleration_bound = system.CalcSpeedBound(q, acceleration);
  speed_bound = system.CalcSpeedBound(q, v);
  margin = 2 * h * (speed_bound + h * acceleration_bound) + 1e-9;
  velocity = std::max(v.lpNorm<Eigen::Infinity>(), h * acceleration.lpNorm<Eigen::Infinity>());
}

void FoundContacts::Find(System& system, double t_find, const VectorX& q_find, double margin_find) {
  if (t == t_find && margin == margin_find && q == q_find) return;
  system.FindContacts(t_find, q_find, margin_find, &set);
  t = t_find;
  q = q_find;
  margin = margin_find;
}

}  // namespace saltus
