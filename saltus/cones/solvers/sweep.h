// One Gauss–Seidel sweep over the blocks of a conic problem, for each form of the Delassus
// operator.
//
// For c = 1 … n:   u_c = (A r + b)_c,   r_c ← solution of the local problem                    (1)
//
// The forms differ in how u_c is found and what a change of r_c costs: the body form keeps the
// velocities z of body_delassus.h eq. (3); the stored forms read their row of A.
#pragma once

#include <algorithm>
#include <vector>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/body_delassus.h"
#include "saltus/cones/body_kernels.h"
#include "saltus/cones/dense_delassus.h"
#include "saltus/cones/solvers/local_blocks.h"

namespace saltus {

/// |Δr|² and |r|² of a sweep, and the largest |Δr_c|² of a block.
struct SweepChange {
  double change = 0;
  double norm = 0;
  double largest = 0;
};

/// The body form.
class BodySweep {
 public:
  BodySweep(const BodyDelassus& A, const double* b, std::vector<BodyDelassus::Velocity>* z)
      : A_(A), b_(b), z_(*z), rows_(A.rows()), transposed_(A.transposed_rows()) {}

  /// Brings z to the impulses r.
  void Start(const double* r) { A_.CalcVelocities(r, &z_); }
  /// The same if A has just been applied to r.
  void StartFromProduct(const double*) { z_ = A_.product_velocities(); }
  /// z, linear in the impulses: it may be extrapolated with them instead of formed again.
  double* companion() { return z_.data()->x; }
  int companion_size() const { return A_.num_velocities(); }

  /// @param opens  r_N = 0 and u_N ≥ 0 mean that the block stays at zero: piles have many such
  ///               contacts, and their normal row tells
  template <class Vector, class Local>
  [[gnu::always_inline]] Vector Update(int c, const LocalBlock& block, bool opens, double* r,
                                       const Local& local) {
    const BodyDelassus::Sides& sides = A_.sides(c);
    double* z_a = z_[sides.a].x;
    double* z_b = z_[sides.b].x;
    SidesVelocity z(z_a, z_b);
    Vector u = Eigen::Map<const Vector>(b_ + block.offset, block.dimension);
    const BodyDelassus::Row* rows = rows_ + block.offset;
    Eigen::Map<Vector> r_c(r + block.offset, block.dimension);
    u[0] += z.Dot(rows[0]);
    if (opens && r_c[0] == 0 && u[0] >= 0) return Vector::Zero(u.size());
    for (int i = 1; i < u.size(); ++i) u[i] += z.Dot(rows[i]);
    const Vector r_new = local(u, r_c);
    const Vector change = r_new - r_c;
    r_c = r_new;
    for (int i = 0; i < u.size(); ++i) z.Add(transposed_[block.offset + i], change[i]);
    z.Store(z_a, z_b);
    return change;
  }

 private:
  const BodyDelassus& A_;
  const double* b_;
  std::vector<BodyDelassus::Velocity>& z_;
  const BodyDelassus::Row* rows_;
  const BodyDelassus::Row* transposed_;
};

/// The block-sparse form.
class BlockSparseSweep {
 public:
  BlockSparseSweep(const BlockSparseDelassus& A, const double* b) : A_(A), b_(b) {}

  void Start(const double*) {}
  void StartFromProduct(const double*) {}
  double* companion() { return nullptr; }
  int companion_size() const { return 0; }

  template <class Vector, class Local>
  Vector Update(int c, const LocalBlock& block, bool, double* r, const Local& local) {
    Vector u = Eigen::Map<const Vector>(b_ + block.offset, block.dimension);
    A_.AddRowProduct(c, r, u.data());
    Eigen::Map<Vector> r_c(r + block.offset, block.dimension);
    const Vector r_new = local(u, r_c);
    const Vector change = r_new - r_c;
    r_c = r_new;
    return change;
  }

 private:
  const BlockSparseDelassus& A_;
  const double* b_;
};

/// The dense form.
class DenseSweep {
 public:
  DenseSweep(const MatrixX& A, const double* b) : A_(A), b_(b) {}

  void Start(const double*) {}
  void StartFromProduct(const double*) {}
  double* companion() { return nullptr; }
  int companion_size() const { return 0; }

  template <class Vector, class Local>
  Vector Update(int, const LocalBlock& block, bool, double* r, const Local& local) {
    Vector u = Eigen::Map<const Vector>(b_ + block.offset, block.dimension);
    u.noalias() +=
        A_.middleRows(block.offset, block.dimension) * Eigen::Map<const VectorX>(r, A_.cols());
    Eigen::Map<Vector> r_c(r + block.offset, block.dimension);
    const Vector r_new = local(u, r_c);
    const Vector change = r_new - r_c;
    r_c = r_new;
    return change;
  }

 private:
  const MatrixX& A_;
  const double* b_;
};

/// Any form, with the compliance C of the problem: u_c = (A r + b)_c + C_c r_c.
template <class Form>
class CompliantSweep {
 public:
  CompliantSweep(Form* form, const GrowingVector& compliance)
      : form_(*form), compliance_(compliance.data()) {}

