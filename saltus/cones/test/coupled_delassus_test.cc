// Coupled bodies: the operator against the dense one, and Newton's method in body space.
#include "saltus/cones/coupled_delassus.h"

#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/cones/dense_delassus.h"
#include "saltus/cones/solvers/body_lu.h"
#include "saltus/cones/test/random_problems.h"

namespace saltus {
namespace {

using test::Random;

// Bodies in a row, springs between neighbours, joints between some; contacts between near bodies
// and with the ground.
struct CoupledBodies {
  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix S;
  SparseRows G;
  std::unique_ptr<KktSolver> kkt;
  CoupledDelassus A;
  MatrixX H;  // all rows
  ConicProblem problem;
};

MatrixX MakeMass(Random* random) { return 2 * random->PositiveDefinite(6, 10); }

void MakeSystem(int num_bodies, int num_joints, bool redundant, Random* random, CoupledBodies* x) {
  std::vector<std::array<int, 2>> couplings;
  for (int b = 1; b < num_bodies; ++b) couplings.push_back({b - 1, b});
  x->pattern = std::make_shared<BlockPattern>(
      std::vector<int>(static_cast<std::size_t>(num_bodies), 6), couplings);
  x->S = BlockMatrix(x->pattern);
  x->S.SetZero();
  for (int b = 0; b < num_bodies; ++b) {
    x->S.block(x->pattern->FindSlot(b, b)) += MakeMass(random);
    if (b == 0) continue;
    const MatrixX K = 5 * random->PositiveDefinite(6, 10);  // h² times a stiffness
    x->S.block(x->pattern->FindSlot(b, b)) += K;
    x->S.block(x->pattern->FindSlot(b - 1, b - 1)) += K;
    x->S.block(x->pattern->FindSlot(b - 1, b)) -= K;
    x->S.block(x->pattern->FindSlot(b, b - 1)) -= K;
  }
  MatrixX G = MatrixX::Zero(num_joints, 6 * num_bodies);
  for (int j = 0; j < num_joints; ++j) {
    const int body = random->Integer(0, num_bodies - 2);
    G.middleCols(6 * body, 12).row(j) = random->Matrix(1, 12);
    if (redundant && j % 3 == 2) G.row(j) = 2 * G.row(j - 1);
  }
  x->G = G.sparseView();
  x->G.makeCompressed();
  x->kkt = std::make_unique<KktSolver>(x->pattern, x->G);
  ASSERT_TRUE(x->kkt->Factor(x->S, x->G));
}

// Made from a known solution, mixed states.
void AddContacts(int num_contacts, double friction, Random* random, CoupledBodies* x) {
  const int num_bodies = x->pattern->num_blocks();
  x->problem.cones =
      test::MakeCones(std::vector<int>(static_cast<std::size_t>(num_contacts), 3), friction);
  x->H.setZero(3 * num_contacts, 6 * num_bodies);
  x->A.Reset(*x->kkt);
  VectorX r(3 * num_contacts), u(3 * num_contacts), product;
  for (const Cone& cone : x->problem.cones) {
    x->A.AddBlock(3);
    const int a = random->Integer(0, num_bodies - 1), b = a + random->Integer(0, 2);
    for (const int body : {a, b}) {
      if (body >= num_bodies || (body == b && a == b)) continue;
      const BodyDelassus::RowMajorX rows = random->Matrix(3, 6);
      x->A.AddRows(body, 6 * body, rows);
      x->H.block(cone.offset, 6 * body, 3, 6) = rows;
    }
    if (a == b) {  // ground: only one body
      const BodyDelassus::RowMajorX rows = random->Matrix(3, 6);
      x->A.AddRows(a, 6 * a, rows);
      x->H.block(cone.offset, 6 * a, 3, 6) = rows;
    }
    MakeContactPair(cone, static_cast<test::ContactState>(random->Integer(0, 2)), random,
                    &r[cone.offset], &u[cone.offset]);
  }
  ASSERT_TRUE(x->A.Finalize());
  x->problem.A = &x->A;
  x->A.Multiply(r, &product);
  x->problem.b = u - product;
}

TEST(CoupledDelassusTest, IsHKinverseHt) {
  for (const bool redundant : {false, true}) {
    Random random(3);
    CoupledBodies x;
    MakeSystem(5, 7, redundant, &random, &x);
    AddContacts(9, 0.4, &random, &x);
    MatrixX response = x.H.transpose();
    ASSERT_TRUE(x.kkt->SolveInComponent(0, &response, nullptr));
    const MatrixX exact = x.H * response;
    EXPECT_LT((MakeDense(x.A) - exact).norm(), 1e-10 * exact.norm());
    for (const Cone& cone : x.problem.cones) {
      MatrixX block(3, 3);
      x.A.CalcDiagonalBlock(cone.offset, 3, block);
      EXPECT_LT((block - exact.block(cone.offset, cone.offset, 3, 3)).norm(), 1e-10 * exact.norm());
    }
  }
}

TEST(CoupledDelassusTest, LinearSystemsAreSolvedInBodySpace) {
  for (const bool redundant : {false, true}) {
    for (const int num_joints : {0, 12}) {
      Random random(4);
      CoupledBodies x;
      MakeSystem(8, num_joints, redundant, &random, &x);
      AddContacts(40, 0.4, &random, &x);
      BodyLu lu;
      ASSERT_TRUE(lu.Prepare(x.problem));
      BodyLu::Blocks E, B;
      for (std::size_t c = 0; c < x.problem.cones.size(); ++c) {
        E.push_back(random.Matrix(3, 3) + 3 * MatrixX::Identity(3, 3));
        B.push_back(random.Matrix(3, 3) + 2 * MatrixX::Identity(3, 3));
      }
      ASSERT_TRUE(lu.Factor(E, &B));
      const VectorX exact = VectorX::LinSpaced(x.problem.size(), -1, 1);
      VectorX f;
      x.A.Multiply(exact, &f);
      for (const Cone& cone : x.problem.cones) {
        auto own = f.segment<3>(cone.offset);
        const std::size_t c = static_cast<std::size_t>(cone.offset / 3);
        own = (B[c] * own + E[c] * exact.segment<3>(cone.offset)).eval();
      }
      lu.SolveInPlace(&f);
      EXPECT_LT((f - exact).norm(), 1e-8 * exact.norm()) << num_joints << " " << redundant;
    }
  }
}

// More contact rows than velocities: the default solves it without forming A.
TEST(CoupledDelassusTest, AutoSolvesHundredsOfContacts) {
  Random random(6);
  CoupledBodies x;
  MakeSystem(30, 20, false, &random, &x);
  AddContacts(200, 0.5, &random, &x);
  ConicSolverOptions options;
  options.effort = Effort::kHigh;
  VectorX r;
  const SolveReport report = MakeConicSolver("auto", options)->Solve(x.problem, &r);
  EXPECT_TRUE(report.ok()) << StatusName(report.status) << " " << report.residual.relative;
  EXPECT_LE(report.iterations, 1000);
}

}  // namespace
}  // namespace saltus
