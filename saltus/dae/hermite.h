// Quintic Hermite polynomial of one step in the chart δ of its start: dense output for methods that
// have none of their own. With s = (t − t_n)/h,
//
//   δ(s) = h H₁ δ'₀ + h² H₂ δ''₀ + h² H₃ δ''₁ + h H₄ δ'₁ + H₅ δ₁                                (1)
//   H₁ = s − 6s³ + 8s⁴ − 3s⁵        H₂ = (s² − 3s³ + 3s⁴ − s⁵)/2     H₃ = (s³ − 2s⁴ + s⁵)/2
//   H₄ = −4s³ + 7s⁴ − 3s⁵           H₅ = 10s³ − 15s⁴ + 6s⁵
//   q = q_n ⊕ δ,   v = T(δ) δ'                                                                 (2)
//
// The error is O(h⁶) in q and O(h⁵) in v. δ''₁ = d/dt (T⁻¹v) at the end, on curved spaces by a
// central difference along the motion.
#pragma once

#include "saltus/dae/dae_terms.h"

namespace saltus {

class HermiteStep {
 public:
  /// @param delta  of the end: q₁ = q₀ ⊕ δ₁
  void Build(DaeTerms* terms, double h, const VectorX& q0, const VectorX& v0, const VectorX& a0,
             const VectorX& delta, const VectorX& v1, const VectorX& a1);
  /// (1), (2).
  void Calc(DaeTerms* terms, double s, VectorX* q, VectorX* v);

 private:
  double h_ = 0;
  VectorX q0_, v0_, a0_, delta1_, rate1_, second1_;
  VectorX delta_, rate_, scratch_;
};

}  // namespace saltus
