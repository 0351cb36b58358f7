#include "saltus/collision/separating_axis.h"

#include <cmath>
#include <limits>

namespace saltus {
namespace {

constexpr double kParallel = 1e-6;  // sine of an angle below which two edges make no axis

// Keeps the better of two axes; `handicap` is what the new one must win by.
struct Best {
  Axis axis;
  Best() { axis.separation = -std::numeric_limits<double>::infinity(); }

  void Offer(Axis::Kind kind, int a, int b, const Vector3& n, double s, double handicap) {
    if (!(s > axis.separation + handicap)) return;
    axis.kind = kind;
    axis.index_A = a;
    axis.index_B = b;
    axis.normal = n;
    axis.separation = s;
  }
};

// Rounding of a cross product of unit vectors with sine `sine`, seen at the far end of the shapes.
double CalcEdgeHandicap(const Convex& A, const Convex& B, double sine) {
  return CalcBias(A, B) + 4e-15 * (A.size + B.size) / sine;
}

Vector3 EdgeVector(const Convex& core, int direction) {
  const Topology& t = *core.topology;
  const Topology::Edge& e =
      t.edges[static_cast<std::size_t>(t.directions[static_cast<std::size_t>(direction)])];
  return core.vertices[e.vertex[1]] - core.vertices[e.vertex[0]];
}

double BoxExtent(const Convex& box, const Vector3& n) {
  return box.half_size.x() * std::abs(n.dot(box.R.col(0))) +
         box.half_size.y() * std::abs(n.dot(box.R.col(1))) +
         box.half_size.z() * std::abs(n.dot(box.R.col(2)));
}

bool IsSolid(const Convex& core) {
  return core.kind == ConvexKind::kBox || core.kind == ConvexKind::kHull;
}

void OfferAllEdges(const Convex& A, const Convex& B, Best* best) {
  for (int i = 0; i < static_cast<int>(A.topology->directions.size()); ++i) {
    const Vector3 a = EdgeVector(A, i).normalized();
    for (int j = 0; j < static_cast<int>(B.topology->directions.size()); ++j) {
      const Vector3 cross = a.cross(EdgeVector(B, j).normalized());
      const double sine = cross.norm();
      if (sine < kParallel) continue;
      const double handicap = CalcEdgeHandicap(A, B, sine);
      const Vector3 n = cross / sine;
      best->Offer(Axis::Kind::kEdges, i, j, n, CalcSeparation(A, B, n), handicap);
      best->Offer(Axis::Kind::kEdges, i, j, -n, CalcSeparation(A, B, -n), handicap);
    }
  }
}

void OfferCrossingEdges(const Convex& A, const Convex& B, Best* best) {
  const Vector3 c = B.p - A.p;
  for (const Topology::Edge& edge_A : A.topology->edges) {
    const Vector3 &n1 = A.normals[edge_A.face[0]], &n2 = A.normals[edge_A.face[1]];
    const Vector3& x_A = A.vertices[edge_A.vertex[0]];
    const Vector3 e = A.vertices[edge_A.vertex[1]] - x_A;
    for (const Topology::Edge& edge_B : B.topology->edges) {
      const Vector3 &m1 = B.normals[edge_B.face[0]], &m2 = B.normals[edge_B.face[1]];
      const double e_m1 = e.dot(m1), e_m2 = e.dot(m2);
      if (e_m1 * e_m2 >= 0) continue;
      const Vector3& x_B = B.vertices[edge_B.vertex[0]];
      const Vector3 f = B.vertices[edge_B.vertex[1]] - x_B;
      if (f.dot(n1) * f.dot(n2) >= 0) continue;
      const Vector3 cross = e.cross(f);
      const double length = cross.norm(), sine = length / (e.norm() * f.norm());
      if (sine < kParallel) continue;
      const Vector3 n = (cross.dot(n1 + n2) < 0 ? -1.0 : 1.0) / length * cross;
      if (n.dot(m1 + m2) >= 0) continue;  // the arcs are on opposite sides
      best->Offer(Axis::Kind::kEdges, edge_A.direction, edge_B.direction, n, n.dot(c + x_B - x_A),
                  CalcEdgeHandicap(A, B, sine));
    }
  }
}

}  // namespace

Axis FindBoxAxis(const Convex& A, const Convex& B, double limit) {
  const Vector3 c = B.p - A.p;
  const Matrix3 cosines = A.R.transpose() * B.R;
  const Matrix3 absolute = cosines.cwiseAbs();
  const Vector3 c_A = A.R.transpose() * c, c_B = B.R.transpose() * c;
  const double bias = CalcBias(A, B);
  Best best;
  for (int k = 0; k < 3; ++k) {
    const double s = std::abs(c_A[k]) - A.half_size[k] - absolute.row(k).dot(B.half_size);
    const int face = 2 * k + (c_A[k] > 0 ? 1 : 0);
    best.Offer(Axis::Kind::kFaceA, face, -1, A.normals[face], s, k == 0 ? 0.0 : bias);
  }
  if (best.axis.separation > limit) return best.axis;
  for (int k = 0; k < 3; ++k) {
    const double s = std::abs(c_B[k]) - B.half_size[k] - absolute.col(k).dot(A.half_size);
    const int face = 2 * k + (c_B[k] > 0 ? 0 : 1);  // B's outward normal looks at A
    best.Offer(Axis::Kind::kFaceB, -1, face, -B.normals[face], s, bias);
  }
  if (best.axis.separation > limit) return best.axis;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double sine2 = 1.0 - cosines(i, j) * cosines(i, j);
      if (sine2 < 1e-8) {  // the square loses digits: look again at the vectors themselves
        if (A.R.col(i).cross(B.R.col(j)).norm() < kParallel) continue;
      }
      const Vector3 cross = A.R.col(i).cross(B.R.col(j));
      const double sine = cross.norm();
      Vector3 n = cross / sine;
      if (n.dot(c) < 0) n = -n;
      const double s = n.dot(c) - BoxExtent(A, n) - BoxExtent(B, n);
      best.Offer(Axis::Kind::kEdges, i, j, n, s, CalcEdgeHandicap(A, B, sine));
    }
  }
  if (best.axis.kind == Axis::Kind::kEdges) {  // from box axes to the directions of the topology
    const auto direction = [](const Convex& box, int k) {
      for (const Topology::Edge& e : box.topology->edges) {
        if ((e.vertex[0] ^ e.vertex[1]) == 1 << k) return e.direction;
      }
      return -1;
    };
    best.axis.index_A = direction(A, best.axis.index_A);
    best.axis.index_B = direction(B, best.axis.index_B);
  }
  return best.axis;
}

