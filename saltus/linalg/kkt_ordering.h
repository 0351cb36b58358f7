// An elimination order for sparse saddle-point matrices [S −Gᵀ; G δ] that needs little pivoting.
//
// A constraint row has (almost) nothing on the diagonal; it gets a good pivot, G_ib S_bb⁻¹ G_ibᵀ,
// once a block b it acts on has been eliminated. So every row is attached to one block that it
// touches, at most as many rows to a block as the block has dofs (a maximum matching), and blocks
// with their rows are ordered as units by minimum degree. Rows that find no block (at least m − n
// of them: certainly redundant or over-constrained) come last. @cite AmestoyDavisDuff1996
#pragma once

#include <vector>

namespace saltus {

/// @param block_of_dof  block of each dof; blocks are numbered 0, 1, … without gaps
/// @param num_rows  constraint rows, numbered behind the dofs
/// @param column_begin, row_index  the symmetric pattern of the matrix in compressed columns
/// @returns the unknowns in the order of elimination
std::vector<int> OrderSaddlePoint(const std::vector<int>& block_of_dof, int num_rows,
                                  const std::vector<int>& column_begin,
                                  const std::vector<int>& row_index);

/// Attaches rows to blocks: blocks_of_row lists the blocks each row touches, capacity limits the
/// rows of each block. Returns the block of each row or −1; as few −1 as possible.
std::vector<int> MatchRowsToBlocks(const std::vector<std::vector<int>>& blocks_of_row,
                                   const std::vector<int>& capacity);

}  // namespace saltus
