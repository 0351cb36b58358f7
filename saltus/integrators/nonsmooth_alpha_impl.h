// Inside of NonsmoothAlpha: one step of the equations of nonsmooth_alpha.h, whose numbers are used.
// @cite BrulsAcaryCardona2014
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "saltus/integrators/contact_problem.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/integrators/poisson_impact.h"
#include "saltus/integrators/row_rates.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

inline int CountRows(const Contact& contact) { return contact.rows(); }
inline int CountRows(const DryFriction& friction) { return friction.dimension; }

/// Rows of one contact or friction times x, without bias.
template <class Item>
Vector6 CalcRows(const ContactSet& set, const Item& item, const VectorX& x) {
  Vector6 u = Vector6::Zero();
  for (int k = item.first_block; k < item.first_block + item.num_blocks; ++k) {
    const RowBlock& rb = set.blocks[k];
    const double* values = set.values.data() + rb.values;
    for (int i = 0; i < CountRows(item); ++i) {
      for (int j = 0; j < rb.columns; ++j) u[i] += values[i * rb.columns + j] * x[rb.dof + j];
    }
  }
  return u;
}

/// u of one contact or friction at the velocity v.
template <class Item>
Vector6 CalcVelocity(const ContactSet& set, const Item& item, const VectorX& v) {
  Vector6 u = CalcRows(set, item, v);
  u.head(item.dimension) += item.bias.head(item.dimension);
  return u;
}

class NonsmoothAlpha::Impl {
 public:
  explicit Impl(const NonsmoothAlphaOptions& options);
  const StepReport& Step(System& system, double h, State* state);

  VectorX lambda_;         // λ̃, N
  VectorX nu_joint_;       // ν of the joints, kg m
  VectorX nu_of_contact_;  // ν_N in the order of report_.contacts, kg m

 private:
  /// What is known of a contact at the current iterate, by its place in contacts_.
  struct ContactUnknowns {
    Vector6 nu = Vector6::Zero();  // ν_N (and the parts of friction with (17)), kg m
    Vector6 P = Vector6::Zero();   // N s, in all rows of the contact
    Vector6 u = Vector6::Zero();   // u that the last velocity problem gave P to
    double shift = 0;              // û_N − u_N − μ|u_T| of (4), (18)
    bool candidate = false;        // takes part in the position problems of this step
    bool active = false;           // took part in (4)
    bool was_active = false;       // in some iteration of this step
  };
  /// The terms of (20) at the increments of the last pass of an iteration.
  struct Curvature {
    bool present = false;
    VectorX force, rows;  // of (10): −hK(ΔU + e) − hDΔW, −C(ΔU + e)
    VectorX push;         // of (11): G'ᵀν + H'ᵀν − M'U
    VectorX offset;       // of (11): e
    VectorX impulse;      // of (12): G'ᵀΛ + H'ᵀP − M'W
    VectorX joint_rates;  // of (12): G'v
    VectorX v;            // of H'v in (12)
  };
  // nonsmooth_alpha.cc
  void Prepare(System& system);
  void Begin(System& system, double h, State* state);
  void Predict(const State& state);
  void PredictPush(const State& state);
  void RememberForPredictor(State* state);
  void Place(System& system);
  void Evaluate(System& system, bool frozen);
  bool Iterate(System& system);
  bool IterateLinear(System& system);
  bool PositionEquationHolds(System& system);
  bool StepEquationsHold(System& system);
  bool CloseJoints(System& system);
  double CalcMassScaled(VectorX* residual) const;
  double CalcVelocityScale() const;
  KktPasses passes() const {
    return no_contacts_ && large_ ? KktPasses::kOne : KktPasses::kToRounding;
  }

  // nonsmooth_alpha_newton.cc
  void AddMassTangent(System& system);
  void CalcTangents(System& system);
  void FormSmoothMatrix(System& system);
  void CalcMove(const VectorX& dv, VectorX* dq) const;
  bool SolveSmooth(System& system);
  void AddPositionIncrement(const VectorX& g_left, bool first_of_iteration);
  bool SolvePositionWithoutContacts(System& system);

  // nonsmooth_alpha_curvature.cc
  template <class Solve>
  bool SolveInPasses(System& system, bool coupled, Solve solve);
  bool SolveIteration(System& system, bool coupled);
  bool SolvePositionInPasses(System& system);
  bool CalcTrial(System& system);
  bool CalcCurvature(System& system, bool coupled);
  bool CurvatureMatters();

  // nonsmooth_alpha_contact.cc
  void FindContacts(System& system, bool frozen);
  void WarmStart();
  double CalcNormalRow(const ContactSet& set, const Contact& contact, const VectorX& x) const;
  Vector6 CalcStartVelocity(System& system, const Contact& contact);
  double CalcRebound(const Contact& contact, const Vector6& u_minus) const;
  bool SolveVelocity(System& system, const KktSolver& kkt, const VectorX& rhs, bool coupled);
  Eigen::Index StartFromKnownImpulses();
  void CalcGapsOfIterate(System& system);
  void ChooseActive(System& system);
  void AddCurvedRows(VectorX* u) const;
  bool SolveImpact(const KktSolver& kkt);
  bool ContactVelocitiesHold(System& system);
  /// f −= Hᵀν or HᵀP of all contacts (and joint frictions), with the rows of `set`.
  void SubtractContactForces(const ContactSet& set, bool position, VectorX* f) const;
  SolveReport SolveAtAnyCost(ConicSolver& solver, double tolerance, const ConicProblem& problem);
  DelassusCorrection MakeCorrection(bool position) const;
  /// x −= factor P_S T y, T = K or D (13).
  void SubtractCoupling(const DelassusCorrection& correction, const VectorX& y, VectorX* x);

