// The contract of dynamics/system.h as a test: every implementation of System runs it.
//
//   TEST(MySystem, KeepsTheContract) {
//     MySystem system;
//     CheckSystemContract(&system, MakeContractPoint(system, seed));
//   }
//
// Derivatives are compared with sixth-order central differences,
//   f′(0) ≈ [45 (f(ε) − f(−ε)) − 9 (f(2ε) − f(−2ε)) + (f(3ε) − f(−3ε))] / (60 ε),          (1)
// whose error at ε = 1e-3 is ε⁶ f⁽⁷⁾/140 ~ 1e-20 f⁽⁷⁾ plus rounding ~ 1e-12 |f|: hence 1e-8
// relative to the size of what is compared leaves room for motions whose radius of convergence is
// only ~ 0.03 (two points a few centimetres apart that pass at metres per second).
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "saltus/dynamics/system.h"

namespace saltus {

/// Where the contract is checked.
struct ContractPoint {
  double t = 0;
  VectorX q, v;
};

struct ContractOptions {
  double step = 1e-3;          // ε of (1)
  double tolerance = 1e-8;     // relative, see above
  double margin = 0.5;         // for contacts, m
  double contact_step = 1e-5;  // smaller: features of a contact change along the way
  double contact_tolerance = 1e-7;
};

inline VectorX MakeRandomVector(int size, std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  VectorX x(size);
  for (int i = 0; i < size; ++i) x[i] = uniform(*random);
  return x;
}

/// The initial state moved by a random δ of size `spread` and given random velocities.
inline ContractPoint MakeContractPoint(const System& system, unsigned seed, double spread = 0.5) {
  std::mt19937 random(seed);
  const int n = system.traits().num_velocities;
  const State state = system.MakeInitialState();
  ContractPoint point;
  point.t = 0.3 + 0.1 * seed;
  system.Retract(state.q, spread * MakeRandomVector(n, &random), &point.q);
  point.v = 2 * MakeRandomVector(n, &random);
  return point;
}

namespace contract {

/// (1) for a vector-valued function.
inline VectorX Differentiate(const std::function<VectorX(double)>& f, double step) {
  return (45 * (f(step) - f(-step)) - 9 * (f(2 * step) - f(-2 * step)) +
          (f(3 * step) - f(-3 * step))) /
         (60 * step);
}

inline void ExpectNear(const VectorX& analytic, const VectorX& differences, double tolerance,
                       const char* what) {
  ASSERT_EQ(analytic.size(), differences.size()) << what;
  if (analytic.size() == 0) return;
  const double scale = 1 + analytic.lpNorm<Eigen::Infinity>();
  EXPECT_LE((analytic - differences).lpNorm<Eigen::Infinity>(), tolerance * scale)
      << what << "\nanalytic    " << analytic.transpose() << "\ndifferences "
      << differences.transpose();
}

inline VectorX RetractBy(const System& system, const VectorX& q, const VectorX& delta) {
  VectorX q_new;
  system.Retract(q, delta, &q_new);
  return q_new;
}

inline void CheckRetraction(const System& system, const ContractPoint& point) {
  std::mt19937 random(7);
  const VectorX delta = 0.5 * MakeRandomVector(static_cast<int>(point.v.size()), &random);
  const VectorX moved = RetractBy(system, point.q, delta);
  VectorX back, in_place = point.q;
  system.CalcDifference(point.q, moved, &back);
  EXPECT_LE((back - delta).norm(), 1e-13 * (1 + delta.norm() + point.q.norm()))
      << "CalcDifference inverts Retract";
  system.Retract(in_place, delta, &in_place);
  EXPECT_EQ(in_place, moved) << "Retract in place";
  EXPECT_LE((RetractBy(system, point.q, 0 * delta) - point.q).norm(), 1e-14 * point.q.norm());
  if (system.traits().flat) {
    EXPECT_LE((moved - point.q - delta).norm(), 1e-14 * (1 + point.q.norm())) << "trait flat";
  }
}

inline void CheckMass(const System& system, const ContractPoint& point) {
  BlockMatrix M(system.pattern()), M_other(system.pattern());
  system.CalcMass(point.q, &M);
  const MatrixX dense = M.ToDense();
  EXPECT_LE((dense - dense.transpose()).norm(), 1e-14 * dense.norm()) << "M is symmetric";
  EXPECT_EQ(Eigen::LLT<MatrixX>(dense).info(), Eigen::Success) << "M is positive definite";
  if (system.traits().constant_mass) {
    system.CalcMass(RetractBy(system, point.q, 0.3 * point.v), &M_other);
    EXPECT_EQ(M.values(), M_other.values()) << "trait constant_mass";
  }
}

inline MatrixX CalcDenseJacobian(const System& system, double t, const VectorX& q) {
  SparseRows G;
  system.CalcConstraintJacobian(t, q, &G);
  return MatrixX(G);
}

inline VectorX CalcResidual(const System& system, double t, const VectorX& q) {
  VectorX g;
  system.CalcConstraint(t, q, &g);
  return g;
}

inline VectorX CalcRate(const System& system, double t, const VectorX& q) {
  VectorX g_t;
  system.CalcConstraintRate(t, q, &g_t);
  return g_t;
}

inline void CheckConstraints(const System& system, const ContractPoint& point,
                             const ContractOptions& options) {
  const auto& [t, q, v] = point;
  const int n = system.traits().num_velocities;
  const int m = system.traits().num_constraints;
  const MatrixX G = CalcDenseJacobian(system, t, q);
  ASSERT_EQ(G.rows(), m);
  ASSERT_EQ(G.cols(), n);
  for (int i = 0; i < n; ++i) {
    const VectorX d = VectorX::Unit(n, i);
    const auto g = [&](double s) { return CalcResidual(system, t, RetractBy(system, q, s * d)); };
    ExpectNear(G.col(i), Differentiate(g, options.step), options.tolerance, "G");
  }
  const auto in_time = [&](double s) { return CalcResidual(system, t + s, q); };
  ExpectNear(CalcRate(system, t, q), Differentiate(in_time, options.step), options.tolerance,
             "g_t");
  const auto rate = [&](double s) {
    const VectorX q_s = RetractBy(system, q, s * v);
    return VectorX(CalcDenseJacobian(system, t + s, q_s) * v + CalcRate(system, t + s, q_s));
  };
  VectorX gamma;
  system.CalcConstraintBias(t, q, v, &gamma);
  ExpectNear(gamma, Differentiate(rate, options.step), options.tolerance, "gamma");
  for (int r = 0; r < m; ++r) EXPECT_FALSE(system.ConstraintName(r).empty());
}

inline void CheckGeometricStiffness(const System& system, const ContractPoint& point,
                                    const ContractOptions& options) {
  const auto& [t, q, v] = point;
  const int n = system.traits().num_velocities;
  std::mt19937 random(3);
  const VectorX lambda = 5 * MakeRandomVector(system.traits().num_constraints, &random);
  BlockMatrix K(system.pattern());
  K.SetZero();
  system.AddGeometricStiffness(t, q, lambda, &K);
  const MatrixX dense = K.ToDense();
  for (int i = 0; i < n; ++i) {
    const auto force = [&](double s) {
      const VectorX q_s = RetractBy(system, q, s * VectorX::Unit(n, i));
      return VectorX(-CalcDenseJacobian(system, t, q_s).transpose() * lambda);
    };
    ExpectNear(dense.col(i), Differentiate(force, options.step), options.tolerance,
               "geometric stiffness");
  }
}

/// C of AddConstraintTangents, and that its K is the geometric stiffness.
inline void CheckConstraintTangents(const System& system, const ContractPoint& point,
                                    const ContractOptions& options) {
  const auto& [t, q, v] = point;
  const int n = system.traits().num_velocities;
  std::mt19937 random(5);
  const VectorX lambda = MakeRandomVector(system.traits().num_constraints, &random);
  BlockMatrix K(system.pattern()), K_alone(system.pattern());
  SparseRows C, G;
  const bool known = system.AddConstraintTangents(t, q, v, lambda, &K, &C);
  system.AddGeometricStiffness(t, q, lambda, &K_alone);
  EXPECT_EQ(K.values(), K_alone.values());
  if (!known) return;
  system.CalcConstraintJacobian(t, q, &G);
  ASSERT_EQ(C.nonZeros(), G.nonZeros()) << "sparsity of C";
  const MatrixX dense(C);
  for (int i = 0; i < n; ++i) {
    const auto rate = [&](double s) {
      const VectorX q_s = RetractBy(system, q, s * VectorX::Unit(n, i));
      return VectorX(CalcDenseJacobian(system, t, q_s) * v);
    };
    ExpectNear(dense.col(i), Differentiate(rate, options.step), options.tolerance, "C");
  }
}

inline void CheckRetractTangent(const System& system, const ContractPoint& point,
                                const ContractOptions& options) {
  const int n = system.traits().num_velocities;
  std::mt19937 random(9);
  const VectorX delta = MakeRandomVector(n, &random);
  BlockMatrix T(system.pattern());
  system.CalcRetractTangent(delta, &T);
  const MatrixX dense = T.ToDense();
  const VectorX base = RetractBy(system, point.q, delta);
  for (int i = 0; i < n; ++i) {
    const auto move = [&](double s) {
      VectorX difference;
      system.CalcDifference(base, RetractBy(system, point.q, delta + s * VectorX::Unit(n, i)),
                            &difference);
      return difference;
    };
    ExpectNear(dense.col(i), Differentiate(move, options.step), options.tolerance, "T");
  }
}

inline void CheckTangents(const System& system, const ContractPoint& point,
                          const ContractOptions& options) {
  const auto& [t, q, v] = point;
  const int n = system.traits().num_velocities;
  BlockMatrix K(system.pattern()), D(system.pattern());
  system.CalcTangents(t, q, v, TangentKind::kExact, &K, &D);
  const MatrixX dense_K = K.ToDense(), dense_D = D.ToDense();
  const auto force = [&](const VectorX& q_s, const VectorX& v_s) {
    VectorX f;
    system.CalcForce(t, q_s, v_s, &f);
    return f;
  };
  for (int i = 0; i < n; ++i) {
    const VectorX d = VectorX::Unit(n, i);
    const auto in_q = [&](double s) { return force(RetractBy(system, q, s * d), v); };
    ExpectNear(-dense_K.col(i), Differentiate(in_q, options.step), options.tolerance, "K");
    const auto in_v = [&](double s) { return force(q, v + s * d); };
    ExpectNear(-dense_D.col(i), Differentiate(in_v, options.step), options.tolerance, "D");
  }
  if (!system.traits().has_tangents) {
    EXPECT_EQ(dense_K.norm() + dense_D.norm(), 0) << "trait has_tangents";
  }
  system.CalcTangents(t, q, v, TangentKind::kGaussNewton, &K, &D);
  for (const MatrixX& A : {K.ToDense(), D.ToDense()}) {
    if (A.size() == 0) continue;
    EXPECT_LE((A - A.transpose()).norm(), 1e-13 * (1 + A.norm())) << "Gauss-Newton is symmetric";
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<MatrixX>(A).eigenvalues().minCoeff(),
              -1e-12 * (1 + A.norm()))
        << "Gauss-Newton is positive semidefinite";
  }
}

/// Along M v̇ = f without constraints: dE/dt = power of the nonconservative part of f.
inline void CheckEnergy(const System& system, const ContractPoint& point,
                        const ContractOptions& options) {
  const auto& [t, q, v] = point;
  BlockMatrix M(system.pattern());
  system.CalcMass(q, &M);
  VectorX f, f_nonconservative;
  system.CalcForce(t, q, v, &f);
  system.CalcNonconservativeForce(t, q, v, &f_nonconservative);
  const VectorX a = Eigen::LLT<MatrixX>(M.ToDense()).solve(f);
  const auto total = [&](double s) {
    const Energy energy = system.CalcEnergy(t, RetractBy(system, q, s * v), v + s * a);
    return VectorX::Constant(1, energy.total()).eval();
  };
  const double scale = 1 + std::abs(total(0)[0]) + f.norm() * v.norm();
  EXPECT_NEAR(f_nonconservative.dot(v), Differentiate(total, options.step)[0],
              options.tolerance * scale)
      << "energy against power";
}

inline VectorX CalcSlip(const ContactSet& contacts, const Contact& contact, const VectorX& v) {
  VectorX u = contact.bias.head(contact.dimension);
  for (int b = contact.first_block; b < contact.first_block + contact.num_blocks; ++b) {
    const RowBlock& block = contacts.blocks[b];
    u += contacts.rows(block, contact.dimension) * v.segment(block.dof, block.columns);
  }
  return u;
}

/// Gap rates, order of keys, blocks that agree with the pattern.
inline void CheckContacts(System* system, const ContractPoint& point,
                          const ContractOptions& options) {
  const auto& [t, q, v] = point;
  ContactSet contacts, before, after;
  const double h = options.contact_step;
  system->FindContacts(t, q, options.margin, &contacts);
  system->FindContacts(t - h, RetractBy(*system, q, -h * v), options.margin, &before);
  system->FindContacts(t + h, RetractBy(*system, q, h * v), options.margin, &after);
  std::map<ContactKey, double> gap_before, gap_after;
  for (const Contact& c : before.contacts) gap_before[c.key] = c.gap;
  for (const Contact& c : after.contacts) gap_after[c.key] = c.gap;
  if (!system->traits().has_contacts) {
    EXPECT_TRUE(contacts.contacts.empty() && contacts.frictions.empty()) << "trait has_contacts";
  }
  for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
    const Contact& contact = contacts.contacts[i];
    if (i > 0) {
      EXPECT_LT(contacts.contacts[i - 1].key, contact.key) << "sorted by key";
    }
    EXPECT_FALSE(system->ContactName(contact.key).empty());
    EXPECT_LE((contact.frame.transpose() * contact.frame - Matrix3::Identity()).norm(), 1e-13);
    for (int b = contact.first_block; b < contact.first_block + contact.num_blocks; ++b) {
      const RowBlock& block = contacts.blocks[b];
      EXPECT_EQ(block.dof, system->pattern()->offset(block.block));
      EXPECT_EQ(block.columns, system->pattern()->size(block.block));
    }
    if (gap_before.count(contact.key) == 0 || gap_after.count(contact.key) == 0) continue;
    const double rate = (gap_after[contact.key] - gap_before[contact.key]) / (2 * h);
    EXPECT_NEAR(CalcSlip(contacts, contact, v)[0], rate,
                options.contact_tolerance * (1 + std::abs(rate)))
        << "gap rate of " << system->ContactName(contact.key);
  }
}

