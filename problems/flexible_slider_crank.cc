// The printed equations, in the order of the test set: unknowns x = (φ₁, φ₂, x₃, q), q the modes of
// the rod, a = φ̇₁, w = φ̇₂, C and S the cosine and sine of φ₁ − φ₂.
#include <cmath>

#include "problems/mechanisms.h"

namespace saltus {
namespace {

struct Rod {
  double J1 = 0.002727, J2 = 0.0045339259, M2 = 0.151104, M3 = 0.075552;  // kg m², kg
  double L1 = 0.15, L2 = 0.3, speed = 150, rho = 7870;                    // m, rad/s, kg/m³
  Eigen::Matrix4d Mq = Eigen::Matrix4d::Zero(), Kq = Eigen::Matrix4d::Zero(),
                  Bq = Eigen::Matrix4d::Zero();
  Vector4 c1 = Vector4::Zero(), c2 = Vector4::Zero(), c12 = Vector4::Zero(), c21 = Vector4::Zero();

  Rod() {
    const double pi = 3.1415927, side = 0.008, modulus = 2e11;  // π as the test set prints it
    const double fm = rho * side * side * L2, fk = modulus * side * side / L2,
                 fb = side * side * L2;
    const double slender = (side / L2) * (side / L2), pi3 = pi * pi * pi, pi4 = pi3 * pi;
    Mq.topLeftCorner<2, 2>().diagonal().setConstant(0.5 * fm);
    Mq.bottomRightCorner<2, 2>() << 8 * fm, fm, fm, 2 * fm;
    Kq(0, 0) = fk * pi4 / 24 * slender;
    Kq(1, 1) = fk * pi4 * 2 / 3 * slender;
    Kq.bottomRightCorner<2, 2>() << fk * 16 / 3, -fk * 8 / 3, -fk * 8 / 3, fk * 7 / 3;
    Bq(0, 2) = -16 * fb / pi3;
    Bq(0, 3) = fb * (8 / pi3 - 1 / pi);
    Bq(1, 3) = fb / (2 * pi);
    Bq -= Eigen::Matrix4d(Bq.transpose());
    c1 << 0, 0, 2 / 3.0 * fb, fb / 6;
    c2 << 2 / pi * fb, 0, 0, 0;
    c12 << 0, 0, L2 * fb / 3, L2 * fb / 6;
    c21 << L2 * fb / pi, -L2 * fb / (2 * pi), 0, 0;
  }

  void CalcMass(const VectorX& x, BlockMatrix* M) const {
    const Vector4 q = x.tail<4>();
    const double C = std::cos(x[0] - x[1]), S = std::sin(x[0] - x[1]);
    auto B = M->block(0);
    B(0, 0) = J1 + M2 * L1 * L1;
    B(0, 1) = B(1, 0) = 0.5 * L1 * L2 * M2 * C + rho * L1 * (S * c2.dot(q) + C * c1.dot(q));
    B(1, 1) = J2 + q.dot(Mq * q) + 2 * rho * c12.dot(q);
    B(2, 2) = M3;
    const Vector4 first = rho * L1 * (C * c2 - S * c1);
    const Vector4 second = rho * (c21 + Bq.transpose() * q);
    for (int i = 0; i < 4; ++i) {
      B(0, 3 + i) = B(3 + i, 0) = first[i];
      B(1, 3 + i) = B(3 + i, 1) = second[i];
    }
    B.block<4, 4>(3, 3) = Mq;
  }

