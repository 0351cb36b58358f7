#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/cones/conic_problem.h"
#include "saltus/cones/friction_groups.h"

namespace saltus {
namespace {

// Blocks up to this dimension are handled without a heap allocation.
using BlockVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1>;

double CalcSquare(const double* x, int d) {
  double sum = 0;
  for (int i = 0; i < d; ++i) sum += x[i] * x[i];
  return sum;
}

// |r − P_K(r − ρ û)|² of a contact with friction in space, by far the most frequent block.
double CalcFriction3Residual(double mu, double rho, const double* u, const double* r) {
  double x[3];
  for (int i = 0; i < 3; ++i) x[i] = r[i] - rho * u[i];
  x[0] -= rho * mu * CalcNorm(u + 1, 2);
  ProjectOntoFrictionCone(mu, 3, x);
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += (r[i] - x[i]) * (r[i] - x[i]);
  return sum;
}

// |r − P_K(r − ρ û)|² of one block.
double CalcBlockResidual(const Cone& cone, double bound, double rho, const double* u,
                         const double* r) {
  const int d = cone.dimension;
  if (cone.kind == ConeKind::kFriction && d == 3 && !cone.associated) {
    return CalcFriction3Residual(cone.friction, rho, u, r);
  }
  if (cone.kind == ConeKind::kNonnegative) {
    const double change = r[0] - ProjectOntoNonnegative(r[0] - rho * u[0]);
    return change * change;
  }
  if (cone.kind == ConeKind::kFree) {
    const double norm = rho * CalcNorm(u, d);
    return norm * norm;
  }
  BlockVector x = Eigen::Map<const VectorX>(r, d) - rho * Eigen::Map<const VectorX>(u, d);
  switch (cone.kind) {
    case ConeKind::kFriction:
    case ConeKind::kRollingFriction:
    case ConeKind::kPolyhedralFriction:
      x[0] -= rho * CalcDeSaxceShift(cone, u);
      ProjectOntoCone(cone, x.data());
      break;
    case ConeKind::kBox:
      ProjectOntoDisc(bound, d, x.data());
      break;
    case ConeKind::kNonnegative:
    case ConeKind::kFree:
      break;
  }
  return (Eigen::Map<const VectorX>(r, d) - x).squaredNorm();
}

// A rolling block with its moments divided by the levers of (6).
struct ScaledBlock {
  Cone cone;
  BlockVector levers, u, r, b;

  ScaledBlock(const Cone& source, const double* diagonal, const double* u_c, const double* r_c,
              const double* b_c) {
    const int d = source.dimension;
    levers.resize(d);
    CalcLevers(source, diagonal + source.offset, levers.data());
    cone = ScaleMoments(source, levers.data());
    u = levers.cwiseProduct(Eigen::Map<const VectorX>(u_c, d));
    b = levers.cwiseProduct(Eigen::Map<const VectorX>(b_c, d));
    r = Eigen::Map<const VectorX>(r_c, d).cwiseQuotient(levers);
  }
};

// ρ_c = d/tr(A_cc), and the value for blocks that nothing can move.
class StepSizes {
 public:
  StepSizes(const ConicProblem& problem, const double* diagonal) : diagonal_(diagonal) {
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (const Cone& cone : problem.cones) {
      const double trace = Trace(cone);
      largest = std::max(largest, trace);
      smallest = std::min(smallest, trace);
    }
    smallest_trace_ = kImmovableTrace * largest;
    if (smallest > smallest_trace_) return;  // everything can move: the mean is not asked for
    double sum = 0;
    int count = 0;
    for (const Cone& cone : problem.cones) {
      if (!(Trace(cone) > smallest_trace_)) continue;
      sum += CountForceRows(cone) / Trace(cone);
      ++count;
    }
    if (count > 0) mean_ = sum / count;
  }

  double operator()(const Cone& cone) const {
    const double trace = Trace(cone);
    return trace > smallest_trace_ ? CountForceRows(cone) / trace : mean_;
  }

 private:
  double Trace(const Cone& cone) const {
    double trace = 0;
    for (int i = 0; i < CountForceRows(cone); ++i) trace += diagonal_[cone.offset + i];
    return trace;
  }

