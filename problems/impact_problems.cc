#include "problems/impact_problems.h"

#include <cmath>

namespace saltus {

Equations MakeBouncingBall(const BouncingBallData& d) {
  Equations e;
  e.name = "bouncing ball";
  e.block_sizes = {1};
  e.q0 = VectorX::Constant(1, d.height);
  e.v0 = VectorX::Constant(1, d.velocity);
  e.mass = [d](const VectorX&, BlockMatrix* M) { M->block(0)(0, 0) = d.mass; };
  e.force = [d](double, const VectorX&, const VectorX&, VectorX* f) {
    (*f)[0] = -d.mass * d.gravity;
  };
  e.energy = [d](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * d.mass * v[0] * v[0], d.mass * d.gravity * q[0], 0};
  };
  e.contacts = {{"floor", 1, 0, d.restitution, {0}, [](const VectorX& q, double* rows) {
                   rows[0] = 1;
                   return q[0];
                 }}};
  return e;
}

// Flight n begins at T_n = −T + 2T (1 − eⁿ)/(1 − e) with the speed eⁿ g T, T = √(2h/g).
BallMotion CalcBouncingBall(const BouncingBallData& d, double t) {
  const double T = std::sqrt(2 * d.height / d.gravity), e = d.restitution;
  const double c = (1 - e) / (2 * T);
  if (1 - c * (t + T) <= 0) return {};
  const double en = std::pow(e, std::floor(std::log(1 - c * (t + T)) / std::log(e)));
  const double tau = t + T - (1 - en) / c;
  return {d.gravity * (en * T * tau - 0.5 * tau * tau), d.gravity * (en * T - tau)};
}

Equations MakeImpactOscillator(const ImpactOscillatorData& d) {
  Equations e;
  e.name = "impact oscillator";
  e.block_sizes = {1};
  e.q0 = VectorX::Zero(1);
  e.v0 = VectorX::Zero(1);
  e.mass = [](const VectorX&, BlockMatrix* M) { M->block(0)(0, 0) = 1; };
  e.force = [d](double t, const VectorX& q, const VectorX& v, VectorX* f) {
    (*f)[0] = std::cos(d.frequency * t) - d.damping * v[0] - d.stiffness * q[0];
  };
  e.nonconservative = [d](double t, const VectorX&, const VectorX& v, VectorX* f) {
    (*f)[0] = std::cos(d.frequency * t) - d.damping * v[0];
  };
  e.tangents = [d](double, const VectorX&, const VectorX&, BlockMatrix* K, BlockMatrix* D) {
    K->block(0)(0, 0) = d.stiffness;
    D->block(0)(0, 0) = d.damping;
  };
  e.energy = [d](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * v[0] * v[0], 0, 0.5 * d.stiffness * q[0] * q[0]};
  };
  e.contacts = {{"stop", 1, 0, d.restitution, {0}, [d](const VectorX& q, double* rows) {
                   rows[0] = -1;
                   return d.stop - q[0];
                 }}};
  return e;
}

