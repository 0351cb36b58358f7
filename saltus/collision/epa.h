// Penetration of two overlapping convex cores by the expanding polytope algorithm.
//
// A polytope inside A ⊖ B grows towards the point of its boundary nearest to the origin. With the
// support function σ(n) = max n·(a − b) the nearest face (n, d) satisfies
//   d ≤ penetration ≤ σ(n),   stop when σ(n) − d ≤ ε.                                        (1)
// Polyhedra end exactly (no vertex is left to add), curved cores with ε = 1e-10 of their size.
// @cite VanDenBergen2003
#pragma once

#include <vector>

#include "saltus/collision/gjk.h"

namespace saltus {

struct EpaResult {
  bool found = false;                 // false: A ⊖ B is flat, there is no inside
  Vector3 normal = Vector3::UnitZ();  // from A to B
  double separation = 0;              // −σ(normal), the negative of the penetration
  Vector3 point_A = Vector3::Zero(), point_B = Vector3::Zero();  // relative to A.p
};

/// Keeps its memory between calls.
class Epa {
 public:
  /// `start`: a GJK result of status kTouching.
  EpaResult Solve(const Convex& A, const Convex& B, const GjkResult& start);

 private:
  struct Face {
    int v[3];
    int neighbor[3];  // across the edge v[k] -> v[k + 1]
    Vector3 n;
    double d;
    bool alive;
    int stamp;
  };
  struct HorizonEdge {
    int a, b, face;  // the face beyond it
  };

  bool MakeTetrahedron(const Convex& A, const Convex& B, const GjkResult& start);
  int AddFace(int a, int b, int c);
  bool Expand(int face, int vertex, double tolerance, int stamp);
  int FindNearestFace() const;

  std::vector<MinkowskiVertex> vertices_;
  std::vector<Face> faces_;
  std::vector<int> stack_;
  std::vector<HorizonEdge> horizon_;
};

}  // namespace saltus
