#include "saltus/collision/pair.h"

#include <array>

namespace saltus {
namespace {

// The alternatives of Shape, in its order.
enum Kind { kHalfSpace, kSphere, kCapsule, kBox, kCylinder, kConvex, kMesh, kHeightField, kCount };
static_assert(kCount == std::variant_size_v<Shape>);

struct Entry {
  Kind a, b;
  PairFunction function;
};

// All pairs that can touch. A pair in the other order calls the same function with A and B
// exchanged. Shapes without volume (half-space, mesh, height field) never meet each other.
constexpr Entry kEntries[] = {
    {kHalfSpace, kSphere, AddHalfSpaceSphere},
    {kHalfSpace, kCapsule, AddHalfSpaceCapsule},
    {kHalfSpace, kBox, AddHalfSpacePolyhedron},
    {kHalfSpace, kCylinder, AddHalfSpaceCylinder},
    {kHalfSpace, kConvex, AddHalfSpacePolyhedron},
    {kSphere, kSphere, AddSphereSphere},
    {kSphere, kCapsule, AddSphereSolid},
    {kSphere, kBox, AddSphereSolid},
    {kSphere, kCylinder, AddSphereSolid},
    {kSphere, kConvex, AddSphereSolid},
    {kSphere, kMesh, AddSphereMesh},
    {kSphere, kHeightField, AddSphereMesh},
    {kCapsule, kCapsule, AddCapsuleCapsule},
    {kCapsule, kBox, AddPolyhedra},
    {kCapsule, kCylinder, AddWithCylinder},
    {kCapsule, kConvex, AddPolyhedra},
    {kCapsule, kMesh, AddConvexMesh},
    {kCapsule, kHeightField, AddConvexMesh},
    {kBox, kBox, AddPolyhedra},
    {kBox, kCylinder, AddWithCylinder},
    {kBox, kConvex, AddPolyhedra},
    {kBox, kMesh, AddConvexMesh},
    {kBox, kHeightField, AddConvexMesh},
    {kCylinder, kCylinder, AddWithCylinder},
    {kCylinder, kConvex, AddWithCylinder},
    {kCylinder, kMesh, AddConvexMesh},
    {kCylinder, kHeightField, AddConvexMesh},
    {kConvex, kConvex, AddPolyhedra},
    {kConvex, kMesh, AddConvexMesh},
    {kConvex, kHeightField, AddConvexMesh},
};

struct Cell {
  PairFunction function = nullptr;
  bool swapped = false;
};
using Table = std::array<std::array<Cell, kCount>, kCount>;

constexpr Table MakeTable() {
  Table table{};
  for (const Entry& e : kEntries) {
    table[e.b][e.a] = {e.function, true};
    table[e.a][e.b] = {e.function, false};
  }
  return table;
}

constexpr Table kPairs = MakeTable();

}  // namespace

bool CanTouch(int a, int b) {
  return kPairs[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)].function != nullptr;
}

void AddPairWitnesses(const PlacedShape& a, const PlacedShape& b, PairScratch* scratch,
                      WitnessSink* sink) {
  const Cell& cell = kPairs[static_cast<std::size_t>(a.kind)][static_cast<std::size_t>(b.kind)];
  if (!cell.swapped) return cell.function(a, b, scratch, sink);
  sink->Swap();
  cell.function(b, a, scratch, sink);
  sink->Swap();
}

}  // namespace saltus
