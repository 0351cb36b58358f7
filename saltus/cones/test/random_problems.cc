#include "saltus/cones/test/random_problems.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace saltus::test {

MatrixX Random::Matrix(int rows, int columns) {
  MatrixX m(rows, columns);
  for (double& x : m.reshaped()) x = Uniform(-1, 1);
  return m;
}

MatrixX Random::PositiveDefinite(int n, double condition) {
  const MatrixX Q = Eigen::HouseholderQR<MatrixX>(Matrix(n, n)).householderQ();
  VectorX lambda(n);
  for (double& x : lambda) x = std::pow(condition, -Uniform(0, 1));
  lambda[0] = 1;
  return Q * lambda.asDiagonal() * Q.transpose();
}

void MakeMechanism(const MechanismOptions& options, Random* random, Mechanism* mechanism) {
  BodyDelassus& body = mechanism->body;
  body.Reset();
  std::vector<MatrixX> inverses;
  for (int i = 0; i < options.num_bodies; ++i) {
    const int n = i % 4 == 3 ? 3 : 6;
    MatrixX inverse = random->PositiveDefinite(n, 20.0) * random->Uniform(0.5, 2);
    if (options.unsymmetric) {
      const MatrixX skew = random->Matrix(n, n);
      inverse += 0.05 * (skew - skew.transpose());
    }
    inverses.push_back(inverse);
    body.AddBody(inverse);
  }
  struct Entry {
    int a, b;
    MatrixX Ha, Hb;
  };
  std::vector<Entry> entries;
  for (const int d : options.dimensions) {
    Entry entry;
    entry.b = random->Integer(0, options.num_bodies - 1);
    entry.a = random->Integer(-1, options.num_bodies - 1);
    if (entry.a == entry.b) entry.a = -1;
    const auto columns = [&](int i) { return i < 0 ? 0 : static_cast<int>(inverses[i].rows()); };
    entry.Ha = random->Matrix(d, columns(entry.a));
    entry.Hb = random->Matrix(d, columns(entry.b));
    body.AddBlock(d, entry.a, entry.Ha, entry.b, entry.Hb);
    entries.push_back(entry);
  }
  body.Finalize();

  const auto product = [&](const Entry& x, const Entry& y) -> MatrixX {
    MatrixX result = MatrixX::Zero(x.Hb.rows(), y.Hb.rows());
    const auto add = [&](int i, const MatrixX& Hx, int j, const MatrixX& Hy) {
      if (i >= 0 && i == j) result += Hx * inverses[i] * Hy.transpose();
    };
    add(x.a, x.Ha, y.a, y.Ha);
    add(x.a, x.Ha, y.b, y.Hb);
    add(x.b, x.Hb, y.a, y.Ha);
    add(x.b, x.Hb, y.b, y.Hb);
    return result;
  };
  const int num_blocks = static_cast<int>(entries.size());
  std::vector<int> row_begin{0}, columns;
  for (const Entry& x : entries) {
    for (int j = 0; j < num_blocks; ++j) {
      if (&x == &entries[j] || !product(x, entries[j]).isZero(0)) columns.push_back(j);
    }
    row_begin.push_back(static_cast<int>(columns.size()));
  }
  BlockSparseDelassus& sparse = mechanism->sparse;
  sparse.SetPattern(options.dimensions, row_begin, columns);
  mechanism->dense.matrix().setZero(sparse.size(), sparse.size());
  for (int i = 0; i < num_blocks; ++i) {
    for (int slot = row_begin[i]; slot < row_begin[i + 1]; ++slot) {
      const int j = columns[slot];
      sparse.block(i, slot) = product(entries[i], entries[j]);
      mechanism->dense.matrix().block(sparse.offset(i), sparse.offset(j), sparse.dimension(i),
                                      sparse.dimension(j)) = sparse.block(i, slot);
    }
  }
}

std::vector<Cone> MakeCones(const std::vector<int>& dimensions, double friction) {
  std::vector<Cone> cones;
  int offset = 0;
  for (const int d : dimensions) {
    Cone cone;
    cone.kind = d == 1 ? ConeKind::kNonnegative : ConeKind::kFriction;
    cone.offset = offset;
    cone.dimension = d;
    cone.friction = friction;
    cones.push_back(cone);
    offset += d;
  }
  return cones;
}

void MakeContactPair(const Cone& cone, ContactState state, Random* random, double* r, double* u) {
  const int d = cone.dimension;
  std::fill(r, r + d, 0.0);
  std::fill(u, u + d, 0.0);
  VectorX direction = random->Matrix(d - 1, 1);
  direction.normalize();
  if (state == ContactState::kOpen) {
    u[0] = random->Uniform(0.1, 1);
    for (int i = 1; i < d; ++i) u[i] = random->Uniform(-1, 1);
    return;
  }
  r[0] = random->Uniform(0.1, 1);
  const bool slip = state == ContactState::kSlip;
  const double length = cone.friction * r[0] * (slip ? 1.0 : random->Uniform(0, 0.95));
  const double speed = slip ? random->Uniform(0.1, 1) : 0.0;
  for (int i = 1; i < d; ++i) {
    r[i] = length * direction[i - 1];
    u[i] = -speed * direction[i - 1];
  }
}

void MakeBodyRow(const BodyRow& row, Random* random, BodyDelassus* A, ConicProblem* problem) {
  A->Reset();
  const int num_bodies = static_cast<int>(row.num_contacts / row.contacts_per_body);
  for (int i = 0; i < num_bodies; ++i) {
    A->AddBody(random->PositiveDefinite(6, 20.0) * random->Uniform(0.5, 2));
  }
  for (int k = 0; k < row.num_contacts; ++k) {
    const int b = random->Integer(0, num_bodies - 1);
    int a = std::clamp(b + random->Integer(-row.reach, row.reach), 0, num_bodies - 1);
    if (a == b) a = -1;
    const MatrixX Ha = random->Matrix(3, a < 0 ? 0 : 6), Hb = random->Matrix(3, 6);
    A->AddBlock(3, a, Ha, b, Hb);
  }
  A->Finalize();
  problem->A = A;
  problem->cones = MakeCones(std::vector<int>(row.num_contacts, 3), row.friction);
  VectorX r(A->size()), u(A->size());
  for (const Cone& cone : problem->cones) {
    const auto state = row.state.value_or(static_cast<ContactState>(random->Integer(0, 2)));
    MakeContactPair(cone, state, random, r.data() + cone.offset, u.data() + cone.offset);
  }
  VectorX Ar(A->size());
  A->Apply(r.data(), Ar.data());
  problem->b = u - Ar;
}

double CalcCoulombViolation(const Cone& cone, const VectorX& r, const VectorX& u) {
  const double r_n = r[cone.offset], u_n = u[cone.offset];
  double worst = std::max({-r_n, -u_n, std::abs(r_n * u_n), 0.0});
  if (cone.dimension == 1) return worst;
  const auto r_t = r.segment(cone.offset + 1, cone.dimension - 1);
  const auto u_t = u.segment(cone.offset + 1, cone.dimension - 1);
  const double limit = cone.friction * r_n;
  worst = std::max(worst, r_t.norm() - limit);
  // Maximal dissipation: u_T·r_T = −μ r_N |u_T|.
  return std::max(worst, std::abs(u_t.dot(r_t) + limit * u_t.norm()));
}

}  // namespace saltus::test
