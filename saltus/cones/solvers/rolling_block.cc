#include "saltus/cones/solvers/rolling_block.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "saltus/cones/solvers/coulomb_block.h"

namespace saltus {
namespace {

using Vector = RollingBlock::Vector;
using Matrix = RollingBlock::Matrix;

constexpr int kMaxSteps = 20;
constexpr int kMaxHalvings = 6;
constexpr int kRounds = 3;           // of (4)
constexpr int kPasses = 5;           // of Gauss–Seidel in a round
constexpr double kRounding = 1e-14;  // |F| beside |x| that is rounding
constexpr double kGoodEnough = 1e-11;

// W and its inverse, regularised if W is singular.
void InvertBlock(Matrix* W, Matrix* inverse) {
  const double least = kSingularBlock * W->trace() / static_cast<double>(W->rows());
  const Matrix symmetric = 0.5 * (*W + W->transpose());
  const Eigen::LLT<Matrix> probe(symmetric);
  const bool regular =
      probe.info() == Eigen::Success && probe.matrixLLT().diagonal().cwiseAbs2().minCoeff() > least;
  if (!regular) {
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric);
    const Vector lambda = eigen.eigenvalues().cwiseMax(least);
    *W = eigen.eigenvectors() * lambda.asDiagonal() * eigen.eigenvectors().transpose();
  }
  *inverse = W->inverse();
}

}  // namespace

void RollingBlock::Factor(const Matrix& W, const Cone& cone) {
  const int d = cone.dimension;
  const Vector diagonal = W.diagonal();
  scale_.resize(d);
  CalcLevers(cone, diagonal.data(), scale_.data());
  cone_ = ScaleMoments(cone, scale_.data());
  cone_.offset = 0;
  groups_ = ListGroups(cone_);
  W_ = scale_.asDiagonal() * W * scale_.asDiagonal();
  InvertBlock(&W_, &inverse_);
  rho_ = d / W_.trace();
  for (int k = 0; k < groups_.count; ++k) {
    const auto [first, size, m] = groups_.group[k];
    discs_[k].Factor(W_.block(first, first, size, size));
  }
}

double RollingBlock::CalcEquation(const Vector& q, const Vector& x, BlockEquation* equation) const {
  const Vector u = W_ * x + q;
  CalcBlockEquation(ConeFunction::kAlartCurnier, cone_, 0, rho_, x.data(), u.data(), equation);
  return equation->F.norm();
}

// True if the equations hold to rounding, or nearly so without further progress.
bool RollingBlock::FindByNewton(const Vector& q, Vector* x) const {
  BlockEquation equation, trial;
  double norm = CalcEquation(q, *x, &equation);
  for (int k = 0; k < kMaxSteps && norm > kRounding * x->norm(); ++k) {
    const Matrix jacobian = equation.A + equation.B * W_;
    const Vector step = jacobian.partialPivLu().solve(equation.F);
    double tau = 1, reached = norm;
    Vector next;
    for (int j = 0; j <= kMaxHalvings; ++j, tau *= 0.5) {
      next = *x - tau * step;
      reached = CalcEquation(q, next, &trial);
      if (reached < norm) break;
    }
    if (!(reached < norm)) break;
    *x = next;
    norm = reached;
    std::swap(equation, trial);
  }
  return norm <= kGoodEnough * x->norm();
}

void RollingBlock::RelaxGroups(const Vector& q, Vector* x) const {
  for (int pass = 0; pass < kPasses; ++pass) {
    const double u_n = q[0] + W_.row(0).dot(*x);
    (*x)[0] = std::max(0.0, (*x)[0] - u_n / W_(0, 0));
    for (int k = 0; k < groups_.count; ++k) {
      const auto [first, size, m] = groups_.group[k];
      const DiscBlock::Vector u = q.segment(first, size) + W_.middleRows(first, size) * *x;
      const DiscBlock::Vector r = x->segment(first, size);
      x->segment(first, size) = discs_[k].Solve(u, r, m * (*x)[0]);
    }
  }
}

RollingBlock::Vector RollingBlock::Solve(const Vector& u, const Vector& r) const {
  const Vector start = r.cwiseQuotient(scale_);
  const Vector q = scale_.cwiseProduct(u) - W_ * start;
  if (q[0] >= 0) return Vector::Zero(q.size());  // (2)
  Vector x = -inverse_ * q;
  Vector inside = x;
  ProjectOntoCone(cone_, inside.data());
  if (x[0] > 0 && inside == x) return scale_.cwiseProduct(x);  // (3)
  x = start[0] > 0 ? start : inside;
  for (int round = 0; round < kRounds; ++round) {  // (4)
    Vector trial = x;
    if (FindByNewton(q, &trial)) {
      x = trial;
      break;
    }
    RelaxGroups(q, &x);
  }
  ProjectOntoCone(cone_, x.data());  // rounding
  return scale_.cwiseProduct(x);
}

}  // namespace saltus
