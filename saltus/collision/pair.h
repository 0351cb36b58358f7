// Pair functions: witnesses of two placed shapes, in one table over the alternatives of Shape.
#pragma once

#include <vector>

#include "saltus/collision/collision_world.h"
#include "saltus/collision/convex.h"
#include "saltus/collision/epa.h"
#include "saltus/collision/manifold.h"
#include "saltus/collision/mesh.h"

namespace saltus {

/// Points gathered from the triangles of a mesh before they are thinned out.
struct MeshScratch {
  struct Point {
    Vector3 point_A, point_B, normal;
    double gap;
    Feature feature;
    bool dropped;
  };
  std::vector<Point> points;
  std::vector<int> triangles, group, outline;
};

/// A shape placed in the world. Only the members its kind needs are filled.
struct PlacedShape {
  const Shape* shape = nullptr;
  int kind = 0;       // shape->index()
  double radius = 0;  // of a sphere
  Vector3 p = Vector3::Zero();
  Matrix3 R = Matrix3::Identity();           // not of a sphere
  Convex core;                               // capsule, box, cylinder, convex hull
  const Mesh* mesh = nullptr;                // mesh, height field
  const ConvexGeometry* geometry = nullptr;  // in the shape's own frame; convex hull
};

/// Receives the witnesses of one pair at a time.
class WitnessSink {
 public:
  void Start(std::vector<Witness>* witnesses, double margin) {
    witnesses_ = witnesses;
    margin_ = margin;
  }
  void StartPair(int collider_A, int collider_B) {
    collider_A_ = collider_A;
    collider_B_ = collider_B;
    swapped_ = false;
  }
  /// Between two calls, A and B exchange their roles.
  void Swap() { swapped_ = !swapped_; }

  /// World points; the normal points from A to B. Ignored unless gap < margin.
  void Add(const Vector3& point_A, const Vector3& point_B, const Vector3& normal, double gap,
           Feature feature) {
    if (!(gap < margin_)) return;
    Witness& w = witnesses_->emplace_back();
    w.collider_A = collider_A_;
    w.collider_B = collider_B_;
    w.feature = swapped_ ? SwapFeature(feature) : feature;
    w.point_A = swapped_ ? point_B : point_A;
    w.point_B = swapped_ ? point_A : point_B;
    w.normal = swapped_ ? Vector3(-normal) : normal;
    w.gap = gap;
  }
  double margin() const { return margin_; }

 private:
  std::vector<Witness>* witnesses_ = nullptr;
  double margin_ = 0;
  int collider_A_ = -1, collider_B_ = -1;
  bool swapped_ = false;
};

/// The nearest point of a solid (capsule, box, cylinder, convex hull) to a point c, all in the
/// solid's own frame: the outward unit normal there and the height of c over it (< 0: inside).
struct SolidFoot {
  Vector3 normal;
  double height = 0;
};
/// The height may be given as a lower bound if it is beyond `limit`.
SolidFoot FindSolidFoot(const Shape& shape, const ConvexGeometry* geometry, const Vector3& c,
                        double limit);

/// Scratch memory of the pair functions.
struct PairScratch {
  ManifoldBuilder manifold;
  Epa epa;
  MeshScratch mesh;
};

using PairFunction = void (*)(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                              WitnessSink* sink);

/// False for two shapes without volume. Arguments: Shape::index().
bool CanTouch(int a, int b);

/// Witnesses of the pair, through the table. Start and StartPair have been called on the sink.
void AddPairWitnesses(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                      WitnessSink* sink);

/// The same along a held axis, its normal in world axes, whatever the margin; false for shapes that
/// have no axis (half-space, mesh, height field).
bool AddPairWitnessesAlong(const PlacedShape& a, const PlacedShape& b, const PairAxis& held,
                           PairScratch* scratch, WitnessSink* sink);

// The entries of the table. The first shape of a function is A.
void AddHalfSpaceSphere(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddHalfSpaceCapsule(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddHalfSpacePolyhedron(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddHalfSpaceCylinder(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddSphereSphere(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddSphereSolid(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddCapsuleCapsule(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddPolyhedra(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddWithCylinder(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddSphereMesh(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);
void AddConvexMesh(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*);

}  // namespace saltus
