// The interface of all time integrators, and what one step reports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/dynamics/state.h"
#include "saltus/dynamics/system.h"

namespace saltus {

enum class StepStatus {
  kOk,
  kNewtonNotConverged,  // the nonlinear step equations were not solved to tolerance
  kSolverNotConverged,  // the contact problem was not solved to tolerance
  kConstraintFailed,    // joints inconsistent: G v = −g_t cannot be satisfied
  kOverlap,             // bodies overlap at the end of the step
  kNotFinite,           // NaN or infinity; the state was not changed
};
const char* StatusName(StepStatus status);

/// One contact point over one step.
struct ContactResult {
  ContactKey key;
  int dimension = 3;
  double gap = 0;                       // m, as the scheme sees it last; frame.h has the end's
  Vector3 point = Vector3::Zero();      // world
  Matrix3 frame = Matrix3::Identity();  // columns n, t1, t2
  Vector3 impulse = Vector3::Zero();    // P_N, P_T1, P_T2 over the step, N s
  Vector3 velocity = Vector3::Zero();   // u at the end of the step, m/s
  Vector3 moment = Vector3::Zero();     // of rolling and spinning friction about n, t1, t2, N m s
  bool impact = false;  // true: Λ (an impulse); false: λ h (a force times the step)
  bool sticks = false;  // loaded, with P_T inside its cone: u_T = 0 by the law
  double creep = 0;     // m, tangential move during the step while it sticks
};

/// Energy that entered (+) or left (−) during one step, J.
///   ΔE = loads + drives − impact_loss − friction_loss − joint_friction_loss − contact_loss
///        − decohesion_loss + lasting + projection + closure
struct StepWork {
  double loads = 0;          // ∫ f_nonconservative · v dt
  double drives = 0;         // work of prescribed motions, −λ·g_t
  double impact_loss = 0;    // −P_N · (u_N⁺ + u_N⁻)/2
  double friction_loss = 0;  // −P_T · (u_T⁺ + u_T⁻)/2
  double joint_friction_loss = 0;
  double lasting = 0;     // work of normal forces without impact: a numerical error, O(h³) a step
  double projection = 0;  // energy change by position projection
  double contact_loss = 0;     // dampers and friction of contacts whose law is a smooth force
  double decohesion_loss = 0;  // spent on breaking bonds

  StepWork& operator+=(const StepWork& other);
};
/// Entries `loads` and `contact_loss` of a step from `start` to (q, v): the forces at its ends with
/// the weights 1 − θ and θ, on the mean velocity.
void CalcLoadWork(const System& system, const State& start, double h, double theta,
                  const VectorX& q, const VectorX& v, VectorX* scratch, StepWork* work);

/// The outcome of Step. Vectors are owned by the integrator and reused.
struct StepReport {
  StepStatus status = StepStatus::kOk;
  std::string culprit;  // "contact 'ball-ground'": what failed, and what to try
  double step = 0;      // h, s
  int newton_iterations = 0;
  int solver_iterations = 0;
  double solver_residual = 0;  // natural map, relative, worst of the step
  double solver_error = 0;     // m/s, worst error of a contact law in the accepted solution
  StepWork work;
  std::vector<ContactResult> contacts;  // active contacts, sorted by key
  VectorX constraint_impulse;  // Gᵀ-multipliers over the step (Λ + h λ), N s, one per row of G
  double max_penetration = 0;  // m, of the accepted configuration q_{n+1}
  double max_constraint = 0;   // |g(q_{n+1})|∞
  double max_constraint_rate = 0;  // |G v_{n+1} + g_t|∞
  double max_complementarity = 0;  // max over contacts of P_N·(u_N + e u_N⁻), J, and cone violation
  int impacts = 0;                 // contacts that closed with an impulse in this step
  int tunnelled = 0;               // pairs that passed through each other: 0 in every sound step

  bool ok() const { return status == StepStatus::kOk; }
  /// As at the start of a step h; keeps memory.
  void Clear(double h);
};

/// What to tell of a step that ended in NaN or infinity.
inline constexpr char kNotFiniteCulprit[] =
    "Newton's method ran away, or a force, mass or contact gives NaN or infinity; "
    "try a smaller step or on_failure: halve";
/// What to tell of a contact problem that was not solved; `worst` may be null: a joint's friction.
std::string DescribeUnsolved(const System& system, double residual, const ContactKey* worst);

class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual std::string name() const = 0;
  /// False: penetration of up to a step's motion and drifting joints belong to the scheme.
  virtual bool holds_positions() const { return true; }
  /// Advances *state by h. On failure with kNotFinite *state is unchanged; otherwise it holds the
  /// best iterate, for the Simulation to accept and flag or to reject (assign the saved State).
  /// The report is valid until the next call.
  [[nodiscard]] virtual const StepReport& Step(System& system, double h, State* state) = 0;
};

}  // namespace saltus
