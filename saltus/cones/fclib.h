// Frictional contact problems in the HDF5 layout of FCLib [@cite FCLib2013], with solutions and
// guesses.
//
// Local problems:   u = W r + V λ + q,   0 = Vᵀ r + R λ + s                                    (1)
//   /fclib_local/spacedim          2 or 3 rows per contact, order N, T(, T2)
//   /fclib_local/W, V, R           matrices; V and R only where there are bilateral rows
//   /fclib_local/vectors/{q,mu,s}  friction coefficient of each contact in mu
// Global problems:  M v = H r + G λ + f,   0 = Gᵀ v + b,   u = Hᵀ v + w                        (2)
//   /fclib_global/spacedim
//   /fclib_global/M, H, G          G only where there are bilateral rows
//   /fclib_global/vectors/{f,w,mu,b}
// Matrices: m, n, nzmax, nz, p, i, x; nz = −1 compressed columns (p: n + 1 pointers, i: rows),
// nz = −2 compressed rows (i: columns), nz ≥ 0 triplets as in CSparse (p: columns, i: rows).
// Solutions: /solution/{v,u,r,l}; guesses: /guesses/number_of_guesses, /guesses/1/{v,u,r,l}, …
//
// FCLib states Coulomb's law as conic_problem.h does, so a file is a ConicProblem once v and λ are
// eliminated:
//   (1)  A = W − V R⁻¹Vᵀ,  b = q − V R⁻¹s,  λ = −R⁻¹(Vᵀ r + s)                                 (3)
//   (2)  [M −G; Gᵀ 0] [v; λ] = [H r + f; −b_G],  A = Hᵀ ∂v/∂r,  b = Hᵀ v(0) + w                (4)
// Without G and with M of blocks of up to six rows (rigid bodies), two of them at most in a
// contact, A keeps its body form (body_delassus.h): large problems stay small.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include "saltus/cones/conic_problem.h"

namespace saltus {

/// x = constant + rows r: a vector that was eliminated. Empty if there is none.
struct AffineMap {
  VectorX constant;
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> rows;
  VectorX operator()(const VectorX& r) const { return constant + rows * r; }
};

struct FclibProblem {
  std::unique_ptr<Delassus> A;
  ConicProblem problem;  // refers to *A
  AffineMap v, l;        // of eq. (4), λ also of (3)
};

/// A solution or a guess; vectors that a file does not hold are empty.
struct FclibSolution {
  VectorX v, u, r, l;
};

/// Reads a local or a global problem. Throws InputError, with the file and the item, if the file is
/// missing, is not HDF5, lacks an item, or holds inconsistent sizes, indices out of range, negative
/// friction or numbers that are not finite, or if eq. (3) or (4) is singular.
FclibProblem ReadFclib(const std::string& path);

/// Impulses to store with a problem; empty: none.
struct FclibRecord {
  VectorX start;  // the first guess
  VectorX solution;
};

/// kBodies: global, if the operator has a symmetric body form and there is no compliance, in
/// velocities that are scaled such that M = I; local otherwise.
enum class FclibForm { kLocal, kBodies };

/// Writes a problem of friction and nonnegative blocks; replaces the file. All contacts of a
/// file have the same dimension: smaller blocks are filled up with rows of zeros, and nonnegative
/// ones become contacts with μ = 0, which changes no solution. Throws InputError if the problem has
/// other blocks or the file cannot be written.
void WriteFclib(const ConicProblem& problem, const std::string& path,
                const FclibRecord& record = {}, FclibForm form = FclibForm::kLocal);

/// r with u, v and λ that belong to it.
FclibSolution MakeFclibSolution(const FclibProblem& problem, const VectorX& r);

/// The solution in a file, or empty vectors; r and u must have `size` numbers if present.
FclibSolution ReadFclibSolution(const std::string& path, int size);
/// The guesses in a file, possibly none.
std::vector<FclibSolution> ReadFclibGuesses(const std::string& path, int size);
/// Adds a solution to a file with a problem; replaces an earlier one.
void WriteFclibSolution(const FclibSolution& solution, const std::string& path);
/// Adds guesses to a file with a problem; replaces earlier ones.
void WriteFclibGuesses(const std::vector<FclibSolution>& guesses, const std::string& path);

}  // namespace saltus
