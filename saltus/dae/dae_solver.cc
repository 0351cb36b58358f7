#include "saltus/dae/dae_solver.h"

#include <utility>

namespace saltus {

const char* StatusName(DaeStatus status) {
  switch (status) {
    case DaeStatus::kOk:
      return "ok";
    case DaeStatus::kSingular:
      return "the matrix of a stage is singular";
    case DaeStatus::kNewtonFailed:
      return "Newton's method did not converge";
    case DaeStatus::kNotFinite:
      return "a force, mass or joint gives NaN or infinity";
  }
  return "";
}

void DaeSolver::Start(DaeTerms* terms, const DaePoint& point) {
  terms_ = terms;
  start_ = point;
  accepted_ = moved_ = false;
  terms_->Start(point.t, point.q);
  OnStart();
}

DaeTrial DaeSolver::TryStep(double h) {
  if (accepted_) {
    OnAdvance(moved_);
    std::swap(start_, end_);
    accepted_ = moved_ = false;
  }
  h_ = h;
  end_.t = start_.t + h;
  DaeTrial trial = Step();
  if (trial.ok() && !(end_.q.allFinite() && end_.v.allFinite())) {
    trial.status = DaeStatus::kNotFinite;
  }
  return trial;
}

void DaeSolver::Accept() { accepted_ = true; }

void DaeSolver::ReplaceEnd(const VectorX& q, const VectorX& v) {
  end_.q = q;
  end_.v = v;
  moved_ = true;
}

void DaeSolver::CalcDense(double theta, VectorX* q, VectorX* v) {
  if (theta <= 0 || theta >= 1) {
    const DaePoint& point = theta <= 0 ? start_ : end_;
    *q = point.q;
    *v = point.v;
    return;
  }
  Interpolate(theta, q, v);
}

bool DaeSolver::CalcDenseForces(double theta, VectorX* a, VectorX* lambda) {
  CalcDense(theta, &dense_q_, &dense_v_);
  const double t = start_.t + theta * h_;
  if (!terms_->CalcAcceleration(t, dense_q_, dense_v_, a, &dense_lambda_)) return false;
  terms_->ExpandMultipliers(dense_lambda_, lambda);
  return true;
}

}  // namespace saltus
