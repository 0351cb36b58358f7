// Geometry of MJCF: orientations in their five notations, geoms as shapes with a mass, meshes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "saltus/collision/shape.h"

#include "apps/saltus/import/link_tree.h"
#include "apps/saltus/import/mjcf_document.h"
#include "apps/saltus/import/notes.h"

namespace saltus {

/// What <compiler> says.
struct MjcfCompiler {
  bool degrees = true;
  bool auto_limits = false;  // a range alone limits, without limited="true"
  std::string euler = "xyz";
  std::string inertia_from_geoms = "auto";  // auto, true, false
  std::string mesh_folder;
  bool exact_meshes = false;  // the file asks for what is done here
  std::optional<double> total_mass;
};

/// An angle of the file in rad.
double ToRadians(const MjcfCompiler& compiler, double angle);
/// pos and one of quat, axisangle, euler, xyaxes, zaxis.
Pose ReadMjcfPose(const MjcfElement& element, const MjcfCompiler& compiler);

struct MjcfGeom {
  Shape shape;
  Pose pose;      // in the frame of its body
  TreeMass mass;  // in the frame of its body
  bool touches = true;
};

class MjcfGeometry {
 public:
  MjcfGeometry(const MjcfDocument& document, const MjcfCompiler& compiler, Notes* notes);
  /// None, with a note, for types that are not read.
  std::optional<MjcfGeom> ReadGeom(const MjcfElement& geom);

 private:
  struct Mesh {
    MeshData data;
    ConvexHull hull;
    MassProperties mass;
  };
  const Mesh& FindMesh(const MjcfElement& geom);
  std::optional<Shape> ReadShape(const MjcfElement& geom, const std::string& type,
                                 std::optional<double> length);
  Shape MakeEllipsoid(const Vector3& radii);

  const MjcfDocument& document_;
  const MjcfCompiler& compiler_;
  Notes& notes_;
  std::map<std::string, MjcfElement> mesh_elements_;
  std::map<std::string, Mesh> meshes_;
};

}  // namespace saltus