Equations MakeBouncingPendulum(const BouncingPendulumData& d) {
  Equations e;
  const double l = d.length;
  e.name = "bouncing pendulum";
  e.block_sizes = {3};
  e.q0 = Vector3(l * std::cos(d.angle), l * std::sin(d.angle), d.angle);
  e.v0 = Vector3::Zero();
  e.mass = [d](const VectorX&, BlockMatrix* M) {
    M->block(0).diagonal() = Vector3(d.mass, d.mass, d.inertia);
  };
  e.force = [d](double, const VectorX&, const VectorX&, VectorX* f) {
    *f = Vector3(0, -d.mass * d.gravity, 0);
  };
  e.energy = [d](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * (d.mass * v.head<2>().squaredNorm() + d.inertia * v[2] * v[2]),
                  d.mass * d.gravity * q[1], 0};
  };
  e.speed_bound = [](const VectorX&, const VectorX& v) { return v.head<2>().norm(); };
  e.constraint_names = {"rod x", "rod y"};
  e.constraint = [l](double, const VectorX& q, VectorX* g) {
    *g = Vector2(q[0] - l * std::cos(q[2]), q[1] - l * std::sin(q[2]));
  };
  e.jacobian = [l](double, const VectorX& q, MatrixX* G) {
    *G << 1, 0, l * std::sin(q[2]), 0, 1, -l * std::cos(q[2]);
  };
  e.bias = [l](double, const VectorX& q, const VectorX& v, VectorX* gamma) {
    *gamma = l * v[2] * v[2] * Vector2(std::cos(q[2]), std::sin(q[2]));
  };
  e.geometric_stiffness = [l](const VectorX& q, const VectorX& lambda, BlockMatrix* K) {
    K->block(0)(2, 2) -= l * (std::cos(q[2]) * lambda[0] + std::sin(q[2]) * lambda[1]);
  };
  e.contacts = {{"wall", 1, 0, d.restitution, {0}, [l](const VectorX& q, double* rows) {
                   rows[0] = 1;
                   return q[0] - std::sqrt(0.5) * l;
                 }}};
  return e;
}

Equations MakeRockingBlock(const RockingBlockData& d) {
  Equations e;
  e.name = "rocking block";
  e.block_sizes = {3};
  e.q0 = Vector3(0, d.altitude, d.angle);
  e.v0 = Vector3::Zero();
  const double inertia = d.mass * (d.width * d.width + d.height * d.height) / 12;
  e.mass = [d, inertia](const VectorX&, BlockMatrix* M) {
    M->block(0).diagonal() = Vector3(d.mass, d.mass, inertia);
  };
  e.force = [d](double, const VectorX&, const VectorX&, VectorX* f) {
    *f = Vector3(0, -d.mass * d.gravity, 0);
  };
  e.energy = [d, inertia](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * (d.mass * v.head<2>().squaredNorm() + inertia * v[2] * v[2]),
                  d.mass * d.gravity * q[1], 0};
  };
  const double reach = 0.5 * std::hypot(d.width, d.height);
  e.speed_bound = [reach](const VectorX&, const VectorX& v) {
    return v.head<2>().norm() + reach * std::abs(v[2]);
  };
  const auto corner = [d](double side) {
    return [d, side](const VectorX& q, double* rows) {
      const double c = std::cos(q[2]), s = std::sin(q[2]);
      rows[0] = 0;
      rows[1] = 1;
      rows[2] = 0.5 * d.height * s + side * 0.5 * d.width * c;
      return q[1] - 0.5 * d.height * c + side * 0.5 * d.width * s;
    };
  };
  e.contacts = {{"corner 1", 1, 0, d.restitution, {0}, corner(1)},
                {"corner 2", 1, 0, d.restitution, {0}, corner(-1)}};
  return e;
}

Equations MakeTwoBallOscillator(const TwoBallOscillatorData& d) {
  Equations e;
  e.name = "two-ball oscillator";
  e.block_sizes = {2};
  e.q0 = Vector2(d.lower, d.upper);
  e.v0 = Vector2::Zero();
  e.mass = [d](const VectorX&, BlockMatrix* M) { M->block(0).diagonal().setConstant(d.mass); };
  e.force = [d](double, const VectorX& q, const VectorX&, VectorX* f) {
    const double s = d.stiffness * (q[1] - q[0] - d.rest_length);
    *f = Vector2(s - d.mass * d.gravity, -s - d.mass * d.gravity);
  };
  e.tangents = [d](double, const VectorX&, const VectorX&, BlockMatrix* K, BlockMatrix*) {
    K->block(0) << d.stiffness, -d.stiffness, -d.stiffness, d.stiffness;
  };
  e.energy = [d](const VectorX& q, const VectorX& v) {
    const double x = q[1] - q[0] - d.rest_length;
    return Energy{0.5 * d.mass * v.squaredNorm(), d.mass * d.gravity * q.sum(),
                  0.5 * d.stiffness * x * x};
  };
  e.contacts = {{"floor", 1, 0, d.restitution, {0}, [](const VectorX& q, double* rows) {
                   rows[0] = 1;
                   rows[1] = 0;
                   return q[0];
                 }}};
  return e;
}

