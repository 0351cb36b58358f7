// The loop: step, check, record, audit. Knows no file format and prints nothing.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/stop_request.h"
#include "saltus/integrators/integrator.h"
#include "saltus/simulation/audit.h"
#include "saltus/simulation/verdict.h"

namespace saltus {

enum class FailurePolicy {
  kStop,   // end the run; everything up to the last good step is kept
  kHalve,  // repeat with h/2 (down to step·2^−max_halvings), then as kStop
  kFlag,   // accept the best iterate, count it as flagged: the verdict says so
};

/// Adaptive steps between the instants n·step, at which observers are called: every piece of length
/// h ≤ step is done once as a whole and once in two halves; the halves are kept.
///   err = |q_whole ⊖ q_halves|∞                                                               (1)
///   err = max(err, ½h |v − v_before|∞) in a piece with an impact: the instant of the impact is
///         known to half the piece, so that the position is to this                             (2)
///   err = max(err, penetration gained in the piece),                                          (3)
///   err = max(err, |q ⊖ (q_before ⊕ ½h(v_before + v))|∞): a contact that closes late in a piece is
///         no impact yet, and whole and halves agree on passing it by; the penetration (3), or the
///         projection that removed it (4), tells                                                (4)
///   h_new = 0.9 h √(tolerance/err), at least 0.2 h, at most 2 h                               (5)
/// A piece with err > tolerance is rejected and repeated with h_new, with h/2 if it holds an
/// impact: there the error is of order h whatever the scheme. No growth in a piece with an impact.
/// Pieces of min_step are accepted whatever their error and counted. The rule suits one-step
/// schemes; two-step ones restart at every change.
struct AdaptiveOptions {
  double tolerance = 1e-4;  // on err, m or rad, > 0
  double min_step = 1e-6;   // s, > 0
};

struct SimulationOptions {
  double step = 1e-3;                       // s
  double until = 1;                         // s
  std::optional<AdaptiveOptions> adaptive;  // none: every step has the length `step`
  FailurePolicy on_failure = FailurePolicy::kHalve;
  int max_halvings = 10;
  bool refuse_overlap = false;  // a start with overlapping bodies is an error, not a warning
  AuditLimits limits;
};

/// Everything needed to go on: a State and the counters. A plain value; see output/ for its file.
struct Checkpoint {
  State state;
  Audit audit;
  long step_index = 0;  // full steps done; time = step_index · step exactly
};

/// An impact: a contact that closed with an impulse.
struct ImpactEvent {
  double time = 0;  // s, the end of the step or sub-step in which it happened
  ContactKey key{};
  double impulse = 0;  // normal, N s
};

/// What observers see after each accepted step (and once at the start with step_index == 0).
struct StepView {
  System& system;
  const State& state;
  const StepReport&
      report;  // empty report at the start; of the last sub-step if there were several
  const Audit& audit;
  Energy energy;
  long step_index = 0;
  std::span<const ImpactEvent> impacts{};  // of all sub-steps
};

struct RunOutcome {
  enum class Kind { kFinished, kInterrupted, kFailed };
  Kind kind = Kind::kFinished;
  std::string message;                  // for kFailed: what is to blame, then what helps
  std::vector<std::string> violations;  // audit limits that do not hold
  std::string verdict;                  // "good", or "look at: …": of the part that was done
  bool good() const { return kind != Kind::kFailed && violations.empty(); }
  /// "finished", or the message.
  std::string text() const { return kind == Kind::kFinished ? "finished" : message; }
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnStart(const StepView&) {}
  virtual void OnStep(const StepView&) {}
  /// `checkpoint` allows an exact continuation.
  virtual void OnEnd(const Checkpoint& checkpoint, const RunOutcome& outcome) {
    (void)checkpoint;
    (void)outcome;
  }
};

class Simulation {
 public:
  Simulation(std::unique_ptr<System> system, std::unique_ptr<Integrator> integrator,
             const SimulationOptions& options);

  /// Observers are not owned and are called in the order of addition.
  void AddObserver(Observer* observer) { observers_.push_back(observer); }
  /// Continues from a checkpoint instead of the initial state.
  void Restore(const Checkpoint& checkpoint);

  /// Runs to options.until, or until `stop` throws Interrupted: asked before each step here, and
  /// within steps by solvers that were given it (ConicSolverOptions::stop). Any other exception of
  /// the system or of an observer ends the run as well: observers are told the end, then it goes on
  /// to the caller. A step cut short by an exception leaves no trace but its wall time.
  RunOutcome Run(const StopRequest* stop = nullptr);

  // The same loop from outside: Start, Advance until it is done or fails, Finish.
  /// Tells the observers the start.
  void Start();
  bool done() const { return checkpoint_.step_index >= num_steps(); }
  /// One step of the run, or less at its end. False: it failed, and why.
  [[nodiscard]] bool Advance(std::string* failure);
  /// Judges the audit and tells the observers the end; `outcome` says how the loop ended.
  RunOutcome Finish(RunOutcome outcome);
  /// Tells the observers the end after an exception of the system or of an observer, which is an
  /// error or an Interruption.
  void FinishAfter(const std::exception& error);

  System& system() { return *system_; }
  const State& state() const { return checkpoint_.state; }
  const Audit& audit() const { return checkpoint_.audit; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  const SimulationOptions& options() const { return options_; }
  /// What the observers saw last; an empty report before the first step.
  StepView MakeView() const;
  /// Judges what was done so far.
  Verdict MakeVerdict() const;
  const ModelScale& scale() const { return basis_.scale; }

 private:
  long num_steps() const;
  /// Times that differ by less are equal: a billion steps add no step of rounding size.
  double CalcTimeTolerance(double time) const;
  /// Audits the initial configuration, once.
  void AuditStart();
  /// Adds an accepted step to the audit, and finds out where its worst values are.
  void Account(const StepReport& report, const Energy& before, const Energy& after);
  void LocatePenetration();
  void LocateConstraint();
  void Judge(RunOutcome* outcome) const;
  /// Advances to `target` in one step, or in several if the policy halves.
  bool StepTo(double target, std::string* failure);
  /// The same with adaptive steps.
  bool AdaptTo(double target, std::string* failure);
  struct Trial {
    bool good = false;    // both halves were done; the state and the audit are behind them
    bool impact = false;  // seen in the whole or in the halves
    double error = 0;     // (1)-(4), infinite if the whole failed
  };
  Trial TryStep(double h);
  bool StepOnce(double h);
  /// Saves the state to go back to, before a step or a trial.
  void Save();
  /// Back to the end of the last whole step, after an exception.
  void Rewind();
  /// The deepest penetration at a state, m.
  double CalcPenetration(const State& state);

  std::unique_ptr<System> system_;
  std::unique_ptr<Integrator> integrator_;
  SimulationOptions options_;
  VerdictBasis basis_;
  Checkpoint checkpoint_;
  State initial_;
  State saved_;    // to go back to when a step is rejected
  int saves_ = 0;  // of the present whole step: the first is of its start …
  State start_;    // … and moves here at the second, before it is overwritten
  Audit start_audit_;
  StepReport no_report_;
  VectorX q_whole_, difference_;
  ContactSet contacts_;                      // scratch of CalcPenetration
  const StepReport* last_report_ = nullptr;  // owned by the integrator
  std::vector<ImpactEvent> impacts_;         // of the present whole step
  std::vector<Observer*> observers_;
  std::size_t num_started_ = 0;  // of the observers: who was told no start is told no end
};

}  // namespace saltus
