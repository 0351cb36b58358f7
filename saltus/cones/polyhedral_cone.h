// The friction pyramid: Coulomb's cone with a regular polygon in place of the disc, as linear
// complementarity problems need it [@cite StewartTrinkle1996, @cite AnitescuPotra1997].
//
//   K = {x_T ∈ μ x_N P},  P = conv{d_0, …, d_{k−1}},  d_i = (cos 2πi/k, sin 2πi/k)             (1)
//   h_P(y) = max_i d_i·y                          support function of P                        (2)
//   K* = {x_N ≥ μ h_P(−x_T)}                                                                   (3)
//
// P lies inside the unit circle and reaches it in its corners: friction is at most μ x_N, and at
// least cos(π/k) of it. The projection onto K uses the symmetry of P: a point and its projection
// share a sector between two corners, with coordinates ξ along the outer normal of the side and η
// along the side. There K is bounded by one plane and two edges:
//
//   ξ ≤ μ cos(π/k) x_N,   edges t (1, μ cos(π/k), ±μ sin(π/k))                                 (4)
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace saltus {

/// The sector of (4) in which a tangential vector lies: its outer normal is (cos, sin).
struct PolygonSector {
  double cos = 1, sin = 0;            // of the angle of the outer normal
  double half_cos = 1, half_sin = 0;  // of π/k

  PolygonSector(int corners, double x, double y) {
    const double width = 2 * std::numbers::pi / corners;
    const double middle = (std::floor(std::atan2(y, x) / width) + 0.5) * width;
    cos = std::cos(middle);
    sin = std::sin(middle);
    half_cos = std::cos(width / 2);
    half_sin = std::sin(width / 2);
  }
  double Xi(double x, double y) const { return cos * x + sin * y; }
  double Eta(double x, double y) const { return cos * y - sin * x; }
};

/// h_P, eq. (2).
inline double CalcPolygonSupport(int corners, double x, double y) {
  const PolygonSector s(corners, x, y);
  return s.half_cos * s.Xi(x, y) + s.half_sin * std::abs(s.Eta(x, y));
}

/// Where a projection ends.
enum class PyramidFace { kInside, kSide, kEdge, kTip };

/// x ← P_K(x) for x = (x_N, x_T). `edge`: +1 or −1 for the edge of the sector, where it ends there.
inline PyramidFace ProjectOntoPyramid(double mu, const PolygonSector& s, double* x, double* edge) {
  const double xi = s.Xi(x[1], x[2]), eta = s.Eta(x[1], x[2]);
  const double slope = mu * s.half_cos, spread = mu * s.half_sin;
  if (x[0] >= 0 && xi <= slope * x[0]) return PyramidFace::kInside;
  *edge = eta < 0 ? -1.0 : 1.0;
  const double normal = (x[0] + slope * xi) / (1 + slope * slope);
  double p_n = normal, p_xi = slope * normal, p_eta = eta;
  PyramidFace face = PyramidFace::kSide;
  if (!(normal > 0) || std::abs(eta) > spread * normal) {
    p_n = (x[0] + slope * xi + spread * std::abs(eta)) / (1 + mu * mu);
    if (!(p_n > 0)) {
      x[0] = x[1] = x[2] = 0;
      return PyramidFace::kTip;
    }
    p_xi = slope * p_n;
    p_eta = *edge * spread * p_n;
    face = PyramidFace::kEdge;
  }
  x[0] = p_n;
  x[1] = s.cos * p_xi - s.sin * p_eta;
  x[2] = s.sin * p_xi + s.cos * p_eta;
  return face;
}

inline void ProjectOntoPyramid(double mu, int corners, double* x) {
  double edge = 1;
  ProjectOntoPyramid(mu, PolygonSector(corners, x[1], x[2]), x, &edge);
}

}  // namespace saltus
