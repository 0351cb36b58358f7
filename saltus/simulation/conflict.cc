#include "saltus/simulation/conflict.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace saltus {
namespace {

/// Dense factorisations of this size take well below a second; a failed run may wait for that.
constexpr int kMaxUnknowns = 400;
/// Residual of (2) with speeds scaled to 1: a feasible motion 10⁴ times faster than the drives
/// would leave as much, and no model means that.
constexpr double kNoMotion = 1e-4;
/// Share of the largest entry of Λ or P that counts as taking part.
constexpr double kTakesPart = 1e-3;
/// Singular value relative to the largest one below which rows count as dependent.
constexpr double kDependent = 1e-2;
constexpr std::size_t kMaxNames = 4;

void AddOnce(const std::string& name, std::vector<std::string>* names) {
  if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
}

/// The normal row of every contact, and its bias.
void CalcNormalRows(const ContactSet& set, int num_velocities, MatrixX* H, VectorX* bias) {
  const auto count = static_cast<Eigen::Index>(set.contacts.size());
  H->setZero(count, num_velocities);
  bias->resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Contact& c = set.contacts[static_cast<std::size_t>(i)];
    (*bias)[i] = c.bias[0];
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const RowBlock& block = set.blocks[static_cast<std::size_t>(k)];
      H->row(i).segment(block.dof, block.columns) += set.rows(block, c.rows()).row(0);
    }
  }
}

/// G with rows of length 1 in the metric of the mass.
MatrixX CalcScaledJacobian(const System& system, const State& state) {
  SparseRows G;
  BlockMatrix mass(system.pattern());
  system.CalcConstraintJacobian(state.time, state.q, &G);
  system.CalcMass(state.q, &mass);
  MatrixX scaled(G);
  const BlockPattern& pattern = mass.pattern();
  int dof = 0;
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const auto diagonal = mass.block(pattern.FindSlot(b, b)).diagonal();
    for (Eigen::Index k = 0; k < diagonal.size(); ++k) {
      scaled.col(dof + k) /= std::sqrt(std::max(diagonal[k], 1e-300));
    }
    dof += static_cast<int>(diagonal.size());
  }
  for (Eigen::Index i = 0; i < scaled.rows(); ++i) {
    const double norm = scaled.row(i).norm();
    if (norm > 0) scaled.row(i) /= norm;
  }
  return scaled;
}

}  // namespace

double SolveNonnegative(const MatrixX& A, const VectorX& b, VectorX* x) {
  const Eigen::Index n = A.cols();
  x->setZero(n);
  std::vector<Eigen::Index> passive;
  VectorX residual = b;
  const double tolerance = 1e-12 * (1 + A.cwiseAbs().maxCoeff()) * (1 + b.norm());
  const auto solve = [&] {
    MatrixX part(A.rows(), static_cast<Eigen::Index>(passive.size()));
    for (std::size_t k = 0; k < passive.size(); ++k) {
      part.col(static_cast<Eigen::Index>(k)) = A.col(passive[k]);
    }
    return VectorX((part.transpose() * part).ldlt().solve(part.transpose() * b));
  };
  for (Eigen::Index turn = 0; turn < 3 * n; ++turn) {
    VectorX gradient = A.transpose() * residual;
    for (const Eigen::Index i : passive) gradient[i] = 0;
    Eigen::Index enter = 0;
    if (n == 0 || gradient.maxCoeff(&enter) <= tolerance) break;
    passive.push_back(enter);
    VectorX z = solve();
    while (z.minCoeff() <= 0) {  // back to the first bound on the way to z
      double alpha = 1;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        const double zk = z[static_cast<Eigen::Index>(k)], xk = (*x)[passive[k]];
        if (zk <= 0) alpha = std::min(alpha, xk / std::max(xk - zk, 1e-300));
      }
      for (std::size_t k = 0; k < passive.size(); ++k) {
        double& xk = (*x)[passive[k]];
        xk += alpha * (z[static_cast<Eigen::Index>(k)] - xk);
      }
      std::erase_if(passive, [&](Eigen::Index i) {
        const bool out = (*x)[i] <= 1e-14;
        if (out) (*x)[i] = 0;
        return out;
      });
      if (passive.empty()) break;
      z = solve();
    }
    for (std::size_t k = 0; k < passive.size(); ++k) {
      (*x)[passive[k]] = z[static_cast<Eigen::Index>(k)];
    }
    residual = b - A * *x;
    if (passive.empty()) break;
  }
  return residual.norm();
}

