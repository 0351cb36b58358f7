// Choice of the step size, and the loop that tries, judges and accepts.
//
//   accept if err ≤ tol, and |g|, |G v + g_t| within their limits                              (1)
//   h_new = h clamp(s (tol/err)^{1/p}, 0.2, 5);  no growth in the step after a rejection        (2)
//   PI:     h_new = h clamp(s (tol/err)^{0.7/p} (err_old/tol)^{0.4/p}, 0.2, 5)                  (3)
//   rejected for drift alone: h/2;  Newton's method or a singular matrix: h/4                  (4)
//   first step: h₀ = 0.01 |y₀|/|f₀|, lowered until one Euler step changes f by less than 100 %  (5)
//
// At min_step a step is accepted whatever its error and counted. @cite HairerNorsettWanner1993
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "saltus/dae/dae_solver.h"

namespace saltus {

struct StepControlOptions {
  double tolerance = 1e-6;                                    // on the error of a step, > 0
  double safety = 0.9;                                        // s, ∈ (0, 1)
  double first_step = 0;                                      // s; 0: (5)
  double min_step = 1e-10;                                    // s, > 0
  double max_step = std::numeric_limits<double>::infinity();  // s
  double max_position_drift = std::numeric_limits<double>::infinity();  // |g|∞
  double max_velocity_drift = std::numeric_limits<double>::infinity();  // |G v + g_t|∞
  bool proportional_integral = false;                                   // (3)
  bool projection = false;  // the end of every step is projected onto g = 0, G v + g_t = 0
};

struct DaeStatistics {
  long accepted = 0;
  long rejected = 0;
  long at_min_step = 0;           // accepted there although the error is larger than the tolerance
  double max_position_drift = 0;  // largest |g|∞ of accepted steps
  double max_velocity_drift = 0;  // largest |G v + g_t|∞
  DaeCounts counts;
};

/// Runs a solver with error control, one accepted step at a time.
class DaeRun {
 public:
  DaeRun(std::unique_ptr<DaeSolver> solver, const StepControlOptions& options);

  DaeSolver& solver() { return *solver_; }
  const DaeSolver& solver() const { return *solver_; }
  const StepControlOptions& options() const { return options_; }

  /// Starts, or starts again after the motion was changed from outside.
  void Start(DaeTerms* terms, const DaePoint& point);
  /// One accepted step, at most to t_max. False: the step fell below min_step in (4), and why.
  [[nodiscard]] bool Advance(double t_max, std::string* failure);

  /// The next step that is tried; may be set, as after an event.
  double next_step() const { return h_; }
  void SetNextStep(double h) { h_ = h; }
  /// Repeats the last accepted step of another run bit for bit, from its start and what MakeMemory
  /// said then. False: it failed.
  [[nodiscard]] bool Resume(DaeTerms* terms, const DaePoint& start, const VectorX& memory);
  VectorX MakeMemory() const;

  /// counts: those since the last Start.
  const DaeStatistics& statistics() const { return statistics_; }

 private:
  double ChooseFirstStep();
  double CalcFactor(double error) const;
  bool DriftIsSmall(double* position, double* velocity);
  bool Project();

  std::unique_ptr<DaeSolver> solver_;
  StepControlOptions options_;
  DaeTerms* terms_ = nullptr;
  double h_ = 0, last_error_ = 0;
  bool was_rejected_ = false;
  DaeStatistics statistics_;
  VectorX q_, v_, g_, a_[2], lambda_;
};

}  // namespace saltus
