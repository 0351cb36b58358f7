// The interface of the smooth solvers: one step at a time, tried, judged by its error estimate,
// accepted or tried again, with dense output of the step that was tried last.
//
//   solver->Start(&terms, {t, q, v});
//   while (…) {
//     const DaeTrial trial = solver->TryStep(h);
//     if (trial.ok() && trial.error <= tolerance) solver->Accept();
//     h = …                                                       see step_control.h
//   }
//   solver->CalcDense(0.3, &q, &v);                               t = start().t + 0.3 step()
//
// A solver knows no contacts: the motion is smooth between the instants that its user chooses.
#pragma once

#include <string>

#include "saltus/dae/dae_terms.h"

namespace saltus {

struct DaePoint {
  double t = 0;  // s
  VectorX q, v;
};

enum class DaeStatus { kOk, kSingular, kNewtonFailed, kNotFinite };
const char* StatusName(DaeStatus status);

struct DaeTrial {
  DaeStatus status = DaeStatus::kOk;
  double error = 0;  // estimate of the local error, Euclidean norm; each solver says of what
  bool ok() const { return status == DaeStatus::kOk; }
};

class DaeSolver {
 public:
  virtual ~DaeSolver() = default;

  virtual std::string name() const = 0;
  /// p with a global error O(h^p) in q and v.
  virtual int order() const = 0;
  /// p of h_new = s h (tolerance/error)^{1/p}; 0: no estimate, steps are fixed.
  virtual int error_order() const = 0;

  /// Forgets what lies behind. `terms` outlives the solver's use of it.
  void Start(DaeTerms* terms, const DaePoint& point);
  /// From the current point over h. The step can be tried again with another h.
  [[nodiscard]] DaeTrial TryStep(double h);
  /// The end of the last step becomes the current point; its dense output stays until TryStep.
  void Accept();

  const DaePoint& point() const { return accepted_ ? end_ : start_; }
  const DaePoint& start() const { return start_; }
  const DaePoint& end() const { return end_; }
  double step() const { return h_; }
  /// Replaces the end of the last step, before Accept(): for projections.
  void ReplaceEnd(const VectorX& q, const VectorX& v);

  /// Of the last step, θ ∈ [0, 1]. Returns the end itself at θ = 1.
  void CalcDense(double theta, VectorX* q, VectorX* v);
  /// v̇ and λ (all rows of the system) by the index-1 equations at the dense (q, v). False if their
  /// matrix is singular.
  [[nodiscard]] bool CalcDenseForces(double theta, VectorX* a, VectorX* lambda);

  /// What a method with a memory needs beyond start() to repeat the step bit for bit.
  virtual VectorX MakeMemory() const { return {}; }
  virtual void Recall(const VectorX& memory) { (void)memory; }

 protected:
  /// start_ and h_ are set; writes end_.q and end_.v.
  virtual DaeTrial Step() = 0;
  virtual void OnStart() {}
  /// Before a new step leaves the accepted one; `moved`: the end was replaced.
  virtual void OnAdvance(bool moved) { (void)moved; }
  /// 0 < θ < 1.
  virtual void Interpolate(double theta, VectorX* q, VectorX* v) = 0;

  DaeTerms& terms() const { return *terms_; }

  DaePoint start_, end_;
  double h_ = 0;

 private:
  DaeTerms* terms_ = nullptr;
  bool accepted_ = false;
  bool moved_ = false;
  VectorX dense_q_, dense_v_, dense_lambda_;
};

}  // namespace saltus
