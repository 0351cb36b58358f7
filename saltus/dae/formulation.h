// Ways to obtain the accelerations of index 1 from M, f, G, γ:  M v̇ = f + Gᵀλ,  G v̇ = −γ.
//
//   kKkt                 [M −Gᵀ; G 0] [v̇; λ] = [f; −γ]                                         (1)
//   kNullSpaceQr, Svd    G R = 0:  [RᵀM; G] v̇ = [Rᵀf; −γ]                                      (2)
//   kPartitioning        v = (v_d, v_i), G_d regular, B = [−G_d⁻¹G_i; I], b = (−G_d⁻¹γ, 0):
//                     BᵀM B v̇_i = Bᵀ(f − M b), v̇ = B v̇_i + b        @cite WehageHaug1982     (3)
//   kUdwadiaKalaba       v̇ = a_f + M^{−½}(G M^{−½})⁺(−γ − G a_f), a_f = M⁻¹f
//                                                                @cite UdwadiaKalaba1992       (4)
//   kMaggiKane          [G; B̃] regular, its inverse [G̃ B]: B of (3) in any basis, v̇ = B ė − G̃γ,
//                       BᵀM B ė = Bᵀ(f + M G̃ γ)                   @cite KaneLevinson1985       (5)
//   kMcClamrochWang      q = (q₁, q₂), q₁ = Ω(q₂); T = [I Ω'; 0 I], M̃ = TᵀM T:
//                      E₂M̃E₂ᵀ ẍ₂ = E₂Tᵀ(f − M Ṫẋ), Ṫẋ = (−G₁⁻¹γ, 0)   @cite McClamrochWang1988 (6)
//
// All are the same accelerations. (1) and (4) bear redundant rows, the others report them. λ is the
// least-squares solution of Gᵀλ = M v̇ − f where the form does not give it.
// @cite Haddouni2015
#pragma once

#include <string>
#include <vector>

#include "saltus/base/types.h"

namespace saltus {

enum class Formulation {
  kKkt,
  kNullSpaceQr,
  kNullSpaceSvd,
  kPartitioning,
  kUdwadiaKalaba,
  kMaggiKane,
  kMcClamrochWang,
};

/// Names in the order of the enum: "kkt", "null-space-qr", …
const std::vector<std::string>& FormulationNames();

/// v̇ and λ by dense linear algebra. False: rows of G depend on each other where the formulation
/// does not allow it, or a matrix is singular.
[[nodiscard]] bool CalcAcceleration(Formulation formulation, const MatrixX& M, const VectorX& f,
                                    const MatrixX& G, const VectorX& gamma, VectorX* a,
                                    VectorX* lambda);

/// Columns d of G for which G_d is regular, as chosen by LU with complete pivoting; empty if rows
/// of G depend on each other.
std::vector<int> FindDependentColumns(const MatrixX& G);

}  // namespace saltus
