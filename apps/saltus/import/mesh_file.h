// Meshes of robot files: STL (both kinds), OBJ and COLLADA. Only corners and triangles are read.
#pragma once

#include <string>

#include "saltus/collision/shape.h"

#include "apps/saltus/import/notes.h"

namespace saltus {

/// Throws InputError if the file is not there, is none of these formats, or is damaged. COLLADA
/// comes in meters, with its own up axis turned to z, and with the placements of its nodes.
MeshData ReadMeshFile(const std::string& path);

/// Volume, centre and inertia of the inside of a closed mesh for unit density, by the divergence
/// theorem: sums over the tetrahedra between the triangles and the origin.
MassProperties CalcMeshMass(const MeshData& mesh);

/// The convex hull. Of more than kHullPoints points only the farthest ones in as many directions
/// are taken; a note then says by how much the hull is too small.
inline constexpr int kHullPoints = 200;
ConvexHull MakeMeshHull(const MeshData& mesh, const std::string& name, Notes* notes);

}  // namespace saltus
