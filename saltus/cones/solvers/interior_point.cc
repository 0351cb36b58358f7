#include "saltus/cones/solvers/interior_point.h"

#include <algorithm>
#include <cmath>

#include "saltus/cones/block_sparse_copy.h"
#include "saltus/cones/solvers/block_projections.h"
#include "saltus/cones/solvers/body_lu.h"
#include "saltus/cones/solvers/judge.h"
#include "saltus/cones/solvers/proximal_point.h"

namespace saltus {
namespace {

using Vector = BlockEquation::Vector;
using Matrix = BlockEquation::Matrix;

constexpr double kToBoundary = 0.99;
constexpr int kMaxIdleSteps = 8;
constexpr double kShortStep = 0.1;  // predictors below it are too poor for the corrector's term
constexpr double kRidge = 1e-10, kMaxRidge = 1e-2;  // beside tr A_cc / d
constexpr double kNear = 1e-6;  // relative residual from which on the proximal points are quicker
constexpr double kFirstAlpha = 1e-3;
constexpr double kWarm = 0.1;      // residual below which a start is worth a path from there
constexpr int kWarmShare = 4;      // max_iterations over what that path may use
constexpr double kBlocked = 1e20;  // shift, beside tr A_cc / d, that holds a row at zero

enum class Role { kFree, kRay, kCone };  // a ray is a nonnegative row, or friction with μ = 0

Role FindRole(const Cone& cone) {
  if (cone.kind == ConeKind::kFree) return Role::kFree;
  return cone.kind == ConeKind::kFriction && cone.friction > 0 ? Role::kCone : Role::kRay;
}

// x∘y
Vector MultiplyJordan(const Vector& x, const Vector& y) {
  const Eigen::Index d = x.size();
  Vector z(d);
  z[0] = x.dot(y);
  z.tail(d - 1) = x[0] * y.tail(d - 1) + y[0] * x.tail(d - 1);
  return z;
}

double CalcDeterminant(const Vector& x) {
  const double t = x.tail(x.size() - 1).norm();
  return (x[0] - t) * (x[0] + t);
}

// λ \ d: the solution z of λ∘z = d.
Vector DivideJordan(const Vector& lambda, const Vector& d) {
  const Eigen::Index n = d.size();
  const double det = CalcDeterminant(lambda);
  Vector z(n);
  z[0] = (lambda[0] * d[0] - lambda.tail(n - 1).dot(d.tail(n - 1))) / det;
  z.tail(n - 1) = (d.tail(n - 1) - z[0] * lambda.tail(n - 1)) / lambda[0];
  return z;
}

// The largest τ ≤ 1 for which x + τ Δ stays in L.
double FindStep(const Vector& x, const Vector& delta) {
  const Eigen::Index d = x.size();
  double tau = 1;
  if (delta[0] < 0) tau = std::min(tau, -x[0] / delta[0]);
  if (d == 1) return tau;
  const double a = CalcDeterminant(delta);
  const double b = x[0] * delta[0] - x.tail(d - 1).dot(delta.tail(d - 1));
  const double c = CalcDeterminant(x);
  const double discriminant = b * b - a * c;  // of a τ² + 2 b τ + c
  if (discriminant < 0) return tau;
  const double root = std::sqrt(discriminant);
  for (const double t : {c / (-b + root), c / (-b - root)}) {
    if (t > 0 && std::isfinite(t)) tau = std::min(tau, t);
  }
  return tau;
}

// The Nesterov–Todd scaling of a block: W x = W⁻¹ y = λ.
struct Scaling {
  Matrix W, inverse;
  Vector lambda;

