// RowRates: how the mass, the joint rows and the contact rows change along a displacement δ,
//
//   M' = d/dε M(q ⊕ εδ),    G' = d/dε G(q ⊕ εδ),    H' and the biases of contacts likewise      (1)
//
// at ε = 0. Newton's method needs no more of the second derivatives than these: for the change δ of
// an iteration, (∂(Hᵀν)/∂q) δ = H'ᵀν and (∂(Hv)/∂q) δ = H'v, whatever ν and v are.
// One difference quotient gives all of them for any System: along |εδ| ≤ 1e-7 its error is about
// 1e-7 of the curvature, far less than what one iteration leaves.
// Blocks Gs, Gp, Gv of the iteration matrix in @cite BrulsAcaryCardona2014 (44), without a matrix.
#pragma once

#include "saltus/dynamics/system.h"

namespace saltus {

class RowRates {
 public:
  /// M, G and contacts are those at (t, q). Contacts are evaluated by their features; those whose
  /// rows jump between q and q ⊕ εδ count as if their rows were constant.
  void Calc(System& system, double t, const VectorX& q, const VectorX& delta, const BlockMatrix& M,
            const SparseRows& G, const ContactSet& contacts);

  const BlockMatrix& M() const { return M_; }  // only if the mass is not constant
  const SparseRows& G() const { return G_; }
  /// The contacts given, with H' for the rows and the rates of the biases for the biases.
  const ContactSet& contacts() const { return rates_; }

 private:
  void CalcContacts(double epsilon, const ContactSet& contacts);

  BlockMatrix M_;
  SparseRows G_;
  ContactSet rates_, moved_;
  VectorX step_, q_moved_;
};

}  // namespace saltus
