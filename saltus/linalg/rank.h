// Which constraint rows depend on the others: told to the user as redundant joints.
#pragma once

#include <vector>

#include "saltus/base/types.h"

namespace saltus {

/// Indices (ascending) of the rows of G that depend linearly on rows before them; the other rows
/// are independent and span the same space.
///
/// Rows are taken in order and orthogonalised in the metric of the inverse mass: with
/// g̃_i = G_i diag(s)^{−½}, row i depends on the rows kept so far if what remains of g̃_i after
/// removing their span is ≤ tolerance · |g̃_i|. Independent of units and of the scaling of rows.
///
/// @param s  positive scale of each column, e.g. the diagonal of M; empty: ones
/// @param tolerance  relative, dimensionless. 1e-8 tells a geometric redundancy from rounding.
std::vector<int> FindRedundantRows(const MatrixX& G, const VectorX& s = VectorX(),
                                   double tolerance = 1e-8);

/// The same for a sparse G. Rows of a chain cost O(rows · columns) altogether.
std::vector<int> FindRedundantRows(const SparseRows& G, const VectorX& s = VectorX(),
                                   double tolerance = 1e-8);

}  // namespace saltus
