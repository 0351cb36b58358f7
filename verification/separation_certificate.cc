#include "verification/separation_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The radius of a sphere or capsule about its centre or axis.
double GetRadius(const Shape& shape) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Capsule>(&shape)) return s->radius;
  return 0;
}

// The point of the shape, without that radius, that is farthest along d, in its own frame.
Vector3 FindFarthest(const Shape& shape, const Vector3& d) {
  const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
  if (std::holds_alternative<Sphere>(shape)) return Vector3::Zero();
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return {0, 0, sign(d.z()) * s->half_length};
  }
  if (const auto* s = std::get_if<Box>(&shape)) {
    return {sign(d.x()) * s->half_size.x(), sign(d.y()) * s->half_size.y(),
            sign(d.z()) * s->half_size.z()};
  }
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    const double across = std::hypot(d.x(), d.y());
    const double scale = across > 0 ? s->radius / across : 0.0;
    return {scale * d.x(), scale * d.y(), sign(d.z()) * s->half_length};
  }
  const auto* hull = std::get_if<ConvexHull>(&shape);
  if (hull == nullptr) throw InputError(ShapeName(shape), "has no separation certificate");
  const std::vector<Vector3>& vertices = hull->polyhedron->vertices;
  return *std::max_element(vertices.begin(), vertices.end(),
                           [&](const auto& x, const auto& y) { return d.dot(x) < d.dot(y); });
}

double CalcSize(const Shape& shape) {
  double size = GetRadius(shape);
  for (int k = 0; k < 3; ++k) {
    for (const double sign : {-1.0, 1.0}) {
      size = std::max(size, FindFarthest(shape, sign * Vector3::Unit(k)).norm());
    }
  }
  return size;
}

// Directions in which the support function has a kink: normals of faces and directions of lines.
struct Kinks {
  std::vector<Vector3> normals, lines;  // world
};

Kinks ListKinks(const CertifiedShape& placed) {
  Kinks kinks;
  const Matrix3 R = placed.pose.R.toRotationMatrix();
  if (std::holds_alternative<Box>(placed.shape)) {
    for (int k = 0; k < 3; ++k) {
      kinks.normals.push_back(R.col(k));
      kinks.lines.push_back(R.col(k));
    }
  } else if (std::holds_alternative<Cylinder>(placed.shape)) {
    kinks.normals.push_back(R.col(2));
    kinks.lines.push_back(R.col(2));
  } else if (std::holds_alternative<Capsule>(placed.shape)) {
    kinks.lines.push_back(R.col(2));
  } else if (const auto* hull = std::get_if<ConvexHull>(&placed.shape)) {
    const Polyhedron& poly = *hull->polyhedron;
    for (const Vector3& n : poly.face_normals) kinks.normals.push_back(R * n);
    for (const auto& [a, b] : poly.edges) {
      kinks.lines.push_back(R * (poly.vertices[static_cast<std::size_t>(b)] -
                                 poly.vertices[static_cast<std::size_t>(a)])
                                    .normalized());
    }
  }
  return kinks;
}

// Wolfe's algorithm: the point of the convex hull of support points nearest to the origin.
class NearestPoint {
 public:
  NearestPoint(const CertifiedShape& A, const CertifiedShape& B, const Vector3& shift)
      : A_(A), B_(B), shift_(shift) {
    R_A_ = A.pose.R.toRotationMatrix();
    R_B_ = B.pose.R.toRotationMatrix();
  }

  // A point of (B + shift) ⊖ A with the least n·z.
  Vector3 FindLowest(const Vector3& n) const {
    const Vector3 a = A_.pose.p + R_A_ * FindFarthest(A_.shape, R_A_.transpose() * n);
    const Vector3 b = B_.pose.p + R_B_ * FindFarthest(B_.shape, -(R_B_.transpose() * n));
    return b + shift_ - a;
  }

  Vector3 Solve(const Vector3& start) {
    constexpr int kMaxIterations = 200;
    points_.assign(1, FindLowest(start));
    weights_.assign(1, 1.0);
    Vector3 x = points_[0];
    for (int i = 0; i < kMaxIterations; ++i) {
      const Vector3 z = FindLowest(x);
      if (x.squaredNorm() - x.dot(z) <= 1e-15 * x.squaredNorm()) break;
      points_.push_back(z);
      weights_.push_back(0.0);
      const Vector3 next = MoveToHull();
      if (!(next.squaredNorm() < x.squaredNorm())) break;
      x = next;
    }
    return x;
  }

 private:
  // Minimises |Σ w z|² over Σ w = 1, w ≥ 0 from the present weights, dropping points on the way.
  Vector3 MoveToHull() {
    for (;;) {
      const auto m = static_cast<Eigen::Index>(points_.size());
      MatrixX K = MatrixX::Ones(m, m);  // (Z Zᵀ + 1 1ᵀ) w ∝ 1
      for (Eigen::Index i = 0; i < m; ++i) {
        for (Eigen::Index j = 0; j < m; ++j) {
          K(i, j) += points_[static_cast<std::size_t>(i)].dot(points_[static_cast<std::size_t>(j)]);
        }
      }
      VectorX target = K.ldlt().solve(VectorX::Ones(m));
      target /= target.sum();
      double step = 1;
      std::size_t blocking = points_.size();
      for (std::size_t k = 0; k < points_.size(); ++k) {
        const double t = target[static_cast<Eigen::Index>(k)];
        if (t > 0) continue;
        const double way = weights_[k] - t, limit = way > 0 ? weights_[k] / way : 0.0;
        if (blocking == points_.size() || limit < step) step = limit, blocking = k;
      }
      for (std::size_t k = 0; k < points_.size(); ++k) {
        weights_[k] += step * (target[static_cast<Eigen::Index>(k)] - weights_[k]);
      }
      if (blocking == points_.size()) break;
      points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(blocking));
      weights_.erase(weights_.begin() + static_cast<std::ptrdiff_t>(blocking));
    }
    Vector3 x = Vector3::Zero();
    for (std::size_t k = 0; k < points_.size(); ++k) x += weights_[k] * points_[k];
    return x;
  }

  const CertifiedShape &A_, &B_;
  Vector3 shift_;
  Matrix3 R_A_, R_B_;
  std::vector<Vector3> points_;
  std::vector<double> weights_;
};

