// One step of Moreau–Jean (moreau_jean.h): the step itself in moreau_jean.cc, its contacts in
// moreau_jean_contacts.cc, what it reports in moreau_jean_report.cc. @cite Moreau1988 @cite
// Jean1999
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/integrators/contact_step.h"
#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/poisson_impact.h"
#include "saltus/integrators/position_law.h"
#include "saltus/integrators/position_projection.h"
#include "saltus/integrators/step_contacts.h"
#include "saltus/integrators/step_scales.h"
#include "saltus/integrators/theta_equations.h"

namespace saltus {

class MoreauJean::Stepper {
 public:
  explicit Stepper(const MoreauJeanOptions& options);

  const StepReport& Step(System& system, double h, State* state);

 private:
  /// What an impact that was solved by itself (12) adds to the step.
  struct SolvedImpact {
    bool exists = false, ok = true;
    VectorX momentum, lambda;     // M (v⁺ − v_n) and the impulses of the joints
    GrowingVector r;              // impulses in the rows of the contacts
    std::vector<double> rebound;  // u_N⁺ per contact, 0 where there is no impulse
  };

  /// How the rows of forces, conditions and pushes follow the iterate:
  ///   kTwoRows  as (10) says; (H_φ − H_c)ᵀP comes from the last pass, pushes act along H_θ. Light
  ///             bodies that turn fast, and rims that come to lie flat, may not converge so
  ///   kOneRow   H_c = H_φ = H_θ, pushes along the rows of the gaps: symmetric problems
  ///   kHeld     the rows stay as they are: features changed from pass to pass
  enum class Coupling { kTwoRows, kOneRow, kHeld };

  /// Of the laws, of the forces, of the pushes of (5), and the contacts at the free end.
  struct RowSets {
    ContactSet condition, force, push, free_end;
  };
  /// Lists that keep their memory.
  struct Lists {
    std::vector<int> chosen, suspects, overlapping, index;
    std::vector<std::uint64_t> pairs;
    std::vector<HeldAxis> passed, held;
    std::vector<ContactKey> before;
    std::vector<ContactMemory> memory;
    GrowingVector u;
  };

  void Predict();
  void Iterate();
  double CalcNewtonTolerance() const;
  bool BeginPass();
  bool StartFromImpact();
  void Place(int corrections);
  void Judge();
  void ProjectRest();
  void Fail(StepStatus status, const std::string& culprit);
  void Finish(State* state);

  void Activate();
  void ChooseAtFreeEnd();
  void ChooseByPrediction();
  void AddUnknownPairs();
  void Classify();
  bool WasLoaded(const ContactKey& key) const;
  bool SolveImpact();
  void SetRows();
  void SetShifts();
  void SetDirections(int pass);
  const ContactSet& push_rows();
  ContactStep::Target CalcTarget() const;
  double CalcClosedGap() const;
  void CalcAllowance();
  bool Admit();
  bool FindOverlapping();
  bool AddOverlapping();

  void ReportContacts();
  void ReportWork();

  const MoreauJeanOptions options_;
  std::unique_ptr<ConicSolver> impact_solver_;
  ThetaEquations equations_;
  StepContacts contacts_;
  ContactStep laws_;
  PositionLaw position_;
  PositionProjection net_;
  PoissonImpact impact_law_;
  StepReport report_;
  FoundContacts found_, ended_;
  StepScales scales_, end_scales_;

  VectorX v_, lambda_, x_;  // the iterate
  SolvedImpact impact_;
  std::vector<char> stuck_, hit_;  // per contact: (11) is off; it belongs to an impact
  GrowingVector allowance_;        // a of (5)
  int admissions_ = 0;
  Coupling coupling_ = Coupling::kTwoRows;

  RowSets rows_;
  Lists lists_;
  VectorX q_free_, rhs_, c_, v_new_, scratch_, rate_start_;
};

}  // namespace saltus
