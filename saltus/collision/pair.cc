#include "saltus/collision/pair.h"

namespace saltus {
namespace {

template <PairFunction function>
void Swapped(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch, WitnessSink* sink) {
  sink->Swap();
  function(b, a, scratch, sink);
  sink->Swap();
}

void AddNothing(const PlacedShape&, const PlacedShape&, PairScratch*, WitnessSink*) {}

constexpr std::size_t kShapes = std::variant_size_v<Shape>;

#define SWAP(function) Swapped<function>

// Row: A, column: B. Surfaces without volume (half-space, mesh, height field) never meet each other.
// clang-format off
constexpr PairFunction kPairs[kShapes][kShapes] = {
  // half-space                 sphere                    capsule                   box                       cylinder                    convex                    mesh             height field
  {AddNothing,                  AddHalfSpaceSphere,       AddHalfSpaceCapsule,      AddHalfSpacePolyhedron,   AddHalfSpaceCylinder,       AddHalfSpacePolyhedron,   AddNothing,      AddNothing},
  {SWAP(AddHalfSpaceSphere),    AddSphereSphere,          AddSphereCapsule,         AddSphereBox,             AddSphereCylinder,          AddSphereHull,            AddSphereMesh,   AddSphereMesh},
  {SWAP(AddHalfSpaceCapsule),   SWAP(AddSphereCapsule),   AddCapsuleCapsule,        AddPolyhedra,             AddWithCylinder,            AddPolyhedra,             AddConvexMesh,   AddConvexMesh},
  {SWAP(AddHalfSpacePolyhedron),SWAP(AddSphereBox),       AddPolyhedra,             AddPolyhedra,             AddWithCylinder,            AddPolyhedra,             AddConvexMesh,   AddConvexMesh},
  {SWAP(AddHalfSpaceCylinder),  SWAP(AddSphereCylinder),  AddWithCylinder,          AddWithCylinder,          AddWithCylinder,            AddWithCylinder,          AddConvexMesh,   AddConvexMesh},
  {SWAP(AddHalfSpacePolyhedron),SWAP(AddSphereHull),      AddPolyhedra,             AddPolyhedra,             AddWithCylinder,            AddPolyhedra,             AddConvexMesh,   AddConvexMesh},
  {AddNothing,                  SWAP(AddSphereMesh),      SWAP(AddConvexMesh),      SWAP(AddConvexMesh),      SWAP(AddConvexMesh),        SWAP(AddConvexMesh),      AddNothing,      AddNothing},
  {AddNothing,                  SWAP(AddSphereMesh),      SWAP(AddConvexMesh),      SWAP(AddConvexMesh),      SWAP(AddConvexMesh),        SWAP(AddConvexMesh),      AddNothing,      AddNothing},
};
// clang-format on
#undef SWAP

}  // namespace

void AddPairWitnesses(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                      WitnessSink* sink) {
  kPairs[a.shape->index()][b.shape->index()](a, b, scratch, sink);
}

}  // namespace saltus