  const double* diagonal_;
  double smallest_trace_ = 0;
  double mean_ = 1;
};

template <class Vector>
void CalcVelocityInto(const ConicProblem& problem, const Eigen::Ref<const VectorX>& r, Vector* u) {
  problem.A->Multiply(r, u);
  *u += problem.b;
  if (problem.compliance.size() > 0) *u += problem.compliance.cwiseProduct(r);
}

template <class Vector>
void CalcDiagonalInto(const ConicProblem& problem, Vector* diagonal) {
  problem.A->CalcDiagonal(diagonal);
  if (problem.compliance.size() > 0) *diagonal += problem.compliance;
}

}  // namespace

void CalcVelocity(const ConicProblem& problem, const Eigen::Ref<const VectorX>& r, VectorX* u) {
  CalcVelocityInto(problem, r, u);
}
void CalcVelocity(const ConicProblem& problem, const Eigen::Ref<const VectorX>& r,
                  GrowingVector* u) {
  CalcVelocityInto(problem, r, u);
}

void CalcDiagonal(const ConicProblem& problem, VectorX* diagonal) {
  CalcDiagonalInto(problem, diagonal);
}
void CalcDiagonal(const ConicProblem& problem, GrowingVector* diagonal) {
  CalcDiagonalInto(problem, diagonal);
}

MatrixX MakeDense(const ConicProblem& problem) {
  MatrixX A = MakeDense(*problem.A);
  if (problem.compliance.size() > 0) A.diagonal() += problem.compliance;
  return A;
}

void CalcLevers(const Cone& cone, const double* diagonal, double* levers) {
  std::fill(levers, levers + cone.dimension, 1.0);
  if (cone.kind != ConeKind::kRollingFriction) return;
  const auto mean = [&](int first, int count) {
    return Eigen::Map<const VectorX>(diagonal + first, count).mean();
  };
  const int num_forces = CountForceRows(cone);
  const double forces = mean(0, num_forces);
  for (const FrictionGroup& k : ListGroups(cone)) {
    if (k.first < num_forces) continue;
    const double moments = mean(k.first, k.dimension);
    const double lever = forces > 0 && moments > 0 ? std::sqrt(forces / moments) : 1.0;
    std::fill(levers + k.first, levers + k.first + k.dimension, lever);
  }
}

double CalcBoxBound(const ConicProblem& problem, const Cone& cone, const double* r) {
  if (cone.load < 0) return cone.bound;
  const ConeLoad& load = problem.loads[cone.load];
  double sum = 0;
  for (Eigen::Index i = 0; i < load.rows.rows(); ++i) {
    double value = load.constant[i];
    for (Eigen::Index j = 0; j < load.rows.cols(); ++j) value += load.rows(i, j) * r[j];
    sum += value * value;
  }
  return cone.bound + load.coefficient * std::sqrt(sum);
}

NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem,
                                          const Eigen::Ref<const VectorX>& r,
                                          NaturalMapScratch* scratch) {
  SALTUS_CHECK(
      problem.A != nullptr && problem.A->size() == problem.size() && r.size() == problem.size(),
      "operator, b and r differ in size");
  CalcVelocity(problem, r, &scratch->u);
  CalcDiagonal(problem, &scratch->diagonal);
  return CalcNaturalMapResidual(problem, r.data(), scratch->u.data(), scratch->diagonal.data());
}

NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem, const double* r,
                                          const double* u, const double* diagonal) {
  const StepSizes step_size(problem, diagonal);

  NaturalMapResidual result;
  double scaled = 0, plain = 0, free_impulse = 0, impulse = 0, worst = 0, fastest = 0, sticking = 0;
  for (std::size_t c = 0; c < problem.cones.size(); ++c) {
    const Cone& cone = problem.cones[c];
    const double rho = step_size(cone);
    const double bound = cone.kind == ConeKind::kBox ? CalcBoxBound(problem, cone, r) : 0.0;
    const double* u_c = u + cone.offset;
    const double* r_c = r + cone.offset;
    BlockVector bonded;
    if (cone.cohesion > 0) {
      bonded = Eigen::Map<const VectorX>(r_c, cone.dimension);
      bonded[0] += cone.cohesion;
      r_c = bonded.data();
    }
    const double* b_c = problem.b.data() + cone.offset;
    plain += CalcBlockResidual(cone, bound, 1.0, u_c, r_c);  // (5)
    double contribution = 0;                                 // (4)
    if (cone.kind == ConeKind::kRollingFriction) {
      const ScaledBlock block(cone, diagonal, u_c, r_c, b_c);
      contribution = CalcBlockResidual(block.cone, bound, rho, block.u.data(), block.r.data());
      free_impulse += rho * rho * block.b.squaredNorm();
      impulse += block.r.squaredNorm();
    } else {
      contribution = CalcBlockResidual(cone, bound, rho, u_c, r_c);
      free_impulse += rho * rho * CalcSquare(b_c, cone.dimension);
      impulse += CalcSquare(r_c, cone.dimension);
    }
    scaled += contribution;
    const double velocity = contribution / (rho * rho);  // (7)
    if (velocity > fastest) {
      fastest = velocity;
      result.velocity_block = static_cast<int>(c);
    }
    if (cone.sticks) sticking = std::max(sticking, velocity);
    if (contribution > worst) {
      worst = contribution;
      result.worst_block = static_cast<int>(c);
    }
  }
  const double reference = std::sqrt(impulse > 0 ? impulse : free_impulse);
  const int n = problem.size();
  const double size = std::max({problem.b.norm(), Eigen::Map<const VectorX>(r, n).norm(),
                                Eigen::Map<const VectorX>(u, n).norm()});
  result.relative = reference > 0 ? std::sqrt(scaled) / reference : 0.0;
  result.worst = reference > 0 ? std::sqrt(worst) / reference : 0.0;
  result.absolute = size > 0 ? std::sqrt(plain) / size : 0.0;
  result.velocity = std::sqrt(fastest);
  result.sticking_velocity = std::sqrt(sticking);
  if (!std::isfinite(scaled) || !std::isfinite(plain) || !std::isfinite(reference)) {
    result.relative = result.absolute = result.worst = std::numeric_limits<double>::infinity();
    result.velocity = result.sticking_velocity = result.worst;
  }
  return result;
}

NaturalMapResidual CalcNaturalMapResidual(const ConicProblem& problem,
                                          const Eigen::Ref<const VectorX>& r) {
  NaturalMapScratch scratch;
  return CalcNaturalMapResidual(problem, r, &scratch);
}

}  // namespace saltus
