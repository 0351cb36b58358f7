// Problems for tests: random mechanisms of bodies in contact, and problems made from a known
// solution, so that the right answer does not come from a solver.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/body_delassus.h"
#include "saltus/cones/conic_problem.h"
#include "saltus/cones/dense_delassus.h"

namespace saltus::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double Uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(engine_);
  }
  int Integer(int a, int b) { return std::uniform_int_distribution<int>(a, b)(engine_); }
  /// Entries in [−1, 1].
  MatrixX Matrix(int rows, int columns);
  /// Symmetric positive definite with eigenvalues in [1/condition, 1].
  MatrixX PositiveDefinite(int n, double condition);

 private:
  std::mt19937 engine_;
};

enum class ContactState { kOpen, kStick, kSlip };

/// The same operator in its three forms.
struct Mechanism {
  BodyDelassus body;
  BlockSparseDelassus sparse;
  DenseDelassus dense{MatrixX()};
};

struct MechanismOptions {
  int num_bodies = 4;
  std::vector<int> dimensions;  // of the blocks
  bool unsymmetric = false;     // inverse masses with a gyroscopic part
};

/// Random bodies of 6 and 3 degrees of freedom and blocks between random pairs of them or ground.
void MakeMechanism(const MechanismOptions& options, Random* random, Mechanism* mechanism);

/// Cones of friction blocks (dimension 1: nonnegative).
std::vector<Cone> MakeCones(const std::vector<int>& dimensions, double friction);

/// An impulse and a velocity that obey the law of a friction cone in the given state.
void MakeContactPair(const Cone& cone, ContactState state, Random* random, double* r, double* u);

/// A large problem made from a known solution: random bodies in a row, in contact with near ones.
struct BodyRow {
  int num_contacts = 1000;
  double contacts_per_body = 1;
  int reach = 30;  // places in the row
  double friction = 0.5;
  std::optional<ContactState> state{};  // absent: all three, at random
};
void MakeBodyRow(const BodyRow& row, Random* random, BodyDelassus* A, ConicProblem* problem);

/// The largest violation of Coulomb's law and Signorini's condition, in plain terms:
/// u_N ≥ 0, r_N ≥ 0, u_N r_N = 0, |r_T| ≤ μ r_N, and u_T·r_T = −μ r_N |u_T| (maximal dissipation).
double CalcCoulombViolation(const Cone& cone, const VectorX& r, const VectorX& u);

}  // namespace saltus::test
