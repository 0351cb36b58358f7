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
#include "saltus/integrators/theta_equations.h"

namespace saltus {

class MoreauJean::Stepper {
 public:
  explicit Stepper(const MoreauJeanOptions& options);

  const StepReport& Step(System& system, double h, State* state);

 private:
  /// How fast things are at a state: the margin of the contact search and the scales of tolerances.
  struct Scales {
    VectorX acceleration;           // f/M
    double acceleration_bound = 0;  // of any surface point, m/s²
    double speed_bound = 0;         // of any surface point, m/s
    double margin = 0;              // twice the distance that the fastest point can travel, m
    double velocity = 0;            // of Newton's tolerance
  };
  /// The contacts within the margin at (t, q): those of the end of one step start the next.
  struct Found {
    double t = 0, margin = -1;
    VectorX q;
    ContactSet set;
    void Find(System& system, double t_find, const VectorX& q_find, double margin_find);
  };
  /// What an impact that was solved by itself (12) adds to the step.
  struct SolvedImpact {
    bool exists = false, ok = true;
    VectorX momentum, lambda;     // M (v⁺ − v_n) and the impulses of the joints
    GrowingVector r;              // impulses in the rows of the contacts
    std::vector<double> rebound;  // u_N⁺ per contact, 0 where there is no impulse
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

  void CalcScales(double t, const VectorX& q, const VectorX& v, Scales* scales) const;
  void Predict();
  void Iterate();
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
  Found found_, ended_;
  Scales scales_, end_scales_;

  VectorX v_, lambda_, x_;  // the iterate
  SolvedImpact impact_;
  std::vector<char> stuck_, hit_;  // per contact: (11) is off; it belongs to an impact
  GrowingVector allowance_;        // a of (5)
  int admissions_ = 0;

  ContactSet condition_, force_, push_, free_end_;
  Lists lists_;
  VectorX q_free_, rhs_, c_, v_new_, scratch_;
};

}  // namespace saltus
