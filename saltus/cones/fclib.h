// Frictional contact problems in the HDF5 layout of FCLib ("local" problems) [@cite FCLib2013].
//
//   /fclib_local/spacedim          2 or 3 rows per contact, order N, T(, T2)
//   /fclib_local/W/{m,n,nzmax,nz,p,i,x}   Delassus matrix: nz = −1 compressed columns (p: n + 1
//                                  pointers, i: rows), nz ≥ 0 triplets (p: columns), nz = −2
//                                  compressed rows (i: columns)
//   /fclib_local/vectors/{q,mu}    u = W r + q, friction coefficient of each contact
//
// FCLib states Coulomb's law as conic_problem.h does, so a file is a ConicProblem as it stands.
// Bilateral rows of FCLib (V, R, s) are not read: files with them are refused.
#pragma once

#include <memory>
#include <string>

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/conic_problem.h"

namespace saltus {

struct FclibProblem {
  std::unique_ptr<BlockSparseDelassus> A;
  ConicProblem problem;  // refers to *A
};

/// Throws InputError, with the file and the item, if the file is missing, is not HDF5, lacks an
/// item, or holds inconsistent sizes, indices out of range, negative friction or numbers that are
/// not finite.
FclibProblem ReadFclib(const std::string& path);

/// Writes a problem whose blocks are all friction cones of one dimension; replaces the file.
/// Throws InputError if the problem has other blocks or the file cannot be written.
void WriteFclib(const ConicProblem& problem, const std::string& path);

}  // namespace saltus
