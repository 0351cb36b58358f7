#include "saltus/linalg/test/kkt_test_problems.h"

#include <utility>

#include <Eigen/LU>
#include <Eigen/QR>

namespace saltus {

VectorX RandomNumbers::Vector(int size) { return Matrix(size, 1); }

MatrixX RandomNumbers::Matrix(int rows, int columns) {
  MatrixX m(rows, columns);
  for (double& value : m.reshaped()) value = Uniform(-1, 1);
  return m;
}

BlockMatrix MakeRandomBlocks(std::shared_ptr<const BlockPattern> pattern, double skew,
                             RandomNumbers* random) {
  BlockMatrix S(std::move(pattern));
  const BlockPattern& p = S.pattern();
  for (int s = 0; s < p.num_slots(); ++s) {
    const auto [i, j] = p.slot(s);
    const int n = p.size(i);
    if (i == j) {
      const MatrixX Q = random->Matrix(n, n);
      const MatrixX A = random->Matrix(n, n);
      S.block(s) = Q.transpose() * Q + 4 * MatrixX::Identity(n, n) + skew * (A - A.transpose());
    } else if (i < j) {
      const MatrixX C = 0.3 * random->Matrix(n, p.size(j));
      S.block(s) = C;
      S.block(p.FindSlot(j, i)) = (skew == 0 ? 1 : 1 - skew) * C.transpose();
    }
  }
  return S;
}

SparseRows MakeSparse(const MatrixX& dense) {
  SparseRows sparse = dense.sparseView();
  sparse.makeCompressed();
  return sparse;
}

KktProblem MakeHingeChain(int num_bodies, bool closed, RandomNumbers* random) {
  const std::vector<int> sizes(num_bodies, 6);
  KktProblem problem;
  problem.pattern = std::make_shared<const BlockPattern>(sizes, std::vector<std::array<int, 2>>{});
  problem.S = MakeRandomBlocks(problem.pattern, 0, random);

  // Body b has its centre at r_b; hinge h joins bodies h − 1 and h at p_h. The velocity of a point
  // of a body is v + ω × (p − r); relative rotation about the x and z axes is forbidden.
  std::vector<Vector3> centre(num_bodies), hinge(num_bodies + 1);
  hinge[0] = Vector3::Zero();
  for (int b = 0; b < num_bodies; ++b) {
    const double angle = random->Uniform(0, 1.5);
    const Vector3 rod(std::cos(angle), 0, std::sin(angle));
    centre[b] = hinge[b] + 0.5 * rod;
    hinge[b + 1] = hinge[b] + rod;
  }
  std::vector<Triplet> triplets;
  const auto add_side = [&](int row, int body, const Vector3& p, double sign) {
    if (body < 0 || body >= num_bodies) return;
    const Vector3 arm = p - centre[body];
    for (int k = 0; k < 3; ++k) triplets.emplace_back(row + k, 6 * body + k, sign);
    // (ω × arm)_k as a row of −[arm]×.
    const double lever[3][3] = {
        {0, arm.z(), -arm.y()}, {-arm.z(), 0, arm.x()}, {arm.y(), -arm.x(), 0}};
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        if (k != l) triplets.emplace_back(row + k, 6 * body + 3 + l, sign * lever[k][l]);
      }
    }
    triplets.emplace_back(row + 3, 6 * body + 3, sign);
    triplets.emplace_back(row + 4, 6 * body + 5, sign);
  };
  const int num_hinges = num_bodies + (closed ? 1 : 0);
  for (int h = 0; h < num_hinges; ++h) {
    add_side(5 * h, h - 1, hinge[h], -1);
    add_side(5 * h, h, hinge[h], 1);
  }
  problem.G = SparseRows(5 * num_hinges, 6 * num_bodies);
  problem.G.setFromTriplets(triplets.begin(), triplets.end());
  problem.G.makeCompressed();
  return problem;
}

VectorX CalcRowWeights(const KktProblem& problem) {
  const VectorX diagonal = problem.S.ToDense().diagonal();
  return MatrixX(problem.G).array().square().matrix() * diagonal.cwiseInverse();
}

KktReference SolveDense(const KktProblem& problem, const VectorX& f, const VectorX& c) {
  // λ = D^{−½} μ with (D^{−½} G S⁻¹Gᵀ D^{−½}) μ = D^{−½} (c − G S⁻¹ f) of least norm.
  const MatrixX G = problem.G;
  const Eigen::FullPivLU<MatrixX> S(problem.S.ToDense());
  const VectorX root = CalcRowWeights(problem).cwiseSqrt().cwiseInverse();
  const VectorX x_free = S.solve(f);
  KktReference reference;
  if (G.rows() == 0) return {x_free, VectorX(0)};
  const MatrixX W = root.asDiagonal() * G * S.solve(G.transpose()) * root.asDiagonal();
  Eigen::CompleteOrthogonalDecomposition<MatrixX> decomposition;
  decomposition.setThreshold(1e-10);
  decomposition.compute(W);
  reference.lambda = root.cwiseProduct(decomposition.solve(root.cwiseProduct(c - G * x_free)));
  reference.x = S.solve(f + G.transpose() * reference.lambda);
  return reference;
}

}  // namespace saltus