  bool Compute(const Vector& x, const Vector& y) {
    const Eigen::Index d = x.size();
    if (d == 1) {
      if (!(x[0] > 0 && y[0] > 0)) return false;
      W = Matrix::Constant(1, 1, std::sqrt(y[0] / x[0]));
      inverse = W.cwiseInverse();
      lambda = W * x;
      return true;
    }
    const double det_x = CalcDeterminant(x), det_y = CalcDeterminant(y);
    if (!(det_x > 0 && det_y > 0 && x[0] > 0 && y[0] > 0)) return false;
    Matrix J = -Matrix::Identity(d, d);
    J(0, 0) = 1;
    const Vector x_bar = x / std::sqrt(det_x), y_bar = y / std::sqrt(det_y);
    const double gamma = std::sqrt((1 + x_bar.dot(y_bar)) / 2);
    Vector v = (y_bar + J * x_bar) / (2 * gamma);
    v[0] += 1;
    v /= std::sqrt(2 * v[0]);
    const double beta = std::pow(det_y / det_x, 0.25);
    W = beta * (2 * v * v.transpose() - J);
    const Vector Jv = J * v;
    inverse = (2 * Jv * Jv.transpose() - J) / beta;
    // λ = W x in a form without cancellation: its determinant is √(det x det y) to rounding.
    lambda.resize(d);
    lambda[0] = gamma;
    lambda.tail(d - 1) =
        ((gamma + y_bar[0]) * x_bar.tail(d - 1) + (gamma + x_bar[0]) * y_bar.tail(d - 1)) /
        (x_bar[0] + y_bar[0] + 2 * gamma);
    lambda *= std::pow(det_x * det_y, 0.25);
    return lambda.allFinite() && CalcDeterminant(lambda) > 0;
  }
};

// The point (r, û) on its way along the central path.
class InteriorPath {
 public:
  explicit InteriorPath(const ConicProblem& problem)
      : problem_(problem),
        is_body_form_(body_lu_.PrepareIfCheaper(problem)),
        scales_(CalcBlockScales(problem)) {
    if (!is_body_form_) lu_.Prepare(MakeBlockSparse(problem, &storage_));
    const std::size_t count = problem.cones.size();
    scalings_.resize(count);
    shift_.resize(count);
    double impulses = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const Cone& cone = problem.cones[c];
      const double u = problem.b.segment(cone.offset, cone.dimension).norm();
      impulses = std::max(impulses, u / scales_[c]);
      velocity_ = std::max(velocity_, u);
    }
    impulse_ = impulses > 0 ? impulses : 1.0;
    velocity_ = velocity_ > 0 ? velocity_ : 1.0;
    dilation_.setZero(problem.size());
  }

  // Starts in the middle of the cones …
  void StartCold() {
    r_.setZero(problem_.size());
    u_hat_.setZero(problem_.size());
    MoveInside(1);
  }
  // … or near r with the velocities u, as far inside the cones as r is wrong.
  void StartFrom(const VectorX& r, const VectorX& u, double error) {
    r_ = r;
    ProjectBlocks(problem_, r_, &r_);
    u_hat_ = u;
    AddDeSaxceShift(problem_, &u_hat_);
    for (std::size_t c = 0; c < scalings_.size(); ++c) {
      const Cone& cone = problem_.cones[c];
      auto y = u_hat_.segment(cone.offset, cone.dimension);
      if (role(c) == Role::kFree) y.setZero();
      if (role(c) == Role::kRay) y.tail(cone.dimension - 1).setZero();
      y[0] = std::max(y[0], cone.friction * y.tail(cone.dimension - 1).norm());
    }
    MoveInside(error);
  }

  const VectorX& r() const { return r_; }
  double gap() const { return gap_ / (impulse_ * velocity_); }
  double infeasibility() const { return residual_.norm() / velocity_; }

  // One step of (2) to (4). False if the numbers do not allow any.
  bool Step() {
    if (!ScaleBlocks()) return false;
    CalcVelocity(problem_, r_, &residual_);
    ApplyDilation();
    residual_ -= u_hat_;
    if (!FactorWithRidge()) return false;
    rhs_.resize(problem_.size());
    for (std::size_t c = 0; c < scalings_.size(); ++c) {
      SetRhs(c, role(c) == Role::kFree ? Vector() : Vector(-scalings_[c].lambda));
    }
    double tau = SolveStep();
    const double sigma = std::pow(1 - tau, 3);
    for (std::size_t c = 0; c < scalings_.size(); ++c) {
      if (role(c) == Role::kFree) continue;
      const Scaling& scaling = scalings_[c];
      const Vector dx = scaling.W * ToX(c, dr_), dy = scaling.inverse * ToY(c, du_);
      Vector d = -MultiplyJordan(scaling.lambda, scaling.lambda);
      if (tau > kShortStep) d -= MultiplyJordan(dy, dx);
      d[0] += sigma * gap_;  // (3)
      SetRhs(c, d.size() == 1 ? Vector(d / scaling.lambda[0]) : DivideJordan(scaling.lambda, d));
    }
    tau = kToBoundary * SolveStep();
    if (!(tau > 1e-10) || !dr_.allFinite() || !du_.allFinite()) return false;
    r_ += tau * dr_;
    u_hat_ += tau * du_;
    return true;
  }

 private:
  Role role(std::size_t c) const { return FindRole(problem_.cones[c]); }

  // By the distance, in the units of the problem.
  void MoveInside(double distance) {
    for (std::size_t c = 0; c < scalings_.size(); ++c) {
      if (role(c) == Role::kFree) continue;
      r_[problem_.cones[c].offset] += distance * impulse_;
      u_hat_[problem_.cones[c].offset] += distance * velocity_;
    }
  }

