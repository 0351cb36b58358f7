// Explicit Runge–Kutta methods on the index-1 form (explicit_stages.h).
//
//   rkf45   Fehlberg 4(5), 6 stages: goes on with order 4, estimate |y₅ − y₄|    @cite Fehlberg1969
//   dopri5   Dormand–Prince 5(4), 7 stages, the last one is the first of the next step
//            @cite DormandPrince1980; dense output of order 4 @cite HairerNorsettWanner1993
//   rk4      the classical method with step halving: two steps h/2 are kept,
//            error = |y_{2×h/2} − y_h|
//
// The error is the Euclidean norm over (δ, v). Positions drift off g = 0 quadratically and
// velocities linearly in time with the tolerance; Baumgarte's terms or a projection hold them.
//
// Deviation: the step runs in the chart δ, so that rotations keep the order (dae_terms.h).
#pragma once

#include "saltus/dae/dae_solver.h"
#include "saltus/dae/explicit_stages.h"
#include "saltus/dae/half_explicit_stages.h"
#include "saltus/dae/hermite.h"

namespace saltus {

RungeKuttaTableau MakeRk4Tableau();
RungeKuttaTableau MakeRkf45Tableau();
RungeKuttaTableau MakeDopri5Tableau();

/// rkf45 or dopri5.
class EmbeddedRungeKutta final : public DaeSolver {
 public:
  enum class Method { kRkf45, kDopri5 };
  explicit EmbeddedRungeKutta(Method method);

  std::string name() const override { return method_ == Method::kRkf45 ? "rkf45" : "dopri5"; }
  int order() const override { return stages_.tableau().order; }
  int error_order() const override { return stages_.tableau().order; }

 protected:
  DaeTrial Step() override;
  void OnStart() override { start_is_known_ = false; }
  void OnAdvance(bool moved) override;
  void Interpolate(double theta, VectorX* q, VectorX* v) override;

 private:
  bool first_is_last() const { return method_ == Method::kDopri5; }
  void BuildPolynomial();

  Method method_;
  ExplicitStages stages_;
  VectorX a_start_, a_end_, error_;
  bool start_is_known_ = false, end_is_known_ = false;  // v̇
  bool dense_is_ready_ = false;
  HermiteStep hermite_;
  std::array<VectorX, 4> q_poly_, v_poly_;  // dense output of dopri5
  VectorX delta_, lambda_;
};

/// A one-step method without an embedded formula, with step halving.
///   rk4: explicit, index 1;   hem4: half-explicit, index 2 (half_explicit.h)
class HalvedRungeKutta final : public DaeSolver {
 public:
  enum class Method { kRk4, kHem4 };
  explicit HalvedRungeKutta(Method method);

  std::string name() const override { return method_ == Method::kRk4 ? "rk4" : "hem4"; }
  int order() const override { return 4; }
  int error_order() const override { return 4; }

 protected:
  DaeTrial Step() override;
  void Interpolate(double theta, VectorX* q, VectorX* v) override;

 private:
  bool StepOnce(const DaePoint& start, double h, DaePoint* end);
  void BuildHermites();

  Method method_;
  ExplicitStages explicit_;
  HalfExplicitStages half_explicit_;
  DaePoint whole_, middle_;
  VectorX error_, deltas_[2], a_[3], lambda_;
  bool dense_is_ready_ = false;
  HermiteStep hermites_[2];
};

}  // namespace saltus
