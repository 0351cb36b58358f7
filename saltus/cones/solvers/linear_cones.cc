#include "saltus/cones/solvers/linear_cones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/QR>

namespace saltus {
namespace {

constexpr double kRounding = 1e-15;
constexpr double kNothing = 1e-9;  // of the impulse beside it, in guesses of what is active

bool IsLinearFriction(const Cone& cone) {
  return !cone.associated && ((cone.kind == ConeKind::kFriction && cone.dimension == 2) ||
                              cone.kind == ConeKind::kPolyhedralFriction);
}

int CountDirections(const Cone& cone) {
  return cone.kind == ConeKind::kPolyhedralFriction ? cone.facets : 2;
}

Vector2 MakeDirection(const Cone& cone, int i) {
  const double angle = 2 * std::numbers::pi * i / CountDirections(cone);
  return {std::cos(angle), cone.dimension == 3 ? std::sin(angle) : 0.0};
}

Vector2 ReadTangent(const Cone& cone, const double* block) {
  return {block[1], cone.dimension == 3 ? block[2] : 0.0};
}

// The weights of r_T = Σ β_i d_i with the one or two directions next to it.
VectorX DecomposeTangent(const Cone& cone, const Vector2& r_T) {
  const int count = CountDirections(cone);
  VectorX beta = VectorX::Zero(count);
  const double size = r_T.norm(), step = 2 * std::numbers::pi / count;
  double angle = std::atan2(r_T[1], r_T[0]);
  if (angle < 0) angle += 2 * std::numbers::pi;
  const int i = static_cast<int>(angle / step) % count;
  angle -= i * step;
  const double sine = count == 2 ? 1.0 : std::sin(step);
  const double first = size * (count == 2 ? std::cos(angle) : std::sin(step - angle) / sine);
  const double second = size * std::sin(angle) / sine;
  if (first > kNothing * size) beta[i] = first;
  if (second > kNothing * size) beta[(i + 1) % count] = second;
  return beta;
}

}  // namespace

bool LinearCones::Accepts(const ConicProblem& problem) {
  return std::all_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
    return cone.kind == ConeKind::kNonnegative || cone.kind == ConeKind::kFree ||
           (cone.kind == ConeKind::kBox && cone.dimension == 1 && cone.load < 0) ||
           IsLinearFriction(cone);
  });
}

bool LinearCones::HasFriction(const ConicProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(), IsLinearFriction);
}

// A = A_nn − A_nf A_ff⁺A_fn, b = b_n − A_nf A_ff⁺b_f
void LinearCones::EliminateFreeRows(const ConicProblem& problem) {
  for (const Cone& cone : problem.cones) {
    std::vector<int>& rows = cone.kind == ConeKind::kFree ? free_rows_ : other_rows_;
    for (int i = 0; i < cone.dimension; ++i) rows.push_back(cone.offset + i);
  }
  const MatrixX A = MakeDense(problem);
  const auto& f = free_rows_;
  const auto& n = other_rows_;
  A_ = A(n, n);
  b_ = problem.b(n);
  if (f.empty() || !A.allFinite() || !problem.b.allFinite()) return;
  const MatrixX A_ff = A(f, f);
  const MatrixX A_fn = A(f, n);
  const VectorX b_f = problem.b(f);
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factor(A_ff);
  constant_ = -factor.solve(b_f);
  recover_.resize(static_cast<Eigen::Index>(f.size()), static_cast<Eigen::Index>(n.size()));
  if (!n.empty()) {  // Eigen may not solve for no columns.
    recover_ = factor.solve(A_fn);
    A_ -= A(n, f) * recover_;
    b_ += A(n, f) * constant_;
  }
  // b_f outside the range of A_ff and beyond the reach of r_n: no impulse stops these rows.
  const VectorX rest = A_ff * constant_ + b_f;
  const double scale = std::max(problem.b.norm(), A_ff.norm() * constant_.norm());
  consistent_ = rest.norm() <= 1e-10 * scale;
}

