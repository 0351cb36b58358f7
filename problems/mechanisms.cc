#include "problems/mechanisms.h"

#include <cmath>

namespace saltus {
namespace {

/// Angles of the bars at t = 0: the crank at 60°, the rocker at 120°.
Vector3 CalcInitialAngles(const FourBarData& d) {
  const double first = M_PI / 3, last = 2 * M_PI / 3;
  const double x = d.ground + d.length[2] * std::cos(last) - d.length[0] * std::cos(first);
  const double y = d.length[2] * std::sin(last) - d.length[0] * std::sin(first);
  return {first, std::atan2(y, x), last};
}

double Square(double x) { return x * x; }

}  // namespace

Equations MakeFourBar(const FourBarData& d) {
  Equations e;
  const double l1 = d.length[0], l2 = d.length[1], l3 = d.length[2];
  const double m1 = d.mass[0], m2 = d.mass[1], m3 = d.mass[2];
  e.name = "four-bar";
  e.block_sizes = {3};
  e.q0 = CalcInitialAngles(d);
  e.v0 = Vector3::Zero();
  e.constant_mass = false;
  e.mass = [=](const VectorX& q, BlockMatrix* M) {
    auto B = M->block(0);
    B(0, 0) = (m1 / 3 + m2) * l1 * l1;
    B(1, 1) = m2 * l2 * l2 / 3;
    B(2, 2) = m3 * l3 * l3 / 3;
    B(0, 1) = B(1, 0) = 0.5 * m2 * l1 * l2 * std::cos(q[0] - q[1]);
  };
  e.force = [=](double, const VectorX& q, const VectorX& v, VectorX* f) {
    const double s = 0.5 * m2 * l1 * l2 * std::sin(q[1] - q[0]);
    (*f)[0] = -(0.5 * m1 + m2) * l1 * d.gravity * std::cos(q[0]) + s * v[1] * v[1] + d.torque;
    (*f)[1] = -0.5 * m2 * d.gravity * l2 * std::cos(q[1]) - s * v[0] * v[0];
    (*f)[2] = -0.5 * m3 * d.gravity * l3 * std::cos(q[2]);
  };
  e.nonconservative = [=](double, const VectorX&, const VectorX&, VectorX* f) {
    (*f)[0] = d.torque;
  };
  AddDifferenceTangents(&e);
  e.energy = [=](const VectorX& q, const VectorX& v) {
    const double kinetic =
        0.5 * ((m1 / 3 + m2) * Square(l1 * v[0]) + m2 / 3 * Square(l2 * v[1]) +
               m3 / 3 * Square(l3 * v[2]) + m2 * l1 * l2 * std::cos(q[0] - q[1]) * v[0] * v[1]);
    const double height = (0.5 * m1 + m2) * l1 * std::sin(q[0]) + 0.5 * m2 * l2 * std::sin(q[1]) +
                          0.5 * m3 * l3 * std::sin(q[2]);
    return Energy{kinetic, d.gravity * height, 0};
  };
  e.constraint_names = {"loop x", "loop y"};
  e.constraint = [=](double, const VectorX& q, VectorX* g) {
    (*g)[0] = l1 * std::cos(q[0]) + l2 * std::cos(q[1]) - l3 * std::cos(q[2]) - d.ground;
    (*g)[1] = l1 * std::sin(q[0]) + l2 * std::sin(q[1]) - l3 * std::sin(q[2]);
  };
  e.jacobian = [=](double, const VectorX& q, MatrixX* G) {
    *G << -l1 * std::sin(q[0]), -l2 * std::sin(q[1]), l3 * std::sin(q[2]),  //
        l1 * std::cos(q[0]), l2 * std::cos(q[1]), -l3 * std::cos(q[2]);
  };
  e.bias = [=](double, const VectorX& q, const VectorX& v, VectorX* gamma) {
    const double r1 = l1 * v[0] * v[0], r2 = l2 * v[1] * v[1], r3 = l3 * v[2] * v[2];
    (*gamma)[0] = -r1 * std::cos(q[0]) - r2 * std::cos(q[1]) + r3 * std::cos(q[2]);
    (*gamma)[1] = -r1 * std::sin(q[0]) - r2 * std::sin(q[1]) + r3 * std::sin(q[2]);
  };
  e.geometric_stiffness = [=](const VectorX& q, const VectorX& lambda, BlockMatrix* K) {
    const double signed_length[] = {l1, l2, -l3};
    for (int i = 0; i < 3; ++i) {
      K->block(0)(i, i) +=
          signed_length[i] * (std::cos(q[i]) * lambda[0] + std::sin(q[i]) * lambda[1]);
    }
  };
  return e;
}

Equations MakeFourBarPoints(const FourBarData& d) {
  Equations e;
  const double m1 = d.mass[0], m2 = d.mass[1], m3 = d.mass[2];
  const Vector3 angles = CalcInitialAngles(d);
  e.name = "four-bar, natural coordinates";
  e.block_sizes = {4};
  e.q0.resize(4);
  e.q0 << d.length[0] * std::cos(angles[0]), d.length[0] * std::sin(angles[0]),
      d.ground + d.length[2] * std::cos(angles[2]), d.length[2] * std::sin(angles[2]);
  e.v0 = VectorX::Zero(4);
  const double m_B = (m1 + m2) / 3, m_C = (m2 + m3) / 3, m_BC = m2 / 6;
  e.mass = [=](const VectorX&, BlockMatrix* M) {
    auto B = M->block(0);
    for (int i = 0; i < 2; ++i) {
      B(i, i) = m_B;
      B(i + 2, i + 2) = m_C;
      B(i, i + 2) = B(i + 2, i) = m_BC;
    }
  };
  const double arm = d.torque / Square(d.length[0]);
  e.force = [=](double, const VectorX& q, const VectorX&, VectorX* f) {
    *f = Vector4(-arm * q[1], arm * q[0] - 0.5 * (m1 + m2) * d.gravity, 0,
                 -0.5 * (m2 + m3) * d.gravity);
  };
  e.nonconservative = [=](double, const VectorX& q, const VectorX&, VectorX* f) {
    *f = Vector4(-arm * q[1], arm * q[0], 0, 0);
  };
  e.tangents = [=](double, const VectorX&, const VectorX&, BlockMatrix* K, BlockMatrix*) {
    K->block(0)(0, 1) = arm;
    K->block(0)(1, 0) = -arm;
  };
  e.energy = [=](const VectorX& q, const VectorX& v) {
    const double kinetic =
        0.5 * (m_B * v.head<2>().squaredNorm() + m_C * v.tail<2>().squaredNorm()) +
        m_BC * v.head<2>().dot(v.tail<2>());
    return Energy{kinetic, 0.5 * d.gravity * ((m1 + m2) * q[1] + (m2 + m3) * q[3]), 0};
  };
  e.constraint_names = {"bar 1", "bar 2", "bar 3"};
  const Vector2 D(d.ground, 0);
  e.constraint = [=](double, const VectorX& q, VectorX* g) {
    const Vector2 B = q.head<2>(), C = q.tail<2>();
    *g = 0.5 * Vector3(B.squaredNorm() - Square(d.length[0]),
                       (C - B).squaredNorm() - Square(d.length[1]),
                       (C - D).squaredNorm() - Square(d.length[2]));
  };
  e.jacobian = [=](double, const VectorX& q, MatrixX* G) {
    const Vector2 B = q.head<2>(), C = q.tail<2>();
    G->block<1, 2>(0, 0) = B.transpose();
    G->block<1, 2>(1, 0) = (B - C).transpose();
    G->block<1, 2>(1, 2) = (C - B).transpose();
    G->block<1, 2>(2, 2) = (C - D).transpose();
  };
  e.bias = [](double, const VectorX&, const VectorX& v, VectorX* gamma) {
    const Vector2 B = v.head<2>(), C = v.tail<2>();
    *gamma = Vector3(B.squaredNorm(), (C - B).squaredNorm(), C.squaredNorm());
  };
  e.geometric_stiffness = [](const VectorX&, const VectorX& lambda, BlockMatrix* K) {
    for (int i = 0; i < 2; ++i) {
      K->block(0)(i, i) -= lambda[0] + lambda[1];
      K->block(0)(i + 2, i + 2) -= lambda[1] + lambda[2];
      K->block(0)(i, i + 2) += lambda[1];
      K->block(0)(i + 2, i) += lambda[1];
    }
  };
  return e;
}

Equations MakeFourBarBodies(const FourBarData& d) {
  Equations e;
  const Vector3 angles = CalcInitialAngles(d);
  const double r[] = {0.5 * d.length[0], 0.5 * d.length[1], 0.5 * d.length[2]};
  e.name = "four-bar, reference points";
  e.block_sizes = {3, 3, 3};
  e.couplings = {{0, 1}, {1, 2}};
  e.q0.resize(9);
  e.v0 = VectorX::Zero(9);
  Vector2 from(0, 0);
  for (int k = 0; k < 3; ++k) {
    const Vector2 along = r[k] * Vector2(std::cos(angles[k]), std::sin(angles[k]));
    if (k == 2) from = Vector2(d.ground, 0);
    e.q0.segment<3>(3 * k) << from + along, angles[k];
    from += 2 * along;
  }
  const Vector3 mass(d.mass[0], d.mass[1], d.mass[2]);
  const Vector3 inertia = mass.array() / 3 * Vector3(r[0], r[1], r[2]).array().square();
  e.mass = [=](const VectorX&, BlockMatrix* M) {
    for (int k = 0; k < 3; ++k) {
      M->block(M->pattern().FindSlot(k, k)).diagonal() = Vector3(mass[k], mass[k], inertia[k]);
    }
  };
  e.force = [=](double, const VectorX&, const VectorX&, VectorX* f) {
    for (int k = 0; k < 3; ++k) f->segment<3>(3 * k) = Vector3(0, -mass[k] * d.gravity, 0);
    (*f)[2] = d.torque;
  };
  e.nonconservative = [=](double, const VectorX&, const VectorX&, VectorX* f) {
    (*f)[2] = d.torque;
  };
  e.energy = [=](const VectorX& q, const VectorX& v) {
    Energy energy;
    for (int k = 0; k < 3; ++k) {
      energy.kinetic +=
          0.5 * (mass[k] * v.segment<2>(3 * k).squaredNorm() + inertia[k] * Square(v[3 * k + 2]));
      energy.potential += mass[k] * d.gravity * q[3 * k + 1];
    }
    return energy;
  };
  // A hinge sets Σ sign (p + arm (cos φ, sin φ)) over its one or two bars to a point of the ground.
  struct End {
    int hinge, bar;
    double sign, arm;
  };
  const std::vector<End> ends = {{0, 0, 1, -r[0]}, {1, 0, 1, r[0]},  {1, 1, -1, -r[1]},
                                 {2, 1, 1, r[1]},  {2, 2, -1, r[2]}, {3, 2, 1, -r[2]}};
  e.constraint_names = {"A x", "A y", "B x", "B y", "C x", "C y", "D x", "D y"};
  e.constraint = [=](double, const VectorX& q, VectorX* g) {
    g->setZero();
    (*g)[6] = -d.ground;
    for (const End& end : ends) {
      const double phi = q[3 * end.bar + 2];
      g->segment<2>(2 * end.hinge) +=
          end.sign * (q.segment<2>(3 * end.bar) + end.arm * Vector2(std::cos(phi), std::sin(phi)));
    }
  };
  e.jacobian = [=](double, const VectorX& q, MatrixX* G) {
    for (const End& end : ends) {
      const double phi = q[3 * end.bar + 2];
      auto block = G->block<2, 3>(2 * end.hinge, 3 * end.bar);
      block(0, 0) = block(1, 1) = end.sign;
      block.col(2) = end.sign * end.arm * Vector2(-std::sin(phi), std::cos(phi));
    }
  };
  e.bias = [=](double, const VectorX& q, const VectorX& v, VectorX* gamma) {
    for (const End& end : ends) {
      const double phi = q[3 * end.bar + 2];
      gamma->segment<2>(2 * end.hinge) -=
          end.sign * end.arm * Square(v[3 * end.bar + 2]) * Vector2(std::cos(phi), std::sin(phi));
    }
  };
  e.geometric_stiffness = [=](const VectorX& q, const VectorX& lambda, BlockMatrix* K) {
    for (const End& end : ends) {
      const double phi = q[3 * end.bar + 2];
      K->block(K->pattern().FindSlot(end.bar, end.bar))(2, 2) +=
          end.sign * end.arm *
          lambda.segment<2>(2 * end.hinge).dot(Vector2(std::cos(phi), std::sin(phi)));
    }
  };
  return e;
}

Equations MakeSliderCrank(const SliderCrankData& d) {
  Equations e;
  const double l1 = d.length[0], l2 = d.length[1];
  const double m1 = d.mass[0], m2 = d.mass[1], m3 = d.mass[2];
  e.name = "slider-crank";
  e.block_sizes = {2};
  e.q0 = Vector2::Zero();
  e.v0 = Vector2(d.speed[0], d.speed[1]);
  const double M11 = (m1 / 3 + m2 + m3) * l1 * l1, M22 = (m2 / 3 + m3) * l2 * l2;
  const double M12 = (0.5 * m2 + m3) * l1 * l2;
  e.constant_mass = false;
  e.mass = [=](const VectorX& q, BlockMatrix* M) {
    const double coupling = M12 * std::cos(q[1] - q[0]);
    M->block(0) << M11, coupling, coupling, M22;
  };
  const double weight1 = (0.5 * m1 + m2 + m3) * l1 * d.gravity;
  const double weight2 = (0.5 * m2 + m3) * l2 * d.gravity;
  e.force = [=](double, const VectorX& q, const VectorX& v, VectorX* f) {
    const double s = M12 * std::sin(q[1] - q[0]);
    (*f)[0] = s * v[1] * v[1] - weight1 * std::cos(q[0]);
    (*f)[1] = -s * v[0] * v[0] - weight2 * std::cos(q[1]);
  };
  AddDifferenceTangents(&e);
  e.energy = [=](const VectorX& q, const VectorX& v) {
    return Energy{
        0.5 * (M11 * v[0] * v[0] + M22 * v[1] * v[1]) + M12 * std::cos(q[1] - q[0]) * v[0] * v[1],
        weight1 * std::sin(q[0]) + weight2 * std::sin(q[1]), 0};
  };
  e.constraint_names = {"slider"};
  e.constraint = [=](double, const VectorX& q, VectorX* g) {
    (*g)[0] = l1 * std::sin(q[0]) + l2 * std::sin(q[1]);
  };
  e.jacobian = [=](double, const VectorX& q, MatrixX* G) {
    *G << l1 * std::cos(q[0]), l2 * std::cos(q[1]);
  };
  e.bias = [=](double, const VectorX& q, const VectorX& v, VectorX* gamma) {
    (*gamma)[0] = -l1 * std::sin(q[0]) * v[0] * v[0] - l2 * std::sin(q[1]) * v[1] * v[1];
  };
  e.geometric_stiffness = [=](const VectorX& q, const VectorX& lambda, BlockMatrix* K) {
    K->block(0)(0, 0) += l1 * std::sin(q[0]) * lambda[0];
    K->block(0)(1, 1) += l2 * std::sin(q[1]) * lambda[0];
  };
  return e;
}

Equations MakeDoublePendulum(const DoublePendulumData& d) {
  Equations e;
  const double l1 = d.length[0], l2 = d.length[1], m1 = d.mass[0], m2 = d.mass[1];
  e.name = "double pendulum";
  e.block_sizes = {2};
  e.q0 = Vector2(d.angle[0], d.angle[1]);
  e.v0 = Vector2::Zero();
  const double M11 = (0.25 * m1 + m2) * l1 * l1, M22 = 0.25 * m2 * l2 * l2;
  const double M12 = 0.5 * m2 * l1 * l2;
  e.constant_mass = false;
  e.mass = [=](const VectorX& q, BlockMatrix* M) {
    const double coupling = M12 * std::cos(q[1] - q[0]);
    M->block(0) << M11, coupling, coupling, M22;
  };
  const double weight1 = (0.5 * m1 + m2) * l1 * d.gravity, weight2 = 0.5 * m2 * l2 * d.gravity;
  e.force = [=](double, const VectorX& q, const VectorX& v, VectorX* f) {
    const double s = M12 * std::sin(q[1] - q[0]);
    (*f)[0] = s * v[1] * v[1] - weight1 * std::sin(q[0]);
    (*f)[1] = -s * v[0] * v[0] - weight2 * std::sin(q[1]);
  };
  AddDifferenceTangents(&e);
  e.energy = [=](const VectorX& q, const VectorX& v) {
    return Energy{
        0.5 * (M11 * v[0] * v[0] + M22 * v[1] * v[1]) + M12 * std::cos(q[1] - q[0]) * v[0] * v[1],
        -weight1 * std::cos(q[0]) - weight2 * std::cos(q[1]), 0};
  };
  return e;
}

Equations MakeDoublePendulumPoints(const DoublePendulumData& d) {
  Equations e;
  const double r1 = 0.5 * d.length[0], r2 = 0.5 * d.length[1], m1 = d.mass[0], m2 = d.mass[1];
  e.name = "double pendulum, points";
  e.block_sizes = {4};
  const Vector2 first = r1 * Vector2(std::sin(d.angle[0]), std::cos(d.angle[0]));
  e.q0.resize(4);
  e.q0 << first, 2 * first + r2 * Vector2(std::sin(d.angle[1]), std::cos(d.angle[1]));
  e.v0 = VectorX::Zero(4);
  e.mass = [=](const VectorX&, BlockMatrix* M) { M->block(0).diagonal() << m1, m1, m2, m2; };
  e.force = [=](double, const VectorX&, const VectorX&, VectorX* f) {
    *f = Vector4(0, m1 * d.gravity, 0, m2 * d.gravity);
  };
  e.energy = [=](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * (m1 * v.head<2>().squaredNorm() + m2 * v.tail<2>().squaredNorm()),
                  -d.gravity * (m1 * q[1] + m2 * q[3]), 0};
  };
  e.constraint_names = {"bar 1", "bar 2"};
  e.constraint = [=](double, const VectorX& q, VectorX* g) {
    (*g)[0] = 0.5 * (q.head<2>().squaredNorm() - r1 * r1);
    (*g)[1] = 0.5 * ((q.tail<2>() - 2 * q.head<2>()).squaredNorm() - r2 * r2);
  };
  e.jacobian = [](double, const VectorX& q, MatrixX* G) {
    const Vector2 along = q.tail<2>() - 2 * q.head<2>();
    G->block<1, 2>(0, 0) = q.head<2>().transpose();
    G->block<1, 2>(1, 0) = -2 * along.transpose();
    G->block<1, 2>(1, 2) = along.transpose();
  };
  e.bias = [](double, const VectorX&, const VectorX& v, VectorX* gamma) {
    (*gamma)[0] = v.head<2>().squaredNorm();
    (*gamma)[1] = (v.tail<2>() - 2 * v.head<2>()).squaredNorm();
  };
  e.geometric_stiffness = [](const VectorX&, const VectorX& lambda, BlockMatrix* K) {
    for (int i = 0; i < 2; ++i) {
      K->block(0)(i, i) -= lambda[0] + 4 * lambda[1];
      K->block(0)(i + 2, i + 2) -= lambda[1];
      K->block(0)(i, i + 2) += 2 * lambda[1];
      K->block(0)(i + 2, i) += 2 * lambda[1];
    }
  };
  return e;
}

}  // namespace saltus
