#include "saltus/cones/solvers/projected_cg.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/cones/solvers/face_cholesky.h"
#include "saltus/cones/solvers/judge.h"

namespace saltus {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kStepShare = 1.9;    // α λ; below 2 each expansion step lowers the quadratic
constexpr int kPowerIterations = 5;   // for λ, which the quotients of the CG steps then raise
constexpr double kPowerMargin = 1.2;  // of what these have found
constexpr int kCheckPeriod = 50;      // steps between evaluations at most
constexpr int kStagnationChecks = 20;
constexpr int kPlainSteps = 30;   // before the first factorisation …
constexpr int kFactorSteps = 60;  // … and between two of them
// Curvature along p below this share of λ is rounding: the quadratic has no least value there.
constexpr double kFlat = 1e-14;

/// The quadratic of the header in the variables x, and one step after the other on it.
class Minimiser {
 public:
  Minimiser(const ConicProblem& problem, const VectorX& r) : problem_(problem) {
    CalcDiagonal(problem, &scale_);
    // Rows that nothing can move stay as they are: the judge has the word on them.
    const double least = kImmovableTrace * scale_.maxCoeff();
    scale_ = scale_.unaryExpr([=](double d) { return d > least ? 1 / std::sqrt(d) : 0.0; });
    lower_.setZero(r.size());
    for (const Cone& cone : problem.cones) {
      if (cone.kind != ConeKind::kFree) continue;
      lower_.segment(cone.offset, cone.dimension).setConstant(-kInfinity);
    }
    x_ = (scale_.array() > 0).select(r.array() / scale_.array(), 0.0).max(lower_.array());
    EstimateNorm();
    SetGradient();
  }

  /// False if there is no way down, or nothing but down.
  bool Step() {
    const double alpha = kStepShare / norm_;
    const double chopped = beta_.squaredNorm();
    const double reduced = phi_.cwiseMin((x_ - lower_) * (1 / alpha)).dot(phi_);
    const bool proportional = chopped <= reduced;
    const VectorX& d = proportional ? p_ : beta_;
    Multiply(d, &Ad_);
    const double curvature = d.dot(Ad_), square = d.squaredNorm();
    if (!(square > 0)) return false;
    norm_ = std::max(norm_, curvature / square);
    const bool flat = curvature <= kFlat * norm_ * square;
    const double to_least = flat ? kInfinity : g_.dot(d) / curvature;
    const double to_bound = proportional ? FindBound() : kInfinity;
    const double step = std::min(to_least, to_bound);
    if (!std::isfinite(step)) return false;
    x_ -= step * d;
    g_ -= step * Ad_;
    if (proportional && to_least <= to_bound) {  // (1)
      Split();
      Precondition();
      p_ = z_ - z_.dot(Ad_) / curvature * p_;
      return true;
    }
    if (proportional) {  // (2)
      x_ = x_.cwiseMax(lower_);
      Split();
      x_ = (x_ - alpha * phi_).cwiseMax(lower_);
      SetGradient();
      return true;
    }
    Split();  // (3)
    StartAnew();
    return true;
  }

  /// From here on p is made with a factorisation of the present face.
  void Factor() {
    if (!can_factor_) return;
    if (!has_factors_) cholesky_.Prepare(problem_);
    std::vector<bool> free(static_cast<std::size_t>(x_.size()));
    for (std::size_t i = 0; i < free.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      free[i] = x_[k] > lower_[k];
    }
    can_factor_ = has_factors_ = cholesky_.Factor(scale_, free);
    StartAnew();
  }

  void CalcImpulses(VectorX* r) const { *r = scale_.cwiseProduct(x_); }
  /// The measure (4) of conic_problem.h where bounds are not near.
  double CalcResidual() const {
    const double error = scale_.cwiseProduct(phi_ + beta_).norm();
    return error / scale_.cwiseProduct(x_).norm();
  }
  /// Takes back the rounding errors of many steps. u = A r + b of the present x
  void Renew(const VectorX& u) {
    g_ = scale_.cwiseProduct(u);
    Split();
  }