/// UpdateContacts: the same contacts where they were found, and exact gap rates where they are not.
inline void CheckUpdatedContacts(System* system, const ContractPoint& point,
                                 const ContractOptions& options) {
  const auto& [t, q, v] = point;
  ContactSet found, again, before, after;
  system->FindContacts(t, q, options.margin, &found);
  system->UpdateContacts(t, q, q, found, &again);
  ASSERT_EQ(again.contacts.size(), found.contacts.size());
  ASSERT_EQ(again.frictions.size(), found.frictions.size());
  const auto rows = [](const ContactSet& set, const auto& c, int count) {
    VectorX values(0);
    for (int b = c.first_block; b < c.first_block + c.num_blocks; ++b) {
      const MatrixX H = set.rows(set.blocks[b], count);
      values.conservativeResize(values.size() + H.size());
      values.tail(H.size()) = H.reshaped();
    }
    return values;
  };
  for (std::size_t i = 0; i < found.contacts.size(); ++i) {
    const Contact &c = found.contacts[i], &d = again.contacts[i];
    const std::string name = system->ContactName(c.key);
    EXPECT_EQ(c.key, d.key);
    EXPECT_FALSE(d.lost) << name;
    EXPECT_NEAR(c.gap, d.gap, 1e-12) << name;
    EXPECT_LE((c.frame - d.frame).norm(), 1e-8) << name;
    EXPECT_LE((rows(found, c, c.rows()) - rows(again, d, c.rows())).norm(), 1e-6) << name;
  }
  for (std::size_t i = 0; i < found.frictions.size(); ++i) {
    const DryFriction &c = found.frictions[i], &d = again.frictions[i];
    EXPECT_EQ(c.key, d.key);
    EXPECT_EQ(rows(found, c, c.dimension), rows(again, d, c.dimension));
  }
  const double h = options.contact_step;
  const VectorX away = RetractBy(*system, q, 0.01 * v);
  system->UpdateContacts(t, away, q, found, &again);
  system->UpdateContacts(t - h, RetractBy(*system, away, -h * v), q, found, &before);
  system->UpdateContacts(t + h, RetractBy(*system, away, h * v), q, found, &after);
  for (std::size_t i = 0; i < again.contacts.size(); ++i) {
    if (again.contacts[i].lost || before.contacts[i].lost || after.contacts[i].lost) continue;
    const double rate = (after.contacts[i].gap - before.contacts[i].gap) / (2 * h);
    EXPECT_NEAR(CalcSlip(again, again.contacts[i], v)[0], rate,
                options.contact_tolerance * (1 + std::abs(rate)))
        << "gap rate of " << system->ContactName(again.contacts[i].key) << " after an update";
  }
}

}  // namespace contract

/// Runs every check at one point.
inline void CheckSystemContract(System* system, const ContractPoint& point,
                                const ContractOptions& options = {}) {
  ASSERT_EQ(point.q.size(), system->traits().num_coordinates);
  ASSERT_EQ(point.v.size(), system->traits().num_velocities);
  ASSERT_EQ(system->pattern()->num_dofs(), system->traits().num_velocities);
  contract::CheckRetraction(*system, point);
  contract::CheckMass(*system, point);
  contract::CheckConstraints(*system, point, options);
  contract::CheckGeometricStiffness(*system, point, options);
  contract::CheckConstraintTangents(*system, point, options);
  contract::CheckRetractTangent(*system, point, options);
  contract::CheckTangents(*system, point, options);
  contract::CheckEnergy(*system, point, options);
  contract::CheckContacts(system, point, options);
  contract::CheckUpdatedContacts(system, point, options);
  const std::unique_ptr<System> clone = system->Clone();
  VectorX f, f_clone;
  system->CalcForce(point.t, point.q, point.v, &f);
  clone->CalcForce(point.t, point.q, point.v, &f_clone);
  EXPECT_EQ(f, f_clone) << "a clone computes the same";
}

}  // namespace saltus
