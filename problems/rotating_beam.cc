// Segments j = 1 … n with absolute angles θ_j after the hub's θ₀:
//   M_ij = C_ij cos(θ_i − θ_j),   f_i = −Σ_j C_ij sin(θ_i − θ_j) θ̇_j² − springs,   θ₀ = Ωt
//   C_00 = J₀ + n m r₀²,  C_0j = m r₀ l (n + ½ − j),  C_jj = m l²(n − j + ¼) + J,
//   C_ij = m l²(n + ½ − max(i, j))
#include <cmath>

#include "problems/mechanisms.h"

namespace saltus {
namespace {

struct Beam {
  MatrixX C;
  double stiffness;  // of each spring, N m
  double offset;     // θ₁ − θ₀ without stress

  explicit Beam(const RotatingBeamData& d) : C(d.segments + 1, d.segments + 1) {
    const int n = d.segments;
    const double l = d.length / n, area = d.side * d.side, m = d.density * area * l;
    stiffness = d.modulus * area * area / 12 / l;
    offset = M_PI / 2;
    C(0, 0) = d.hub_inertia + n * m * d.radius * d.radius;
    for (int i = 1; i <= n; ++i) {
      C(0, i) = C(i, 0) = m * d.radius * l * (n + 0.5 - i);
      for (int j = 1; j <= n; ++j) C(i, j) = m * l * l * (n + 0.5 - std::max(i, j));
      C(i, i) = m * l * l * (n - i + 0.25) + m * l * l / 12;
    }
  }
  int size() const { return static_cast<int>(C.rows()); }
  double Stretch(const VectorX& q, int i) const {  // of the spring before segment i ≥ 1
    return q[i] - q[i - 1] - (i == 1 ? offset : 0);
  }
  void CalcForce(const VectorX& q, const VectorX& v, VectorX* f) const {
    f->setZero();
    for (int i = 0; i < size(); ++i) {
      for (int j = 0; j < size(); ++j) (*f)[i] -= C(i, j) * std::sin(q[i] - q[j]) * v[j] * v[j];
    }
    for (int i = 1; i < size(); ++i) {
      const double moment = stiffness * Stretch(q, i);
      (*f)[i] -= moment;
      (*f)[i - 1] += moment;
    }
  }
  void CalcTangents(const VectorX& q, const VectorX& v, BlockMatrix* K, BlockMatrix* D) const {
    auto k = K->block(0), d = D->block(0);
    for (int i = 0; i < size(); ++i) {
      for (int j = 0; j < size(); ++j) {
        const double c = C(i, j) * std::cos(q[i] - q[j]) * v[j] * v[j];
        k(i, i) += c;
        k(i, j) -= c;
        d(i, j) += 2 * C(i, j) * std::sin(q[i] - q[j]) * v[j];
      }
    }
    for (int i = 1; i < size(); ++i) {
      k(i, i) += stiffness;
      k(i - 1, i - 1) += stiffness;
      k(i, i - 1) -= stiffness;
      k(i - 1, i) -= stiffness;
    }
  }
};

}  // namespace

Equations MakeRotatingBeam(const RotatingBeamData& data) {
  Equations e;
  const Beam beam(data);
  const double speed = data.speed;
  e.name = "rotating beam";
  e.block_sizes = {beam.size()};
  e.q0 = VectorX::Constant(beam.size(), beam.offset);
  e.q0[0] = 0;
  e.v0 = VectorX::Constant(beam.size(), speed);
  e.constant_mass = false;
  e.mass = [beam](const VectorX& q, BlockMatrix* M) {
    auto block = M->block(0);
    for (int i = 0; i < beam.size(); ++i) {
      for (int j = 0; j <= i; ++j) {
        block(i, j) = block(j, i) = beam.C(i, j) * std::cos(q[i] - q[j]);
      }
    }
  };
  e.force = [beam](double, const VectorX& q, const VectorX& v, VectorX* f) {
    beam.CalcForce(q, v, f);
  };
  e.tangents = [beam](double, const VectorX& q, const VectorX& v, BlockMatrix* K, BlockMatrix* D) {
    beam.CalcTangents(q, v, K, D);
  };
  e.energy = [beam](const VectorX& q, const VectorX& v) {
    Energy energy;
    for (int i = 0; i < beam.size(); ++i) {
      for (int j = 0; j < beam.size(); ++j) {
        energy.kinetic += 0.5 * beam.C(i, j) * std::cos(q[i] - q[j]) * v[i] * v[j];
      }
      const double stretch = i > 0 ? beam.Stretch(q, i) : 0;
      energy.elastic += 0.5 * beam.stiffness * stretch * stretch;
    }
    return energy;
  };
  e.constraint_names = {"hub"};
  e.constraint = [speed](double t, const VectorX& q, VectorX* g) { (*g)[0] = q[0] - speed * t; };
  e.jacobian = [](double, const VectorX&, MatrixX* G) { (*G)(0, 0) = 1; };
  e.rate = [speed](double, const VectorX&, VectorX* g_t) { (*g_t)[0] = -speed; };
  e.bias = [](double, const VectorX&, const VectorX&, VectorX*) {};
  e.geometric_stiffness = [](const VectorX&, const VectorX&, BlockMatrix*) {};
  return e;
}

Vector2 CalcBeamTip(const RotatingBeamData& data, const VectorX& q) {
  Vector2 tip(data.radius, 0);
  for (int i = 1; i <= data.segments; ++i) {
    const double angle = q[i] - q[0];
    tip += data.length / data.segments * Vector2(std::cos(angle), std::sin(angle));
  }
  return tip;
}

}  // namespace saltus