 private:
  void Multiply(const VectorX& x, VectorX* y) {
    r_ = scale_.cwiseProduct(x);
    problem_.A->Multiply(r_, y);
    if (problem_.compliance.size() > 0) *y += problem_.compliance.cwiseProduct(r_);
    *y = y->cwiseProduct(scale_);
  }
  void EstimateNorm() {
    VectorX y(x_.size());
    // Any vector will do that is not special.
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      y[i] = std::fmod(0.6180339887 * static_cast<double>(i + 1), 1.0) - 0.5;
    }
    norm_ = 1;  // of the diagonal
    for (int k = 0; k < kPowerIterations && y.norm() > 0; ++k) {
      y /= y.norm();
      Multiply(y, &Ad_);
      norm_ = std::max(norm_, kPowerMargin * Ad_.norm());
      y = Ad_;
    }
  }
  void SetGradient() {
    Multiply(x_, &g_);
    g_ += scale_.cwiseProduct(problem_.b);
    Split();
    StartAnew();
  }
  void StartAnew() {
    Precondition();
    p_ = z_;
  }
  /// z from φ.
  void Precondition() {
    z_ = phi_;
    if (!has_factors_) return;
    cholesky_.Solve(phi_, &z_);
    z_ = (x_.array() > lower_.array()).select(z_.array(), 0.0);
  }
  /// φ and β from g.
  void Split() {
    const auto free = x_.array() > lower_.array();
    phi_ = free.select(g_.array(), 0.0);
    beta_ = free.select(0.0, g_.array().min(0.0));
  }
  /// How far along −p the first bound is.
  double FindBound() const {
    double step = kInfinity;
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      if (p_[i] > 0) step = std::min(step, (x_[i] - lower_[i]) / p_[i]);
    }
    return step;
  }

  const ConicProblem& problem_;
  VectorX scale_, lower_;  // D^-½; the bounds, 0 or −∞
  VectorX x_, g_, phi_, beta_, z_, p_, Ad_, r_;
  double norm_ = 1;  // λ
  FaceCholesky cholesky_;
  bool can_factor_ = true, has_factors_ = false;
};

}  // namespace

bool ProjectedCgSolver::Accepts(const ConicProblem& problem) {
  return std::all_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
    return cone.kind == ConeKind::kNonnegative || cone.kind == ConeKind::kFree;
  });
}

SolveReport ProjectedCgSolver::SolveReduced(const ConicProblem& problem, const SolveTarget& target,
                                            VectorX* r) {
  if (!Judge::PrepareStart(problem, r)) return Judge::FinishNotFinite(problem.size(), r);
  Judge judge(problem, target, options_.stop);
  if (judge.Evaluate(*r)) return judge.Finish(SolveStatus::kConverged, 0, r);
  if (!Accepts(problem)) return judge.Finish(SolveStatus::kUnsupported, 0, r);
  Minimiser minimiser(problem, *r);
  VectorX trial;
  double level = kInfinity;
  SolveStatus status = SolveStatus::kMaxIterations;
  int k = 0, last_check = 0, checks = 0;
  while (k < target.budget.max_iterations) {
    if (k >= kPlainSteps && (k - kPlainSteps) % kFactorSteps == 0) minimiser.Factor();
    const bool moves = minimiser.Step();
    ++k;
    const bool due = !moves || k - last_check >= kCheckPeriod || k == target.budget.max_iterations;
    if (!due && !(minimiser.CalcResidual() <= target.relative)) continue;
    last_check = k;
    minimiser.CalcImpulses(&trial);
    if (!trial.allFinite()) {
      status = SolveStatus::kStagnated;
      break;
    }
    if (judge.Evaluate(trial)) break;
    minimiser.Renew(judge.u());
    ++checks;
    if (judge.best_score() < 0.5 * level) {
      level = judge.best_score();
      checks = 0;
    }
    if (!moves || checks > kStagnationChecks) {
      status = SolveStatus::kStagnated;
      break;
    }
  }
  return judge.Finish(status, k, r);
}

}  // namespace saltus