  // x and y of a block.
  Vector ToX(std::size_t c, const VectorX& r) const {
    const Cone& cone = problem_.cones[c];
    if (role(c) == Role::kRay) return r.segment(cone.offset, 1);
    Vector x = r.segment(cone.offset, cone.dimension);
    x[0] *= cone.friction;
    return x;
  }
  Vector ToY(std::size_t c, const VectorX& u) const {
    const Cone& cone = problem_.cones[c];
    if (role(c) == Role::kRay) return u.segment(cone.offset, 1);
    Vector y = u.segment(cone.offset, cone.dimension);
    y[0] /= cone.friction;
    return y;
  }

  // With u in residual_: adds the smoothed shift, takes its derivative w, and turns the scaling
  // matrices into J⁻¹W² of (2).
  void ApplyDilation() {
    const double epsilon = velocity_ * gap();
    for (std::size_t c = 0; c < scalings_.size(); ++c) {
      const Cone& cone = problem_.cones[c];
      if (role(c) != Role::kCone || cone.associated) continue;
      const int d = cone.dimension;
      const auto u_T = residual_.segment(cone.offset + 1, d - 1);
      const double sigma = std::hypot(u_T.norm(), epsilon);
      auto w = dilation_.segment(cone.offset + 1, d - 1);
      w = cone.friction / sigma * u_T;
      shift_[c].row(0) -= w.transpose() * shift_[c].bottomRows(d - 1);
      residual_[cone.offset] += cone.friction * sigma;
    }
  }

  // The matrix of (2). A ridge as in proximal_point.h makes it regular where A is not.
  bool FactorWithRidge() {
    double ridge = 0;
    for (double next = kRidge; next <= kMaxRidge; next *= 100) {
      for (std::size_t c = 0; c < scalings_.size(); ++c) {
        if (role(c) == Role::kFree) continue;
        shift_[c].diagonal().array() += (next - ridge) * scales_[c];
      }
      ridge = next;
      if (is_body_form_ ? body_lu_.Factor(shift_, nullptr) : lu_.Factor(shift_)) return true;
    }
    return false;
  }

  bool ScaleBlocks() {
    gap_ = 0;
    int count = 0;
    for (std::size_t c = 0; c < scalings_.size(); ++c) {
      const Cone& cone = problem_.cones[c];
      const int d = cone.dimension;
      shift_[c].setZero(d, d);
      if (role(c) == Role::kFree) continue;
      const Vector x = ToX(c, r_), y = ToY(c, u_hat_);
      gap_ += x.dot(y);
      ++count;
      if (!scalings_[c].Compute(x, y)) return false;
      if (role(c) == Role::kRay) {
        shift_[c].diagonal().setConstant(kBlocked * scales_[c]);
        shift_[c](0, 0) = scalings_[c].W(0, 0) * scalings_[c].W(0, 0);
        continue;
      }
      shift_[c] = scalings_[c].W * scalings_[c].W;
      shift_[c].row(0) *= cone.friction;
      shift_[c].col(0) *= cone.friction;
    }
    if (count > 0) gap_ /= count;
    return true;
  }

  // Right-hand side J⁻¹(S⁻¹W z − residual) of a block, (2).
  void SetRhs(std::size_t c, const Vector& z) {
    const Cone& cone = problem_.cones[c];
    auto rhs = rhs_.segment(cone.offset, cone.dimension);
    rhs = -residual_.segment(cone.offset, cone.dimension);
    if (role(c) == Role::kFree) return;
    Vector x = scalings_[c].W * z;
    if (role(c) == Role::kCone) x[0] *= cone.friction;
    rhs.head(x.size()) += x;
    const Eigen::Index tangents = cone.dimension - 1;
    rhs[0] -= dilation_.segment(cone.offset + 1, tangents).dot(rhs.tail(tangents));
  }

  // Δr, Δû, and the largest common step that stays in the cones.
  double SolveStep() {
    dr_ = rhs_;
    if (is_body_form_) {
      body_lu_.SolveInPlace(&dr_);
    } else {
      lu_.SolveInPlace(&dr_);
    }
    problem_.A->Multiply(dr_, &du_);
    if (problem_.compliance.size() > 0) du_ += problem_.compliance.cwiseProduct(dr_);
    for (const Cone& cone : problem_.cones) {
      const int d = cone.dimension;
      du_[cone.offset] +=
          dilation_.segment(cone.offset + 1, d - 1).dot(du_.segment(cone.offset + 1, d - 1));
    }
    du_ += residual_;
    double tau = 1;
    for (std::size_t c = 0; c < scalings_.size(); ++c) {
      const Cone& cone = problem_.cones[c];
      if (role(c) == Role::kFree) {
        du_.segment(cone.offset, cone.dimension).setZero();
        continue;
      }
      tau =
          std::min({tau, FindStep(ToX(c, r_), ToX(c, dr_)), FindStep(ToY(c, u_hat_), ToY(c, du_))});
    }
    return tau;
  }

