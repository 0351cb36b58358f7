// Saddle-point problems for the tests of the KKT solver, and a dense rank-revealing reference.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/linalg/block_matrix.h"

namespace saltus {

struct KktProblem {
  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix S;
  SparseRows G;
};

struct KktReference {
  VectorX x;
  VectorX lambda;  // of least Σ w_i λ_i²
};

class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : engine_(seed) {}
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int Index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  VectorX Vector(int size);
  MatrixX Matrix(int rows, int columns);

 private:
  std::mt19937 engine_;
};

/// Diagonal blocks QᵀQ + I scaled by `mass`, couplings of ±0.3 mass; with `skew`, a random skew
/// part of that relative size is added (gyroscopic terms).
BlockMatrix MakeRandomBlocks(std::shared_ptr<const BlockPattern> pattern, double skew,
                             RandomNumbers* random);

/// Compressed, also where `dense` has zeros on the pattern.
SparseRows MakeSparse(const MatrixX& dense);

/// A serial chain of rigid bodies, 6 dofs each, hinged to the ground and to each other about
/// parallel axes (5 rows per hinge, world frame, unit lengths). With `closed`, the last body is
/// hinged to the ground too: a planar loop in space, three rows of which are redundant.
KktProblem MakeHingeChain(int num_bodies, bool closed, RandomNumbers* random);

/// w_i = Σ_j G_ij²/S_jj.
VectorX CalcRowWeights(const KktProblem& problem);

/// Solves S x − Gᵀλ = f, G x = c by the complete orthogonal decomposition of the dense matrix with
/// λ measured in √w. Needs S positive definite (symmetric part).
KktReference SolveDense(const KktProblem& problem, const VectorX& f, const VectorX& c);

}  // namespace saltus