Equations MakeSlidingParticle(const SlidingParticleData& d) {
  Equations e;
  e.name = "sliding particle";
  e.block_sizes = {2};
  e.q0 = Vector2(0, d.height);
  e.v0 = Vector2(d.velocity_x, d.velocity_y);
  e.mass = [d](const VectorX&, BlockMatrix* M) { M->block(0).diagonal().setConstant(d.mass); };
  e.force = [d](double, const VectorX&, const VectorX&, VectorX* f) {
    *f = Vector2(0, -d.mass * d.gravity);
  };
  e.energy = [d](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * d.mass * v.squaredNorm(), d.mass * d.gravity * q[1], 0};
  };
  e.contacts = {{"floor", 2, d.friction, d.restitution, {0}, [](const VectorX& q, double* rows) {
                   rows[0] = 0;  // N: ẏ
                   rows[1] = 1;
                   rows[2] = 1;  // T: ẋ
                   rows[3] = 0;
                   return q[1];
                 }}};
  return e;
}

Equations MakeElasticBar(const ElasticBarData& d) {
  Equations e;
  const int n = d.elements + 1;
  const double dx = d.length / d.elements;
  const double k = d.modulus * d.section / dx, m = d.density * d.section * dx;
  e.name = "elastic bar";
  e.block_sizes.assign(static_cast<std::size_t>(n), 1);
  for (int i = 0; i + 1 < n; ++i) e.couplings.push_back({i, i + 1});
  e.q0 = VectorX::Zero(n);
  e.v0 = VectorX::Constant(n, -d.velocity);
  // Slots are sorted by row and column: 1 + 3 + 3 + … + 2 of a tridiagonal matrix, one value each.
  const auto diagonal = [](int i) { return 3 * i; };
  e.mass = [=, lumped = d.lumped](const VectorX&, BlockMatrix* M) {
    VectorX& values = M->values();
    for (int i = 0; i < n; ++i) {
      const double share = i == 0 || i == n - 1 ? 1 : 2;
      values[diagonal(i)] = share * (lumped ? m / 2 : m / 3);
      if (i + 1 < n && !lumped) values[diagonal(i) + 1] = values[diagonal(i + 1) - 1] = m / 6;
    }
  };
  e.force = [=](double, const VectorX& q, const VectorX&, VectorX* f) {
    f->setZero();
    for (int i = 0; i + 1 < n; ++i) {
      const double s = k * (q[i + 1] - q[i]);
      (*f)[i] += s;
      (*f)[i + 1] -= s;
    }
  };
  e.tangents = [=](double, const VectorX&, const VectorX&, BlockMatrix* K, BlockMatrix*) {
    VectorX& values = K->values();
    for (int i = 0; i < n; ++i) {
      values[diagonal(i)] = i == 0 || i == n - 1 ? k : 2 * k;
      if (i + 1 < n) values[diagonal(i) + 1] = values[diagonal(i + 1) - 1] = -k;
    }
  };
  e.energy = [=, lumped = d.lumped](const VectorX& q, const VectorX& v) {
    Energy energy;
    for (int i = 0; i + 1 < n; ++i) {
      const double a = v[i], b = v[i + 1], s = q[i + 1] - q[i];
      energy.kinetic += lumped ? m / 4 * (a * a + b * b) : m / 6 * (a * a + a * b + b * b);
      energy.elastic += 0.5 * k * s * s;
    }
    return energy;
  };
  e.speed_bound = [](const VectorX&, const VectorX& v) { return std::abs(v[0]); };
  e.contacts = {{"wall", 1, 0, d.restitution, {0}, [gap = d.gap](const VectorX& q, double* rows) {
                   rows[0] = 1;
                   return gap + q[0];
                 }}};
  return e;
}

}  // namespace saltus
