// Event-driven integration of motion with frictionless contacts: smooth phases by a solver of
// saltus/dae, impacts and changes of contact exactly at their instants. @cite Haddouni2015
//
// One phase holds the joints and the closed contacts as constraints (held_system.h). After each
// step of the solver the dense output is searched, in quarters, for the first
//   impact        g_N of a contact that is not closed falls through 0                          (1)
//   detachment    λ_N of a closed contact falls through 0                                      (2)
// A contact that has just separated counts again once its gap was positive. The step is repeated so
// that it ends at the event; the instant of an impact is corrected by h ← h − g_N/u_N until g_N is
// rounding. Then (contact_events.h): impacts of all touching contacts together, contacts that stay
// closed by their accelerations, positions and velocities projected, a new phase.
//
// Accumulations. A bounce whose flight the step cannot resolve, or that ends with |u⁺| ≤ τ₁, closes
// its contact. If max_events follow each other within 1e-6 of the time, the run stops and names the
// contact.
//
// Output: as smooth_integrator.h, but a step spans at most ten outputs. Impacts are entries of
// StepReport::contacts with impact = true.
//
// Deviation: a grazing contact that opens again within a quarter of a step is not seen. Friction
// and dry friction of joints are refused. A continued run starts the solver at its instant: the
// motion is the same to the tolerance, not bit for bit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/dae/dae_solvers.h"
#include "saltus/dae/step_control.h"
#include "saltus/events/contact_events.h"
#include "saltus/integrators/integrator.h"

namespace saltus {

struct EventDrivenOptions {
  std::string solver = "hem5";  // a name of ListDaeSolvers() with error control
  StepControlOptions control;
  DaeSolverOptions method;
  EventTolerances tolerances;
  int max_events = 1000;  // within 1e-6 of the time
};

/// What happened, in the order of time.
struct EventRecord {
  enum class Kind { kImpact, kClosing, kDetachment };
  double time = 0;  // s
  Kind kind = Kind::kImpact;
  ContactKey contact;
  std::string name;
  double velocity_before = 0, velocity_after = 0;  // u_N, m/s
  double impulse = 0;                              // Λ_N, N s
};

class EventDriven final : public Integrator {
 public:
  explicit EventDriven(const EventDrivenOptions& options);

  std::string name() const override { return "event-driven"; }
  [[nodiscard]] const StepReport& Step(System& system, double h, State* state) override;

  const DaeStatistics& statistics() const { return run_.statistics(); }
  /// All events since the integrator was made.
  const std::vector<EventRecord>& events() const { return events_; }

 private:
  struct Event {
    double theta = 2;  // > 1: none
    bool impact = false;
    ContactKey key;
  };

  void Prepare(System* system, const State& state);
  bool HandleEvent(DaePoint point);
  bool StartPhase(DaePoint point, const ContactSet& closed);
  bool AdvanceOnce();
  Event FindFirstEvent();
  void FindImpact(Event* event);
  void FindDetachment(Event* event);
  bool CutStep(const Event& event);
  /// Gap of a contact at θ; infinity beyond the margin.
  double CalcGap(const ContactKey& key, double theta);
  void CalcContacts(double theta, double margin, ContactSet* contacts);
  bool IsClosed(const ContactKey& key) const;
  bool IsSeparating(const ContactKey& key) const;
  void AddWork(double t0, double t1);
  bool Fail(StepStatus status, const std::string& culprit);
  void Record(const EventRecord& event);

  EventDrivenOptions options_;
  DaeRun run_;
  System* system_ = nullptr;
  std::unique_ptr<HeldSystem> held_;
  std::unique_ptr<DaeTerms> terms_;
  std::vector<ContactKey> separating_, plastic_;
  bool event_is_due_ = false;  // at the end of the last step
  double next_step_ = 0, max_step_ = 0;
  std::vector<EventRecord> events_;
  StepReport report_;
  double last_time_ = 0;
  VectorX last_q_, last_v_;
  VectorX q_, v_, a_, lambda_, f_, g_t_;
  ContactSet contacts_;
};

}  // namespace saltus
