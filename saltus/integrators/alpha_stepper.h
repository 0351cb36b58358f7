// AlphaStepper: one step of nonsmooth_alpha.h, in the order of its equations, whose numbers are
// used. The parts: kinematics (5)-(7) alpha_kinematics.h, smooth motion (9)-(10) alpha_smooth.h,
// contacts and their mean rows (14)-(15) alpha_contacts.h, contact levels (11)-(12) alpha_levels.h,
// turning of rows (20) alpha_turning.h, report alpha_report.h.
// @cite BrulsAcaryCardona2014
#pragma once

#include "saltus/integrators/alpha_contacts.h"
#include "saltus/integrators/alpha_levels.h"
#include "saltus/integrators/alpha_smooth.h"
#include "saltus/integrators/alpha_turning.h"

namespace saltus {

class AlphaStepper {
 public:
  explicit AlphaStepper(const NonsmoothAlphaOptions& options);
  const StepReport& Step(System& system, double h, State* state);

  const AlphaIterate& iterate() const { return x_; }
  /// ν_N in the order of the contacts of the report, kg m.
  const VectorX& contact_multipliers() const { return contact_nu_; }

 private:
  /// Newton's method of the variants monolithic and decoupled, or the sequence of robust. False:
  /// NaN or infinity.
  bool Iterate(System& system);
  bool IterateRobust(System& system);
  bool SolveSmoothAlone(System& system, VectorX* F_smooth);
  bool SolvePositionsAlone(System& system, const VectorX& F_smooth);
  bool SolveVelocitiesAlone(System& system, const VectorX& F_smooth);

  /// (5)-(7), and everything at the iterate.
  void MoveTo(System& system);
  bool SolveWithContacts(System& system, int iteration);
  bool SolveWithoutContacts();
  /// Whether the iterate satisfies (1)-(4), judged by the equations themselves.
  bool StepEquationsHold();
  bool PositionEquationHolds();
  double CalcMotionOf(const VectorX& force);
  bool GapsHold() const;
  double CalcGapError() const;
  bool ContactVelocitiesHold(System& system, int iteration) const;
  /// Joints to rounding: small U and W with the factorisation of the last iteration.
  void CloseJoints(System& system);
  /// True: the step ends here, with the status of the report.
  bool Ends(System& system, int iteration);
  void Finish(System& system, State* state);

  double newton_tolerance() const;    // m/s
  double force_tolerance() const;     // m/s
  double position_tolerance() const;  // m
  double promise() const;             // penetration of an accepted step, m

  const NonsmoothAlphaOptions options_;
  AlphaStart start_;
  AlphaTerms terms_;
  AlphaIterate x_;
  SmoothNewton smooth_;
  AlphaContacts contacts_;
  AlphaLevels levels_;
  RowTurning turning_;
  LevelOutcome velocity_outcome_;  // of the last velocity problem
  bool coarse_ = false;            // it was solved coarsely
  double residual_ = 0;            // largest of (1) and the joints, m/s
  bool free_ = true;               // no contact has been near in this step
  StepReport report_;
  VectorX contact_nu_;
};

}  // namespace saltus
