// Features: what of two shapes touches, in one number.
//
// Each side of a contact is an element of its shape. Two elements determine gap, normal and
// witness points as smooth functions of the two poses, whatever the sign of the gap:
//   face  – point     n = the face normal,            gap = n·(x − x_face) − radius            (1)
//   point – point     n ∥ x_B − x_A,                  gap = |x_B − x_A| − radii                (2)
//   line  – point     n from the line to the point,   gap = their distance − radii             (3)
//   line  – line      n ∥ d_A × d_B,                  gap = n·(x_B − x_A) − radii              (4)
//   face  – rim       the lowest point of the rim,    gap = n·c − R |n − (n·u)u|               (5)
//   rim – point, line or rim: the direction of best separation, see best_normal.h              (6)
//   solid – point     the nearest point of the whole shape (spheres)                           (7)
//   point – point     along a held direction n,       gap = n·(x_B − x_A) − radii              (8)
// On a cap that comes to lie flat the lowest point runs round the rim; (5) follows it by kRimArc to
// both sides of where it was found, and beyond that other points of the rim are lower.
// In all of them but (8), where the points may be beside each other, p_B − p_A = gap n, and in all
// the derivative of the gap is n·(v_B(p_B) − v_A(p_A)): the normal row is exact. Material points
// and tangent planes are carried by a body: they are those of the witness that the feature was
// found with. In (2), (3) and (7) a shape that has gone more than half way through the other would
// be pushed out on the far side; where it overlaps there, seen from the given normal, the gap goes
// on falling instead: −|x_B − x_A| − radii, and in (7) that of the tangent plane of the witness.
#pragma once

#include <cstdint>
#include <numbers>

#include "saltus/base/types.h"

namespace saltus {

enum class ElementKind : std::uint8_t {
  kPoint,     // vertex, centre of a sphere, end of a capsule's axis, fixed point of a rim
  kLine,      // edge, axis of a capsule or cylinder (unbounded)
  kFace,      // face, cap, triangle, half-space (unbounded)
  kRim,       // of a cylinder
  kMaterial,  // a point of the body where the witness was
  kTangent,   // a plane of the body through the witness, square to its normal
  kSolid      // the whole shape
};

struct Element {
  ElementKind kind = ElementKind::kPoint;
  int index = 0;  // of vertex, edge, face or rim in its shape; below 2^27
  friend bool operator==(const Element&, const Element&) = default;
};

using Feature = std::uint64_t;

/// Slot of the points of (8).
constexpr unsigned kHeldDirection = 15;

/// Kind and index of A and B, and four bits that tell equal names apart.
constexpr Feature MakeFeature(Element A, Element B, unsigned slot = 0) {
  constexpr auto pack = [](Element e) {
    return (static_cast<Feature>(e.kind) << 27) | (static_cast<Feature>(e.index) & 0x7ffffff);
  };
  return (pack(A) << 34) | (pack(B) << 4) | (slot & 15u);
}
constexpr Element UnpackElement(Feature bits) {
  return {static_cast<ElementKind>((bits >> 27) & 7), static_cast<int>(bits & 0x7ffffff)};
}
constexpr Element FeatureElementA(Feature feature) { return UnpackElement(feature >> 34); }
constexpr Element FeatureElementB(Feature feature) {
  return UnpackElement((feature >> 4) & 0x3fffffff);
}
constexpr unsigned FeatureSlot(Feature feature) { return static_cast<unsigned>(feature & 15); }
constexpr Feature SwapFeature(Feature feature) {
  return MakeFeature(FeatureElementB(feature), FeatureElementA(feature), FeatureSlot(feature));
}

/// An index for a material point that is named by up to three small numbers.
constexpr int MixIndex(int a, int b, int c) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull;
  for (const int part : {a, b, c}) {
    h ^= static_cast<std::uint32_t>(part);
    h *= 0xBF58476D1CE4E5B9ull;
    h ^= h >> 31;
  }
  return static_cast<int>((h >> 16) & 0x7ffffff);
}

/// Arc of (5), rad: up to the next of the points that are fixed to the rim.
constexpr double kRimArc = 0.25 * std::numbers::pi;

/// An element in space.
struct PlacedElement {
  ElementKind kind = ElementKind::kPoint;
  Vector3 x = Vector3::Zero();   // the point, a point of the line or plane, the centre of the rim
  Vector3 d = Vector3::UnitZ();  // line: direction; face: outward normal; rim: axis (all unit)
  double radius = 0;             // inflation, m
  double rim = 0;                // radius of the rim, m
  // Rim: unit direction to the witness that the feature was found with; 0: no arc.
  Vector3 toward = Vector3::Zero();
};

struct ElementWitness {
  Vector3 point_A, point_B, normal;
  double gap = 0;
};

/// (1)–(6). `normal` is a direction near the wanted one: it gives the side in (2) to (4) and the
/// start of (6). False where the elements do not determine a normal.
bool CalcElementWitness(const PlacedElement& A, const PlacedElement& B, const Vector3& normal,
                        ElementWitness* witness);

}  // namespace saltus
