// What a step measures of a state before it iterates: how fast things are, and which contacts are
// near. @cite AcaryBrogliato2008
#pragma once

#include "saltus/dynamics/system.h"

namespace saltus {

/// How fast things are at a state: the margin of the contact search and the scales of tolerances.
struct StepScales {
  VectorX acceleration;           // f/M
  double acceleration_bound = 0;  // of any surface point, m/s²
  double speed_bound = 0;         // of any surface point, m/s
  double margin = 0;              // twice the distance that the fastest point can travel, m
  double velocity = 0;            // of Newton's tolerance

  void Calc(const System& system, const BlockMatrix& M, double h, double t, const VectorX& q,
            const VectorX& v);
};

/// The contacts within the margin at (t, q): those of the end of one step start the next.
struct FoundContacts {
  double t = 0, margin = -1;
  VectorX q;
  ContactSet set;

  void Find(System& system, double t_find, const VectorX& q_find, double margin_find);
};

}  // namespace saltus