Conflict FindConflict(System& system, const State& state, double margin) {
  Conflict conflict;
  const SystemTraits& traits = system.traits();
  const int m = traits.num_constraints;
  SparseRows G;
  VectorX rate = VectorX::Zero(m), bias;
  ContactSet contacts;
  MatrixX H;
  if (m > 0) {
    system.CalcConstraintJacobian(state.time, state.q, &G);
    system.CalcConstraintRate(state.time, state.q, &rate);
  }
  const double speed = m > 0 ? rate.lpNorm<Eigen::Infinity>() : 0;
  if (speed == 0 || traits.num_velocities > kMaxUnknowns) return conflict;
  if (traits.has_contacts) system.FindContacts(state.time, state.q, margin, &contacts);
  CalcNormalRows(contacts, traits.num_velocities, &H, &bias);
  if (2 * m + H.rows() > 2 * kMaxUnknowns) return conflict;

  // (2) with Λ = Λ⁺ − Λ⁻ and speeds in units of the fastest drive.
  MatrixX A(traits.num_velocities + 1, 2 * m + H.rows());
  const MatrixX Gt = MatrixX(G).transpose();
  A.topRows(traits.num_velocities) << Gt, -Gt, H.transpose();
  A.bottomRows(1) << -rate.transpose() / speed, rate.transpose() / speed, -bias.transpose() / speed;
  VectorX b = VectorX::Zero(A.rows()), x;
  b[b.size() - 1] = 1;
  if (SolveNonnegative(A, b, &x) > kNoMotion) return conflict;
  const VectorX lambda = x.head(m) - x.segment(m, m), P = x.tail(H.rows());
  const double part =
      kTakesPart * std::max(lambda.lpNorm<Eigen::Infinity>(), P.size() > 0 ? P.maxCoeff() : 0.0);
  for (int i = 0; i < m; ++i) {
    if (std::abs(lambda[i]) <= part) continue;
    AddOnce(system.ConstraintName(i), rate[i] != 0 ? &conflict.drives : &conflict.joints);
  }
  for (Eigen::Index i = 0; i < P.size(); ++i) {
    if (P[i] > part) {
      AddOnce(system.ContactName(contacts.contacts[static_cast<std::size_t>(i)].key),
              &conflict.contacts);
    }
  }
  return conflict;
}

std::string JoinNames(const std::vector<std::string>& names, bool quoted) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kMaxNames);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + (quoted ? "'" + names[i] + "'" : names[i]);
  }
  return shown < names.size() ? text + " and others" : text;
}

std::string DescribeConflict(const Conflict& conflict) {
  const bool many = conflict.drives.size() > 1;
  const std::string drives = (many ? "drives " : "drive ") + JoinNames(conflict.drives, true);
  if (conflict.contacts.empty()) {
    if (many) return drives + " contradict each other";
    return drives + " asks for a motion that joints " + JoinNames(conflict.joints, true) +
           " forbid";
  }
  return drives + (many ? " work" : " works") + " against " +
         (conflict.contacts.size() > 1 ? "contacts " : "contact ") +
         JoinNames(conflict.contacts, false);
}

std::vector<std::string> FindSingularJoints(const System& system, const State& start,
                                            const State& state) {
  std::vector<std::string> names;
  const SystemTraits& traits = system.traits();
  if (traits.num_constraints == 0 || traits.num_constraints > kMaxUnknowns ||
      traits.num_velocities > kMaxUnknowns) {
    return names;
  }
  // The singular values of G squared are the eigenvalues of G Gᵀ, ascending.
  const auto solve = [&](const State& at) {
    const MatrixX G = CalcScaledJacobian(system, at);
    return Eigen::SelfAdjointEigenSolver<MatrixX>(G * G.transpose());
  };
  const auto count_dependent = [](const VectorX& values) {
    return (values.array() < kDependent * kDependent * values[values.size() - 1]).count();
  };
  const auto before = solve(start), now = solve(state);
  if (count_dependent(now.eigenvalues()) <= count_dependent(before.eigenvalues())) return names;
  const VectorX u = now.eigenvectors().col(0).cwiseAbs();
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    if (u[i] > 0.1 * u.maxCoeff()) AddOnce(system.ConstraintName(static_cast<int>(i)), &names);
  }
  return names;
}

}  // namespace saltus
