// Joint: a list of measures that are held at a constant or at a prescribed function of time.
//
//   g_r(t, q) = φ_r(q) + shift_r − target_r(t) = 0                                          (1)
//   G_r = ∇φ_r,   g_t = −target˙,   γ_r = VᵀH_r V − target¨,   −∂(G_rᵀλ)/∂q = −λ H_r        (2)
// (φ, ∇φ, H: measures/scalar_jet.h; angles in (1) are wrapped to (−π, π]). Which measures each type
// holds is the table in joint_rows.cc. Limits and dry friction act on the free measures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/math/time_function.h"
#include "saltus/multibody/measures/pair.h"
#include "saltus/multibody/model_spec.h"

namespace saltus {

struct JointRow {
  Measure measure{};
  double shift = 0;
  TimeFunction target{};      // constant 0 unless driven
  bool translational = true;  // its multiplier is a force (N), not a torque (N m)
};

struct Joint {
  std::string name{};
  JointType type = JointType::kFixed;
  bool collide = false;  // shapes of its two bodies may touch each other
  Pair pair{};
  std::vector<JointRow> rows{};  // rows [first_row, first_row + rows.size()) of G
  int first_row = 0;
  int num_holding_rows = 0;                // rows before those of drives
  std::optional<Coordinate> coordinate{};  // angle, displacement or length
  std::optional<Coordinate> angle{};       // cylindrical: its second coordinate
};

/// "angle", "displacement", "length" or "" (none), and its unit.
const char* CoordinateName(JointType type);
const char* CoordinateUnit(JointType type);

/// The measures that a joint type holds at zero, in row order.
std::vector<JointRow> MakeHoldingRows(JointType type);

/// One end of the range of a coordinate: gap = sign (value − bound) ≥ 0.
struct JointLimit {
  int joint = -1;
  Coordinate coordinate{};
  double bound = 0;  // m or rad
  double sign = 1;   // +1: lower end, −1: upper end
  double restitution = 0;
  bool angular = false;
};

/// −u ∈ N(P), |P| ≤ bound h + coefficient |P_load|, with u_i = scale_i φ̇_i of one to three
/// measures, or the relative angular velocity in world axes (spherical joints in space).
struct JointFriction {
  int joint = -1;
  std::vector<Measure> measures{};  // empty: relative angular velocity, three components
  std::vector<double> scales{};
  double bound = 0;              // N or N m
  double coefficient = 0;        // 1 or m
  std::vector<int> load_rows{};  // rows of G
};

}  // namespace saltus
