// Steps that the pair functions of convex cores share.
#pragma once

#include <optional>
#include <vector>

#include "saltus/collision/pair.h"

namespace saltus {

/// The axis of a face of A (or B) that looks along n, if its separation is at least `least`.
std::optional<Axis> FindFaceAxis(const Convex& A, const Convex& B, bool of_A, const Vector3& n,
                                 double least);

/// The face normal that an iterated direction n with separation s stands for, or n itself.
Axis FindExactAxis(const Convex& A, const Convex& B, const Vector3& n, double s,
                   const Vector3& point_A, const Vector3& point_B);

/// Sets the elements behind a GJK direction and returns true, if the simplex has one vertex or an
/// edge of each polyhedron.
bool SetSimplexElements(const Convex& A, const Convex& B, const GjkResult& gjk, Axis* axis);

/// The axis of two touching or overlapping cores of which at least one is a cylinder.
bool FindTouchingAxis(const Convex& A, const Convex& B, const GjkResult& gjk, PairScratch* scratch,
                      Axis* axis);

/// One witness where clipping has left nothing: the deepest vertex over the reference plane.
void AddDeepest(const Convex& A, const Convex& B, const Axis& axis, WitnessSink* sink);

/// Hands the points on.
void AddManifold(const Convex& A, const std::vector<ManifoldPoint>& points, WitnessSink* sink);

}  // namespace saltus