  // nonsmooth_alpha_position.cc
  bool IsPile() const;
  double ChooseCandidates();
  void MoveImpulsesToForce();
  void CalcFreePush(const KktSolver& kkt, const DelassusCorrection* coupling);
  void FillPositionProblem(System& system);
  bool SolvePosition(System& system, const KktSolver& kkt, const VectorX& rhs, bool coupled);
  ConicSolver& PositionSolver(double depth, double* tolerance);
  SolveReport SolvePile(ConicSolver& solver, double tolerance);
  double CalcGapError(double gap, const ContactUnknowns& unknown) const;
  double CalcGapError() const;
  void ChooseLift();
  bool GapsHold() const;

  // nonsmooth_alpha_robust.cc
  bool IterateRobust(System& system);
  bool SolveSmoothAlone(System& system);
  bool SolvePositionAlone(System& system);
  bool SolveVelocityAlone(System& system);
  void CalcForceBalance(System& system, const VectorX& q, const VectorX& v, VectorX* F);

  // nonsmooth_alpha_report.cc
  void ReportContacts(System& system);
  void ReportWork(System& system);
  void Finish(System& system, State* state);
  void Remember(State* state) const;
  void NameCulprit(const System& system);

  const NonsmoothAlphaOptions options_;
  const AlphaCoefficients k_;
  const double c_;       // (1−α_m)/((1−α_f)γ) of (9)
  const bool modified_;  // (16)
  std::unique_ptr<ConicSolver> solver_;
  std::array<std::unique_ptr<ConicSolver>, 11> position_solvers_;
  ContactProblem position_problem_, velocity_problem_;
  StepReport report_;

  // Per system, made once.
  const System* system_ = nullptr;
  std::optional<KktSolver> kkt_M_, kkt_S_;
  BlockMatrix M_, K_, D_, S_, T_;
  SparseRows G_, C_, L_;
  std::vector<int> diagonal_slots_;
  std::vector<std::vector<int>> uncoupled_blocks_;  // for differences
  bool linear_ = false;                             // constant f and M, no joints: S = c M
  bool full_rank_ = false;  // joints without redundancy at the initial state
  bool large_ = false;      // a factorisation is worth keeping
  bool stiff_ = false;      // S differs from c M by more than a few percent

  // The step.
  double h_ = 0, t_ = 0;  // t_: end of the step
  const State* start_ = nullptr;
  VectorX vd_start_, a_start_, lambda_start_;
  double force_speed_ = 0;     // h |f/M|
  double rounding_speed_ = 0;  // h |K/M| times the rounding of q
  double margin_ = 0;          // of the search for contacts, m
  double search_margin_ = 0;   // of the last search
  double gap_closed_ = 0;      // gaps up to this count as closed in (4), m
  double residual_ = 0;        // largest of (1) and the joints, as a velocity
  bool no_contacts_ = false;   // at this iterate, none within the margin
  bool curved_ = false;        // C is known and L is used
  bool frozen_ = false;        // the set of contacts does not change any more
  bool solver_ok_ = true;
  std::optional<ContactKey> worst_contact_;  // of the last velocity problem

  // The iterate.
  VectorX vd_, a_, v_smooth_, q_smooth_, U_, W_, q_, v_, Lambda_, f_, g_, g_t_;
  VectorX dv_;  // Δṽ of the iteration
  ContactSet contacts_;
  std::vector<ContactUnknowns> unknowns_, unknowns_before_;  // one per contact of contacts_
  std::vector<ContactKey> keys_before_;
  VectorX q_contacts_;           // where contacts_ have been found or moved to
  double gap_gain_ = 1;          // … per relative residual and depth
  double linear_gap_error_ = 0;  // that the last position problem left in its linearised gaps, m
  bool position_solved_ = true;  // the last position problem
  double gap_error_ = 0;         // at the iterate, m
  double lift_ = 0;              // s of (19), m
  bool lost_ = false;            // a contact with ν or P is not there any more
  ContactSet start_contacts_;    // at q_n, found only if an active contact has restitution
  ContactSet end_contacts_;      // at q_{n+1}, found only if the set was frozen
  bool start_found_ = false;
  VectorX friction_P_;  // impulses of the dry frictions of joints
  PoissonImpact impact_;
  VectorX impact_r_;  // impulses by Poisson's law of the active contacts

  std::vector<int> candidates_, active_;
  VectorX gaps_;  // per contact: gap with ν = 0 at the end of the iteration
  VectorX U_free_, W_free_, bias_, shift_, r_, u_, dq_, dU_, move_;
  VectorX rhs_, c_rows_, x_, y_, z_, no_force_, no_rows_, delta_, force_start_, force_end_;
  VectorX F_smooth_;  // F(q̃, ṽ) of (14)
  Curvature curvature_;
  RowRates rates_;
  const ContactSet unturned_;                    // none
  VectorX U_before_, W_before_, lambda_before_;  // at the start of an iteration
  VectorX q_trial_, delta_last_;
};

}  // namespace saltus
