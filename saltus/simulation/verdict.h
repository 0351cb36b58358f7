// The verdict: one line that says whether a run can be trusted, and if not, what to look at.
//
// Limits are relative to the model, so that they mean the same for a watch and for a crane. With
// the smallest shape s and the size L of the model [m] (scale.h), the step h and the speeds u of
// the run, a run is good if
//   penetration ≤ 10⁻⁴ s    schemes that hold positions reach 10⁻⁸ m: more is a sign of a contact
//                           that was missed; 10⁻⁴ of a shape is what nobody sees or feels   (1)
//   penetration ≤ 2 h |u|   schemes that do not hold them stop a body up to a step late   (2)
//   joint error ≤ 10⁻⁶ L    (10⁻³ L where positions are not held: they drift)   (3)
//   closure, projection and lasting ≤ 10⁻³ of the turnover: a thousandth of the energy that
//                           changed hands is the accuracy of an ordinary simulation   (4)
//   nothing tunnelled, no failed step accepted   (5)
// Each limit can be replaced by one of the scene (section `audit`), or taken away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/simulation/audit.h"
#include "saltus/simulation/scale.h"

namespace saltus {

/// Limits of the scene's `audit:` section. What is not given is judged by default, infinity is no
/// limit. Exceeding one makes a run fail (exit code 1).
struct AuditLimits {
  std::optional<double> max_penetration, max_constraint, max_constraint_rate, max_complementarity;
  std::optional<double> max_creep, max_solver_error, tunnelled;
  // Relative to the turnover:
  std::optional<double> energy_closure, projection, lasting;
  bool defaults = true;  // false: only what is given is judged
};

/// What the limits are relative to.
struct VerdictBasis {
  ModelScale scale;
  double step = 0;  // h, s
  bool holds_positions = true;
};

/// One exceeded limit.
struct Violation {
  std::string key;       // of the audit
  std::string sentence;  // "max_penetration = 7.2e-02 m exceeds its limit 2e-05 m"
  std::string phrase;    // "penetration 72 mm at box1-box2, t = 0.31 s (1.4 × the smallest shape)"
};

struct Verdict {
  std::vector<Violation> violations;  // what is worst for the user first
  bool good() const { return violations.empty(); }
  /// "good", or "look at: …; …".
  std::string line() const;
};

/// All limits as numbers, infinite where there is none.
AuditLimits FillLimits(const AuditLimits& given, const Audit& audit, const VerdictBasis& basis);
Verdict MakeVerdict(const Audit& audit, const AuditLimits& given, const VerdictBasis& basis,
                    const System& system);

/// A length in the unit that people read: "72 mm", "0.31 µm".
std::string FormatLength(double length);

}  // namespace saltus
