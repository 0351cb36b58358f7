// Inside Moreau–Jean (moreau_jean.h): moreau_jean.cc has the step, moreau_jean_contacts.cc what it
// does with contacts before and after. @cite Moreau1988 @cite Jean1999
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "saltus/integrators/contact_problem.h"
#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/poisson_impact.h"
#include "saltus/integrators/position_projection.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

class MoreauJean::Impl {
 public:
  explicit Impl(const MoreauJeanOptions& options);

  const StepReport& Step(System& system, double h, State* state);

 private:
  /// A contact is at rest while its gap and speed are below this share of what the forces of one
  /// step can do: neither rounding nor the tolerance of the solver may open it.
  static constexpr double kRest = 0.01;
  static constexpr int kHardProblem = 600;  // rows: larger ones are not given up more than once

  void Prepare(System& system);
  void FindContacts(System& system, double t, const VectorX& q, const VectorX& v, double h,
                    bool touching = false);
  double CalcUnresolvedSpeed(const Contact& c, double h) const;
  bool Bounces(const Contact& c, double h) const;
  void ChooseActive(const State& state, double h);
  bool AdmitWaiting(const State& start, const VectorX& v, double h);
  void LayOutRows(const State& state, double h);
  /// With the springs of elastic friction.
  void WarmStart(const State& state, double h);
  void SetSprings(const State& state, double h);
  void MoveTo(System& system, const State& start, double h, const VectorX& v, bool project);
  bool StepEquationsHold(System& system, const State& start, double h);
  void FormIterationMatrix(System& system, double t, double h, const VectorX& v);
  void SolveImpact(const State& start);
  ConicSolver& ChooseSolver();
  void RememberPause(State* state);
  bool SolveVelocity(System& system, const State& start, double h);
  void Iterate(System& system, const State& start, double h);
  void ReportContacts(const State& start);
  void ReportWork(System& system, const State& start, double h);
  void Finish(System& system, double t, double h, State* state);
  void ProjectVelocity(System& system, double t);
  void NameCulprit(const System& system);
  void Remember(State* state) const;
  void RememberSprings(State* state) const;
  void RememberPushes(double h, State* state) const;

  const MoreauJeanOptions options_;
  std::unique_ptr<ConicSolver> solver_;
  /// For hard problems after solver_ has failed: Newton's method and further steps change them
  /// little, so that the whole effort would be in vain again. May be null.
  std::unique_ptr<ConicSolver> sweeps_, following_sweeps_;
  PositionProjection projection_;
  ContactProblem problem_;
  PoissonImpact impact_;
  StepReport report_;

  // Per system, made once.
  const System* system_ = nullptr;
  std::optional<KktSolver> kkt_;
  BlockMatrix M_, K_, D_, S_;
  SparseRows G_, G_theta_;

  // Contacts at (found_time_, found_q_) within found_margin_: kept from the end of one step to the
  // start of the next.
  ContactSet contacts_;
  double found_time_ = 0, found_margin_ = -1;
  VectorX found_q_;

  bool solver_ok_ = true;
  double pause_ = 0, next_pause_ = 1;  // steps
  int worst_block_ = -1;
  double acceleration_bound_ = 0;  // m/s²
  double speed_bound_ = 0;         // m/s, of v_n
  double force_speed_ = 0;         // h |f/M|: what the forces of one step do to the velocity
  double rounding_speed_ = 0;      // h |K/M| times the rounding of q

  std::vector<int> active_, closed_;
  std::vector<int> waiting_;  // candidates left out because they cannot close, as it seems
  std::vector<int> admitted_;
  struct Merged {
    int contact;
    char by_gap;
    int offset;  // of its rows before; −1: it was waiting
  };
  std::vector<Merged> merged_;
  bool has_admitted_ = false;
  bool impact_due_ = false;   // the impact by Poisson's law is to be solved with these rows
  bool may_impact_ = false;   // some contact with Poisson's law may bounce
  std::vector<char> by_gap_;  // per active contact: law (7) rather than (5)
  GrowingVector u_minus_;     // u at v_n, all rows of the problem
  GrowingVector bias_;        // bias rows
  GrowingVector shift_;       // restitution, gap and spring terms of (5), (7), (10)
  GrowingVector r_;           // impulses P, without those of impact_r_ until the step is solved
  GrowingVector r_found_;     // before contacts were admitted
  GrowingVector impact_r_;    // impulses by Poisson's law; empty if there are none
  GrowingVector u_, u_free_;  // u at v_{n+1}, and without impulses
  VectorX q_, q_theta_, v_, v_new_, delta_, f0_, f1_, f_, rhs_, c_, g_, g_t_;
  VectorX lambda_, lambda_free_, correction_, scratch_, acceleration_, v_mid_;
};

}  // namespace saltus