  /// Without the elastic force −K_q q, whose size would drown the differences of the others.
  void CalcInertiaForce(const VectorX& x, const VectorX& u, VectorX* f) const {
    const Vector4 q = x.tail<4>(), p = u.tail<4>();
    const double C = std::cos(x[0] - x[1]), S = std::sin(x[0] - x[1]), a = u[0], w = u[1];
    (*f)[0] = -0.5 * L1 * L2 * M2 * w * w * S + rho * L1 * w * w * (C * c2.dot(q) - S * c1.dot(q)) -
              2 * rho * L1 * w * (C * c1.dot(p) + S * c2.dot(p));
    (*f)[1] = 0.5 * L1 * L2 * M2 * a * a * S + rho * L1 * a * a * (S * c1.dot(q) - C * c2.dot(q)) -
              2 * rho * w * c12.dot(p) - 2 * w * p.dot(Mq * q) - rho * p.dot(Bq * p);
    (*f)[2] = 0;
    f->tail<4>() =
        w * w * (Mq * q) + rho * (w * w * c12 + L1 * a * a * (C * c1 + S * c2) + 2 * w * (Bq * p));
  }
};

void SetJoints(const Rod& rod, Equations* e) {
  const double L1 = rod.L1, L2 = rod.L2, speed = rod.speed;
  e->constraint_names = {"slider y", "slider x", "drive"};
  e->constraint = [=](double t, const VectorX& x, VectorX* g) {
    (*g)[0] = L1 * std::sin(x[0]) + (L2 + x[6]) * std::sin(x[1]);
    (*g)[1] = x[2] - L1 * std::cos(x[0]) - (L2 + x[6]) * std::cos(x[1]);
    (*g)[2] = x[0] - speed * t;
  };
  e->jacobian = [=](double, const VectorX& x, MatrixX* G) {
    const double s1 = std::sin(x[0]), k1 = std::cos(x[0]), s2 = std::sin(x[1]), k2 = std::cos(x[1]),
                 l = L2 + x[6];
    G->row(0) << L1 * k1, l * k2, 0, 0, 0, 0, s2;
    G->row(1) << L1 * s1, l * s2, 1, 0, 0, 0, -k2;
    (*G)(2, 0) = 1;
  };
  e->rate = [speed](double, const VectorX&, VectorX* g_t) { (*g_t)[2] = -speed; };
  e->bias = [=](double, const VectorX& x, const VectorX& u, VectorX* gamma) {
    const double s1 = std::sin(x[0]), k1 = std::cos(x[0]), s2 = std::sin(x[1]), k2 = std::cos(x[1]),
                 l = L2 + x[6], aa = u[0] * u[0], ww = u[1] * u[1];
    (*gamma)[0] = -L1 * s1 * aa - l * s2 * ww + 2 * k2 * u[1] * u[6];
    (*gamma)[1] = L1 * k1 * aa + l * k2 * ww + 2 * s2 * u[1] * u[6];
  };
  e->geometric_stiffness = [=](const VectorX& x, const VectorX& lambda, BlockMatrix* K) {
    const double s1 = std::sin(x[0]), k1 = std::cos(x[0]), s2 = std::sin(x[1]), k2 = std::cos(x[1]),
                 l = L2 + x[6];
    auto B = K->block(0);
    B(0, 0) += L1 * (s1 * lambda[0] - k1 * lambda[1]);
    B(1, 1) += l * (s2 * lambda[0] - k2 * lambda[1]);
    B(1, 6) -= k2 * lambda[0] + s2 * lambda[1];
    B(6, 1) -= k2 * lambda[0] + s2 * lambda[1];
  };
}

}  // namespace

Equations MakeFlexibleSliderCrank() {
  Equations e;
  const Rod rod;
  e.name = "flexible slider-crank";
  e.block_sizes = {7};
  e.q0.resize(7);
  e.v0.resize(7);
  e.q0 << 0, 0, 0.450016933, 0, 0, 1.03339863e-5, 1.69327969e-5;
  e.v0 << 150, -74.9957670, -2.68938672e-6, 0.444896105, 4.63434311e-3, -1.78591076e-6,
      -2.68938672e-6;
  e.constant_mass = false;
  e.mass = [rod](const VectorX& x, BlockMatrix* M) { rod.CalcMass(x, M); };
  e.force = [rod](double, const VectorX& x, const VectorX& u, VectorX* f) {
    rod.CalcInertiaForce(x, u, f);
  };
  AddDifferenceTangents(&e);
  e.force = [rod](double, const VectorX& x, const VectorX& u, VectorX* f) {
    rod.CalcInertiaForce(x, u, f);
    f->tail<4>() -= rod.Kq * x.tail<4>();
  };
  e.tangents = [rod, of_inertia = e.tangents](double t, const VectorX& x, const VectorX& u,
                                              BlockMatrix* K, BlockMatrix* D) {
    of_inertia(t, x, u, K, D);
    K->block(0).bottomRightCorner<4, 4>() += rod.Kq;
  };
  e.energy = [rod, pattern = std::make_shared<const BlockPattern>(
                       std::vector<int>{7}, std::vector<std::array<int, 2>>{})](const VectorX& x,
                                                                                const VectorX& u) {
    BlockMatrix M(pattern);
    rod.CalcMass(x, &M);
    const Vector4 q = x.tail<4>();
    return Energy{0.5 * u.dot(M.ToDense() * u), 0, 0.5 * q.dot(rod.Kq * q)};
  };
  SetJoints(rod, &e);
  return e;
}

}  // namespace saltus
