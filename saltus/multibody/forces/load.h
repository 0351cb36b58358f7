// Loads: forces and torques on a body, and efforts on the coordinate of a joint, as functions of
// time. All of them count as work of loads, even where constant.
//
// Force F at the local point b, in R⁶ (world force, body-axes moment):
//   world axes   f = (F, b × RᵀF)        −∂f/∂θ = (0, −b̃ (RᵀF)~)                            (1)
//   body axes    f = (RF, b × F)         −∂f/∂θ = (R F̃, 0)                                  (2)
// Torque τ:
//   world axes   f = (0, Rᵀτ)            −∂f/∂θ = (0, −(Rᵀτ)~)                              (3)
//   body axes    f = (0, τ)              constant
// Effort e on a measure φ:
//   f = (∇φ)ᵀ e,   −∂f/∂q = −e H                                                            (4)
#pragma once

#include <array>
#include <vector>

#include "saltus/math/time_function.h"
#include "saltus/multibody/measures/pair.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

struct BodyLoad {
  int body = 0;
  int slot = 0;  // diagonal block of the body
  bool is_torque = false;
  LoadAxes axes = LoadAxes::kWorld;
  Vector3 at = Vector3::Zero();              // b, local, m
  std::array<TimeFunction, 3> components{};  // N or N m
};

struct Actuator {
  Pair pair{};
  Measure measure{};
  TimeFunction effort{};  // N or N m
};

void AddLoads(const std::vector<BodyLoad>& loads, const std::vector<Body>& bodies, double t,
              const VectorX& q, VectorX* f);
/// K += −∂f/∂q. Follower loads have no symmetric approximation: nothing is added for Gauss–Newton.
void AddLoadTangents(const std::vector<BodyLoad>& loads, const std::vector<Body>& bodies, double t,
                     const VectorX& q, BlockMatrix* K);

void AddActuators(const std::vector<Actuator>& actuators, const std::vector<Body>& bodies, double t,
                  const VectorX& q, VectorX* f);
void AddActuatorTangents(const std::vector<Actuator>& actuators, const std::vector<Body>& bodies,
                         double t, const VectorX& q, BlockMatrix* K);

}  // namespace saltus
