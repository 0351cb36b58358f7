// A Delassus operator of any form as a block sparse matrix, block by block of the problem: what
// solvers that factorise need.
//
//   body form      A_cd = Σ_b [H_cb P_b] [Q_b H_dbᵀ] over the bodies b that c and d share      (1)
//   block sparse   itself
//   others         all entries, column by column; blocks of zeros are left out                 (2)
#pragma once

#include "saltus/cones/block_sparse_delassus.h"
#include "saltus/cones/conic_problem.h"

namespace saltus {

/// A + C of the problem: its operator A if there is no compliance C and it is block sparse by the
/// problem's cones already; otherwise a copy, made in *storage.
const BlockSparseDelassus& MakeBlockSparse(const ConicProblem& problem,
                                           BlockSparseDelassus* storage);

}  // namespace saltus
