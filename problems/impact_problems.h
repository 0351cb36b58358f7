// Small systems with impacts, as the literature states them.
#pragma once

#include "problems/equations.h"

namespace saltus {

/// A ball above a floor: q = gap, m q̈ = −m g_a, q ≥ 0. @cite BrulsAcaryCardona2014
struct BouncingBallData {
  double mass = 1;        // kg
  double gravity = 9.81;  // m/s²
  double restitution = 0.9;
  double height = 1;    // initial gap, m
  double velocity = 0;  // m/s
};
Equations MakeBouncingBall(const BouncingBallData& data);

/// The exact height and velocity of a BouncingBall that starts at rest with e < 1, at rest after
/// the accumulation of its impacts.
struct BallMotion {
  double height = 0, velocity = 0;
};
BallMotion CalcBouncingBall(const BouncingBallData& data, double t);

/// A driven oscillator with a stop: x'' + 2a x' + ω²x = cos(Ωt), x ≤ x_max. @cite Haddouni2015
struct ImpactOscillatorData {
  double damping = 0.1;    // 2a, 1/s
  double stiffness = 1;    // ω², 1/s²
  double frequency = 0.7;  // Ω, rad/s
  double stop = 0.5;       // x_max, m
  double restitution = 0.8;
};
Equations MakeImpactOscillator(const ImpactOscillatorData& data);

/// A rod of length l with its centre of mass at the far end hits a wall; q = (x, y, θ),
///   x − l cos θ = 0,  y − l sin θ = 0,  x − √2/2 l ≥ 0. @cite BrulsAcaryCardona2014
struct BouncingPendulumData {
  double mass = 1, inertia = 0.1, length = 1, gravity = 10, restitution = 0.8;
  double angle = 0.26179938779914943654;  // initial θ = π/12, at rest
};
Equations MakeBouncingPendulum(const BouncingPendulumData& data);

/// A block over a floor, q = (x, y, θ), two frictionless corners
///   g₁,₂ = y − (b/2) cos θ ± (a/2) sin θ ≥ 0. @cite BrulsAcaryCardona2014
struct RockingBlockData {
  double mass = 1, width = 1, height = 1.5, gravity = 9.81, restitution = 0.5;
  double altitude = 1, angle = 0.2;  // initial y, θ, at rest
};
Equations MakeRockingBlock(const RockingBlockData& data);

/// Two balls on one vertical line joined by a spring, the lower one above a floor; q = heights.
/// @cite ChenEtAl2013
struct TwoBallOscillatorData {
  double mass = 1, stiffness = 1e3, rest_length = 1, gravity = 10, restitution = 0.8;
  double lower = 1, upper = 2;  // initial heights, at rest
};
Equations MakeTwoBallOscillator(const TwoBallOscillatorData& data);

/// A particle over a rough floor, q = (x, y), Coulomb friction in the plane.
struct SlidingParticleData {
  double mass = 1, gravity = 9.81, friction = 0.3, restitution = 0;
  double height = 0, velocity_x = 1, velocity_y = 0;
};
Equations MakeSlidingParticle(const SlidingParticleData& data);

/// An elastic bar that flies end-on against a wall: linear elements, q = displacements of the nodes
/// (positive away from the wall), node 0 at the distance `gap`. @cite BrulsAcaryCardona2014
/// Exact for e = 0: contact for 2L/c with the force A√(Eρ) v₀, c = √(E/ρ); the bar leaves with −v₀.
struct ElasticBarData {
  int elements = 200;
  double modulus = 900;  // E, Pa
  double density = 1;    // kg/m³
  double section = 1;    // A, m²
  double length = 10;    // m
  double gap = 5.005;    // m
  double velocity = 10;  // towards the wall, m/s
  double restitution = 0;
  bool lumped = false;  // mass matrix: consistent, or lumped by row sums
};
Equations MakeElasticBar(const ElasticBarData& data);

}  // namespace saltus
