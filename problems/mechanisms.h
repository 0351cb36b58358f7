// Mechanisms with joints and smooth motion, as printed in the literature on differential-algebraic
// equations. @cite Haddouni2015 (four-bar linkage and slider-cranks), @cite Simeon1996
//
// The four-bar linkage exists in three sets of coordinates that describe the same motion.
#pragma once

#include "problems/equations.h"

namespace saltus {

/// Bars 1, 2, 3 from (0, 0) over B and C to (ground, 0); φ are absolute angles, bar 3 counts from
/// the ground. A constant torque drives bar 1. Thin bars: I = m l²/12.
struct FourBarData {
  double length[3] = {0.3, 0.36055512754639896, 0.4};  // m; the second is √0.13
  double ground = 0.7;                                 // m
  double mass[3] = {1, 1, 1};                          // kg
  double torque = 6;                                   // N m
  double gravity = 9.81;                               // m/s²
};
/// q = (φ₁, φ₂, φ₃), 2 joints.
Equations MakeFourBar(const FourBarData& data = {});
/// Natural coordinates q = (x_B, y_B, x_C, y_C), 3 joints, constant mass.
Equations MakeFourBarPoints(const FourBarData& data = {});
/// Reference points q = (x, y, φ) of the centre of each bar, 8 joints, constant mass.
Equations MakeFourBarBodies(const FourBarData& data = {});

/// q = (α₁, α₂): crank and connecting rod, point mass m₃ as slider on y = 0, thin rods.
struct SliderCrankData {
  double length[2] = {1, 2};   // m
  double mass[3] = {1, 1, 1};  // kg
  double gravity = 9.81;       // m/s²
  double speed[2] = {4, -2};   // initial rad/s; l₁ω₁ + l₂ω₂ = 0
};
Equations MakeSliderCrank(const SliderCrankData& data = {});

/// Slider-crank with an elastic rod (two bending and two longitudinal modes) and a crank that turns
/// with a prescribed speed: the problem "slider crank" of the test set for IVP solvers.
/// q = (φ₁, φ₂, x₃, q₁ … q₄), 3 joints, the last one g₃ = φ₁ − Ωt.
Equations MakeFlexibleSliderCrank();

/// Point masses at the middle of two massless bars, hanging; angles from the vertical, y downwards.
struct DoublePendulumData {
  double length[2] = {1, 1};   // m
  double mass[2] = {1, 1};     // kg
  double gravity = 9.81;       // m/s²
  double angle[2] = {1, 0.5};  // initial, rad; at rest
};
/// q = (θ₁, θ₂), no joints.
Equations MakeDoublePendulum(const DoublePendulumData& data = {});
/// q = (x₁, y₁, x₂, y₂) of the masses, 2 joints, constant mass.
Equations MakeDoublePendulumPoints(const DoublePendulumData& data = {});

/// An elastic beam of rigid segments and springs on a hub that turns with a prescribed speed,
/// clamped tangentially at a distance from the axis, no gravity; q = absolute angles, the hub's
/// first. Stiff: the highest frequency is 2000 times the lowest. A substitute for the eccentric
/// rotating beam of @cite Haddouni2015, table 3.8, whose data are not printed.
struct RotatingBeamData {
  int segments = 30;
  double length = 1, side = 0.02;  // m, square section
  double density = 1200;           // kg/m³
  double modulus = 6.4e7;          // Pa
  double radius = 0.2;             // of the clamp, m
  double hub_inertia = 0.01;       // kg m²
  double speed = 6;                // rad/s
};
Equations MakeRotatingBeam(const RotatingBeamData& data = {});
/// The tip in the axes of the hub, m.
Vector2 CalcBeamTip(const RotatingBeamData& data, const VectorX& q);

}  // namespace saltus
