// A wall of bricks in running bond, at rest under gravity: eight contact points between courses for
// each brick, four between neighbours in a course; hyperstatic, with many contacts for each body.
#pragma once

#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_problem.h"

namespace saltus::test {

struct BrickWall {
  int num_columns = 10, num_courses = 10;
  double length = 1, depth = 0.5, height = 0.5;  // m
  double density = 2000;                         // kg/m³
  double friction = 0.6;
  double step = 0.005;  // s
  double push = 0;      // horizontal force along the wall on each brick of the top course, N
};

/// The problem of one step from rest. If nothing moves, the normal impulses on the ground add up to
/// the weight of all bricks times the step.
void MakeBrickWall(const BrickWall& wall, BodyDelassus* A, ConicProblem* problem);

/// m g h of one brick.
double CalcBrickImpulse(const BrickWall& wall);

}  // namespace saltus::test
