// RowTurning: the terms (20) of nonsmooth_alpha.h, how the rows of contacts and joints and the mass
// turn within an iteration, by the rates of row_rates.h along the way δ of the iteration.
// Blocks Gs, Gp, Gv of the iteration matrix in @cite BrulsAcaryCardona2014 (44), without a matrix.
#pragma once

#include "saltus/integrators/alpha_contacts.h"
#include "saltus/integrators/alpha_smooth.h"
#include "saltus/integrators/row_rates.h"

namespace saltus {

/// The terms at the increments of the last pass of an iteration.
struct TurningTerms {
  SmoothTurning smooth;        // of (10)
  VectorX push;                // of (11): G'ᵀν + H'ᵀν − M'U
  VectorX offset;              // of (11): e = δ − Δq
  VectorX impulse;             // of (12): G'ᵀΛ + H'ᵀP − M'W
  VectorX joint_rates;         // of (12): G'v
  VectorX v;                   // of H'v in (12)
  const ContactSet* contacts;  // H'
};

class RowTurning {
 public:
  /// Forgets the pass before: an iteration begins.
  void Clear() { present_ = false; }
  /// The terms from an iterate and the results `next` (U, W and multipliers) and dv of a pass.
  /// Returns false, and there are none, if another pass would change nothing that matters at this
  /// tolerance [m/s], or if they are so large that the linearisation says nothing.
  bool Calc(System& system, const AlphaStart& start, const AlphaTerms& terms, SmoothNewton& smooth,
            const AlphaContacts& contacts, const AlphaIterate& x, const AlphaIterate& next,
            const VectorX& dv, double tolerance);
  /// Null: none.
  const TurningTerms* terms() const { return present_ ? &terms_ : nullptr; }

 private:
  bool CalcWay(System& system, const AlphaStart& start, const AlphaIterate& x,
               const AlphaIterate& next, const VectorX& move, double tolerance);
  void CalcForces(const AlphaStart& start, const AlphaContacts& contacts, const AlphaIterate& next,
                  bool constant_mass);
  void CalcSmooth(const AlphaStart& start, SmoothNewton& smooth, const AlphaIterate& x,
                  const AlphaIterate& next, const VectorX& dv);
  bool Matter(const AlphaStart& start, const AlphaTerms& terms, const AlphaContacts& contacts,
              const AlphaIterate& next, double tolerance) const;

  bool present_ = false;
  TurningTerms terms_;
  RowRates rates_;
  VectorX way_;  // δ
};

}  // namespace saltus