  void Start(const double* r) { form_.Start(r); }
  void StartFromProduct(const double* r) { form_.StartFromProduct(r); }
  double* companion() { return form_.companion(); }
  int companion_size() const { return form_.companion_size(); }

  template <class Vector, class Local>
  Vector Update(int c, const LocalBlock& block, bool opens, double* r, const Local& local) {
    const Eigen::Map<const Vector> C(compliance_ + block.offset, block.dimension);
    return form_.template Update<Vector>(c, block, opens, r, [&](const auto& u, const auto& x) {
      return local(Vector(u + C.cwiseProduct(x)), x);
    });
  }

 private:
  Form& form_;
  const double* compliance_;
};

/// Visits a block of one of the rarer kinds; the change is handed to `add`.
template <class Form, class Add>
[[gnu::noinline]] void UpdateOtherBlock(const LocalBlocks& blocks, int c, Form* form, double* r,
                                        const Add& add) {
  const LocalBlock& block = blocks.block(c);
  const int k = block.index;
  switch (block.kind) {
    case LocalKind::kFriction2: {
      const CoulombBlock2& local = blocks.friction2(k);
      add(form->template Update<Vector2>(
          c, block, true, r, [&](const auto& u, const auto& x) { return local.Solve(u, x); }));
      break;
    }
    case LocalKind::kFree:
      add(form->template Update<LocalBlocks::FreeVector>(
          c, block, false, r,
          [&](const auto& u, const auto& x) { return blocks.SolveFree(k, u, x); }));
      break;
    case LocalKind::kAssociated3: {
      const AssociatedBlock3& local = blocks.associated3(k);
      add(form->template Update<Vector3>(c, block, false, r, [&](const auto& u, const auto& x) {
        Vector3 solution;
        if (local.Solve(u, x, &solution)) return solution;
        return Vector3(blocks.newton(local.fallback()).Solve(u, x));
      }));
      break;
    }
    case LocalKind::kNewton:
      add(form->template Update<NewtonBlock::Vector>(
          c, block, blocks.newton(k).opens_by_normal(), r,
          [&](const auto& u, const auto& x) { return blocks.newton(k).Solve(u, x); }));
      break;
    case LocalKind::kBox: {
      const double bound = blocks.CalcBound(k, r);
      add(form->template Update<DiscBlock::Vector>(
          c, block, false, r,
          [&](const auto& u, const auto& x) { return blocks.disc(k).Solve(u, x, bound); }));
      break;
    }
    default:
      break;
  }
}

/// Visits block c, eq. (1).
template <class Form>
[[gnu::always_inline]] inline void UpdateBlock(const LocalBlocks& blocks, int c, Form* form,
                                               double* r, SweepChange* total) {
  const LocalBlock& block = blocks.block(c);
  const int k = block.index;
  const auto add = [&](const auto& change) {
    const double square = change.squaredNorm();
    total->change += square;
    total->largest = std::max(total->largest, square);
    for (int i = 0; i < change.size(); ++i) {
      total->norm += r[block.offset + i] * r[block.offset + i];
    }
  };
  using Scalar = Eigen::Matrix<double, 1, 1>;
  switch (block.kind) {
    case LocalKind::kIsotropic3: {
      const IsotropicBlock3& local = blocks.isotropic3(k);
      add(form->template Update<Vector3>(
          c, block, true, r, [&](const auto& u, const auto& x) { return local.Solve(u, x); }));
      break;
    }
    case LocalKind::kFriction3: {
      const CoulombBlock3& local = blocks.friction3(k);
      add(form->template Update<Vector3>(
          c, block, true, r, [&](const auto& u, const auto& x) { return local.Solve(u, x); }));
      break;
    }
    case LocalKind::kIsotropicAssociated3: {  // u_N alone does not tell that it opens
      const IsotropicAssociatedBlock3& local = blocks.isotropic_associated3(k);
      add(form->template Update<Vector3>(
          c, block, false, r, [&](const auto& u, const auto& x) { return local.Solve(u, x); }));
      break;
    }
    case LocalKind::kNonnegative:
      add(form->template Update<Scalar>(c, block, true, r, [&](const auto& u, const auto& x) {
        return Scalar(blocks.SolveNonnegative(k, u[0], x[0]));
      }));
      break;
    case LocalKind::kImmovable:
      break;
    default:
      UpdateOtherBlock(blocks, c, form, r, add);
  }
}

/// All blocks once, in the order of the problem.
template <class Form>
SweepChange Sweep(const LocalBlocks& blocks, Form* form, double* r) {
  SweepChange total;
  for (int c = 0; c < blocks.size(); ++c) UpdateBlock(blocks, c, form, r, &total);
  return total;
}

/// These blocks once.
template <class Form>
SweepChange Sweep(const LocalBlocks& blocks, const std::vector<int>& some, Form* form, double* r) {
  SweepChange total;
  for (const int c : some) UpdateBlock(blocks, c, form, r, &total);
  return total;
}

}  // namespace saltus
