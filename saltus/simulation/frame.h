// Frame: one recorded instant of a multibody run, in physical quantities (world axes, SI units).
// FrameLayout: the names behind its arrays. Together they are all that output/ needs to know.
#pragma once

#include <string>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/dynamics/system.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

struct FrameLayout {
  struct Joint {
    std::string name;
    std::string coordinate;  // "angle", "displacement", "length" or "" (none)
    std::string unit;        // "rad", "m" or ""
  };
  std::vector<std::string> bodies;  // rigid, planar and point-mass bodies, model order
  std::vector<Joint> joints;
  // Of a System that is not made of bodies; empty for a multibody system.
  std::vector<std::string> coordinates;  // names of q
  std::vector<std::string> constraints;  // names of the rows of G, each once
};

struct Frame {
  struct Body {
    Vector3 position;          // centre of mass, m
    Quaternion orientation;    // body axes to world axes
    Vector3 velocity;          // centre of mass, m/s
    Vector3 angular_velocity;  // rad/s
  };
  struct Joint {
    double coordinate = 0;  // angle [rad], displacement or length [m]
    Vector3 force;          // reaction on the second body at the joint point, N; NaN at the start
    Vector3 torque;         // N m; the same
  };
  struct Contact {
    std::string name;  // "stop", "ball-ground", limits: "hinge.limit"
    ContactKey key;
    double gap = 0;   // m, at the time of the frame, as all positions
    Vector3 point;    // m
    Vector3 normal;   // n: unit, from the first to the second body
    Vector3 tangent;  // t1: unit; t2 = n × t1
    Vector3 force;    // n, t1, t2 components, N: zero in an impact
    Vector3 impulse;  // n, t1, t2 components, N s: zero unless an impact
    /// A pair of surfaces with bonds has one row more: the adhesion of its bonds (1 whole, 0
    /// broken), their largest opening as the gap, their force.
    double adhesion = 0;
    /// Of rolling (t1, t2) and spinning (n) friction on the second body, N m: mean over the step,
    /// in an impact too.
    Vector3 moment = Vector3::Zero();
  };
  double time = 0;
  long step_index = 0;
  double step_size = 0;
  Energy energy;
  StepWork work;       // sums since the start
  double closure = 0;  // J
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  // Active contacts of the step that ended here, then compliant ones at its end.
  std::vector<Contact> contacts;
  // Of a System that is not made of bodies:
  VectorX q, v;      // coordinates and velocities
  VectorX lambda;    // multipliers of the constraints, mean over the step; NaN at the start
  ContactSet found;  // scratch of CalcFrame
};

/// Bodies and joints of a multibody System, coordinates and constraints of any other.
FrameLayout MakeFrameLayout(const System& system);
/// Fills *frame, reusing its memory. Forces are means over the step that ended here, so the frame
/// of a start has none: they are NaN there.
void CalcFrame(const StepView& view, Frame* frame);

}  // namespace saltus