void LinearCones::ListVariables(const ConicProblem& problem) {
  int num_variables = 0, num_slacks = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::kFree) continue;
    num_variables += IsLinearFriction(cone) ? 1 + CountDirections(cone) : 1;
    num_slacks += IsLinearFriction(cone) || cone.kind == ConeKind::kBox ? 1 : 0;
  }
  const int num_rows = static_cast<int>(other_rows_.size());
  directions_.setZero(num_rows, num_variables);
  shift_.setZero(num_rows);
  bounds_.setConstant(num_rows, std::numeric_limits<double>::infinity());
  to_slack_.setZero(num_slacks, num_variables);
  from_slack_.setZero(num_variables, num_slacks);
  slack_constant_.setZero(num_slacks);
  int row = 0, variable = 0, slack = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::kFree) continue;
    directions_(row, variable) = 1;
    if (cone.kind == ConeKind::kBox) {  // (3)
      shift_[row] = bounds_[row] = cone.bound;
      from_slack_(variable, slack) = 1;
      to_slack_(slack, variable) = -1;
      slack_constant_[slack++] = 2 * cone.bound;
    }
    if (IsLinearFriction(cone)) {  // (4)
      const int count = CountDirections(cone);
      to_slack_(slack, variable) = cone.friction;
      for (int i = 0; i < count; ++i) {
        const Vector2 d = MakeDirection(cone, i);
        directions_(row + 1, variable + 1 + i) = d[0];
        if (cone.dimension == 3) directions_(row + 2, variable + 1 + i) = d[1];
        from_slack_(variable + 1 + i, slack) = 1;
        to_slack_(slack, variable + 1 + i) = -1;
      }
      variable += count;
      ++slack;
    }
    row += cone.dimension;
    ++variable;
  }
}

LinearCones::LinearCones(const ConicProblem& problem) {
  EliminateFreeRows(problem);
  ListVariables(problem);
  const Eigen::Index n = directions_.cols(), m = slack_constant_.size();
  M_.setZero(n + m, n + m);
  M_.topLeftCorner(n, n) = directions_.transpose() * A_ * directions_;
  M_.topRightCorner(n, m) = from_slack_;
  M_.bottomLeftCorner(m, n) = to_slack_;
  q_.resize(n + m);
  q_.head(n) = directions_.transpose() * (b_ - A_ * shift_);
  q_.tail(m) = slack_constant_;
}

std::vector<int> LinearCones::ListActive(const ConicProblem& problem, const VectorX& r) const {
  VectorX u;
  CalcVelocity(problem, r, &u);
  std::vector<int> active, slacks;
  int variable = 0, slack = static_cast<int>(directions_.cols());
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::kFree) continue;
    const double r_N = r[cone.offset];
    if (cone.kind == ConeKind::kBox) {  // (3)
      if (r_N > -(1 - kNothing) * cone.bound) active.push_back(variable);
      if (r_N >= (1 - kNothing) * cone.bound) slacks.push_back(slack);
      ++slack;
    } else if (r_N > 0) {
      active.push_back(variable);
    }
    if (IsLinearFriction(cone)) {  // (4)
      const int count = CountDirections(cone);
      if (r_N > 0) {
        const VectorX beta = DecomposeTangent(cone, ReadTangent(cone, &r[cone.offset]));
        for (int i = 0; i < count; ++i) {
          if (beta[i] > 0) active.push_back(variable + 1 + i);
        }
        if (beta.sum() >= (1 - kNothing) * cone.friction * r_N) slacks.push_back(slack);
      } else {
        const Vector2 u_T = ReadTangent(cone, &u[cone.offset]);
        int opposite = 0;
        for (int i = 1; i < count; ++i) {
          if (MakeDirection(cone, i).dot(u_T) < MakeDirection(cone, opposite).dot(u_T)) {
            opposite = i;
          }
        }
        active.push_back(variable + 1 + opposite);
        slacks.push_back(slack);
      }
      variable += count;
      ++slack;
    }
    ++variable;
  }
  active.insert(active.end(), slacks.begin(), slacks.end());
  return active;
}

void LinearCones::RecoverImpulses(const VectorX& z, VectorX* r) const {
  VectorX r_n = directions_ * z.head(directions_.cols()) - shift_;
  // What is below the rounding of A r beside b is zero.
  const double largest = A_.size() > 0 ? A_.diagonal().cwiseAbs().maxCoeff() : 0.0;
  const double noise = largest > 0 ? kRounding * b_.cwiseAbs().maxCoeff() / largest : 0.0;
  r_n = (r_n.array().abs() <= noise).select(0.0, r_n);
  r_n = r_n.cwiseMax(-bounds_).cwiseMin(bounds_);  // rounding
  (*r)(other_rows_) = r_n;
  if (!free_rows_.empty()) (*r)(free_rows_) = constant_ - recover_ * r_n;
}

}  // namespace saltus
