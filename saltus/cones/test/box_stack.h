// A stack of boxes at rest under gravity: four contact points per interface, hyperstatic.
#pragma once

#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_problem.h"

namespace saltus::test {

struct BoxStack {
  int num_boxes = 10;
  double size = 1;     // m
  double mass = 1000;  // kg
  double friction = 0.5;
  double step = 0.005;             // s
  Vector3 push = Vector3::Zero();  // velocity of the top box, m/s
};

/// The problem of one step from rest: b = H (g h + push). The total normal impulse in the
/// interface k (from the ground, 0) is (num_boxes − k) m g h if nothing moves.
void MakeBoxStack(const BoxStack& stack, BodyDelassus* A, ConicProblem* problem);

}  // namespace saltus::test