class Search {
 public:
  Search(const CertifiedShape& A, const CertifiedShape& B, double enough)
      : A_(A), B_(B), enough_(enough), kinks_A_(ListKinks(A)), kinks_B_(ListKinks(B)) {
    best_.separation = -kInfinity;
  }

  SeparationCertificate Run() {
    const Vector3 c = B_.pose.p - A_.pose.p;
    Offer(c.norm() > 0 ? c : Vector3(Vector3::UnitX()));
    OfferKinks();
    if (!Done()) OfferNearest();
    return best_;
  }

 private:
  bool Done() const { return best_.separation >= enough_; }

  bool Offer(const Vector3& direction) {
    const double length = direction.norm();
    if (!(length > 0)) return false;
    const Vector3 n = direction / length;
    const double s = CalcCertifiedSeparation(A_, B_, n);
    if (!(s > best_.separation)) return false;
    best_ = {s, n};
    return true;
  }

  void OfferKinks() {
    for (const Kinks* kinks : {&kinks_A_, &kinks_B_}) {
      for (const Vector3& n : kinks->normals) {
        Offer(n);
        Offer(-n);
        if (Done()) return;
      }
    }
    for (const Vector3& a : kinks_A_.lines) {
      for (const Vector3& b : kinks_B_.lines) {
        const Vector3 cross = a.cross(b);
        if (cross.norm() < 1e-8) continue;
        Offer(cross);
        Offer(-cross);
        if (Done()) return;
      }
    }
  }

  void OfferNearest() {
    constexpr int kMaxIterations = 60;
    const double size = std::min(CalcSize(A_.shape), CalcSize(B_.shape));
    int idle = 0;
    for (int i = 0; i < kMaxIterations && idle < 5 && !Done(); ++i) {
      const double radii = GetRadius(A_.shape) + GetRadius(B_.shape);
      const double way = 0.05 * size - (best_.separation + radii);
      NearestPoint nearest(A_, B_, std::max(0.0, way) * best_.normal);
      bool better = Offer(nearest.Solve(best_.normal));
      better |= OfferCircles();
      idle = better ? 0 : idle + 1;
    }
  }

  bool OfferCircles() {
    bool better = false;
    for (const Kinks* kinks : {&kinks_A_, &kinks_B_}) {
      for (const Vector3& e : kinks->lines) {
        if (std::abs(best_.normal.dot(e)) < 1e-2) better |= OfferCircle(e);
      }
    }
    return better;
  }

  // The maximum on the circle square to e near the best direction, by golden sections.
  bool OfferCircle(const Vector3& e) {
    const Vector3 n0 = (best_.normal - best_.normal.dot(e) * e).normalized(), t = e.cross(n0);
    const auto at = [&](double angle) -> Vector3 {
      return std::cos(angle) * n0 + std::sin(angle) * t;
    };
    const auto value = [&](double angle) { return CalcCertifiedSeparation(A_, B_, at(angle)); };
    const double golden = 0.5 * (std::sqrt(5.0) - 1);
    double low = -0.05, high = 0.05;
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double f = value(x), g = value(y);
    while (high - low > 1e-10) {
      if (f > g) {
        high = y, y = x, g = f;
        f = value(x = high - golden * (high - low));
      } else {
        low = x, x = y, f = g;
        g = value(y = low + golden * (high - low));
      }
    }
    return Offer(at(0.5 * (low + high)));
  }

  const CertifiedShape &A_, &B_;
  double enough_;
  Kinks kinks_A_, kinks_B_;
  SeparationCertificate best_;
};

}  // namespace

double CalcCertifiedSeparation(const CertifiedShape& A, const CertifiedShape& B, const Vector3& n) {
  const auto extent = [](const CertifiedShape& placed, const Vector3& d) {
    if (const auto* half_space = std::get_if<HalfSpace>(&placed.shape)) {
      const bool along = (d - placed.pose.R * half_space->normal).norm() < 1e-12;
      return along ? half_space->offset : kInfinity;
    }
    const Vector3 local = placed.pose.R.toRotationMatrix().transpose() * d;
    return local.dot(FindFarthest(placed.shape, local)) + GetRadius(placed.shape);
  };
  return n.dot(B.pose.p - A.pose.p) - extent(A, n) - extent(B, -n);
}

SeparationCertificate FindSeparation(const CertifiedShape& A, const CertifiedShape& B,
                                     double enough) {
  const auto* plane_A = std::get_if<HalfSpace>(&A.shape);
  const auto* plane_B = std::get_if<HalfSpace>(&B.shape);
  if (plane_A == nullptr && plane_B == nullptr) return Search(A, B, enough).Run();
  const Vector3 n =
      plane_A != nullptr ? A.pose.R * plane_A->normal : Vector3(-(B.pose.R * plane_B->normal));
  return {CalcCertifiedSeparation(A, B, n), n};
}

}  // namespace saltus