  const ConicProblem& problem_;
  BodyLu body_lu_;
  bool is_body_form_;
  std::vector<double> scales_;
  BlockSparseDelassus storage_;
  ShiftedLu lu_;
  std::vector<Scaling> scalings_;
  std::vector<Matrix> shift_;
  VectorX r_, u_hat_, residual_, rhs_, dr_, du_;
  VectorX dilation_;  // w of each block in its tangential rows
  double gap_ = 0, impulse_ = 1, velocity_ = 0;
};

// Follows the path from where it is until the judge is content, the steps lead nowhere, or the rest
// is quicker by proximal points. Returns the number of steps.
int Follow(const ConicProblem& problem, int max_iterations, InteriorPath* path, Judge* judge) {
  const std::vector<double> scales = CalcBlockScales(problem);
  VectorX projected;
  int iterations = 0, idle = 0;
  while (iterations < max_iterations && idle < kMaxIdleSteps) {
    ++iterations;
    const double before = judge->best_score();
    const bool moved = path->Step();
    if (judge->Evaluate(path->r())) return iterations;
    if (!moved) break;
    // Interior points leave hair's breadths of impulse where contacts are open: a projected step
    // makes zeros of them.
    projected = judge->u();
    AddDeSaxceShift(problem, &projected);
    for (std::size_t c = 0; c < scales.size(); ++c) {
      projected.segment(problem.cones[c].offset, problem.cones[c].dimension) /= -scales[c];
    }
    projected += path->r();
    ProjectBlocks(problem, projected, &projected);
    if (judge->Evaluate(projected)) return iterations;
    idle = judge->best_score() < before ? 0 : idle + 1;
    if (judge->best_residual().relative < kNear) break;
  }
  return iterations;
}

// Proximal points from the best iterate so far.
int Finish(const ConicProblem& problem, SolveTarget target, const ConicSolverOptions& options,
           int max_iterations, Judge* judge) {
  if (judge->solved() || !judge->has_best() || max_iterations <= 0) return 0;
  const ProximalPointOptions finish{options, kFirstAlpha};
  target.budget.max_iterations = max_iterations;
  VectorX finished = judge->best();
  const int iterations = ProximalPointSolver(finish).Solve(problem, target, &finished).iterations;
  judge->Evaluate(finished);
  return iterations;
}

}  // namespace

bool InteriorPointSolver::Accepts(const ConicProblem& problem) {
  return std::none_of(problem.cones.begin(), problem.cones.end(), [](const Cone& c) {
    return c.kind == ConeKind::kBox || c.kind == ConeKind::kRollingFriction ||
           c.kind == ConeKind::kPolyhedralFriction;
  });
}

SolveReport InteriorPointSolver::SolveReduced(const ConicProblem& problem,
                                              const SolveTarget& target, VectorX* r) {
  if (!Judge::PrepareStart(problem, r)) return Judge::FinishNotFinite(problem.size(), r);
  Judge start(problem, target, options_.stop);
  const bool solved = start.Evaluate(*r);
  if (!Accepts(problem)) return start.Finish(SolveStatus::kUnsupported, 0, r);
  if (solved) return start.Finish(SolveStatus::kConverged, 0, r);
  InteriorPath path(problem);
  int iterations = 0;
  // A judge of its own for each path: it passes points worse than where it starts.
  if (const double error = start.best_residual().relative; !r->isZero(0) && error < kWarm) {
    Judge warm(problem, target, options_.stop);
    path.StartFrom(*r, start.u(), error);
    const int share = target.budget.max_iterations / kWarmShare;
    iterations = Follow(problem, share, &path, &warm);
    if (warm.has_best() && warm.best_residual().relative < kNear) {
      iterations += Finish(problem, target, options_, share - iterations, &warm);
    }
    if (warm.has_best()) start.Evaluate(warm.best());
    if (warm.solved()) return start.Finish(SolveStatus::kConverged, iterations, r);
  }
  Judge cold(problem, target, options_.stop);
  path.StartCold();
  iterations += Follow(problem, target.budget.max_iterations - iterations, &path, &cold);
  iterations += Finish(problem, target, options_, target.budget.max_iterations - iterations, &cold);
  if (cold.has_best()) start.Evaluate(cold.best());
  return start.Finish(SolveStatus::kStagnated, iterations, r);
}

}  // namespace saltus