double CalcPolyhedronAxisCost(const Convex& A, const Convex& B) {
  constexpr double kCrossing = 4;  // products that (1) takes at most
  if (IsSolid(A) && IsSolid(B)) {
    return kCrossing * static_cast<double>(A.topology->edges.size()) *
           static_cast<double>(B.topology->edges.size());
  }
  return static_cast<double>(A.topology->directions.size()) *
         static_cast<double>(B.topology->directions.size()) *
         static_cast<double>(A.num_vertices() + B.num_vertices());
}

Axis FindPolyhedronAxis(const Convex& A, const Convex& B) {
  const Vector3 c = B.p - A.p;
  const double bias = CalcBias(A, B);
  Best best;
  for (int f = 0; f < A.num_faces(); ++f) {
    const Vector3& n = A.normals[f];
    const double s = n.dot(c) - CalcExtent(B, -n) - A.face_offset(f);
    best.Offer(Axis::Kind::kFaceA, f, -1, n, s, f == 0 ? 0.0 : bias);
  }
  for (int f = 0; f < B.num_faces(); ++f) {
    const Vector3 n = -B.normals[f];
    const double s = n.dot(c) - B.face_offset(f) - CalcExtent(A, n);
    best.Offer(Axis::Kind::kFaceB, -1, f, n, s, bias);
  }
  if (IsSolid(A) && IsSolid(B)) {
    OfferCrossingEdges(A, B, &best);
  } else {
    OfferAllEdges(A, B, &best);
  }
  return best.axis;
}

}  // namespace saltus
