#include "saltus/events/contact_events.h"

#include <algorithm>
#include <cmath>

#include "saltus/base/error.h"
#include "saltus/cones/conic_solver.h"
#include "saltus/cones/dense_delassus.h"

namespace saltus {
namespace {

/// ü up to this share of the largest term counts as zero: such contacts stay closed.
constexpr double kZeroAcceleration = 1e-9;

bool SolveComplementarity(const MatrixX& W, const VectorX& b, VectorX* r) {
  r->setZero(b.size());
  if (b.size() == 0 || b.minCoeff() >= 0) return true;
  if (b.size() == 1) {
    if (!(W(0, 0) > 0)) return false;
    (*r)[0] = -b[0] / W(0, 0);
    return true;
  }
  const DenseDelassus A(W);
  ConicProblem problem;
  problem.A = &A;
  problem.b = b;
  for (int i = 0; i < b.size(); ++i) {
    Cone cone;
    cone.offset = i;
    problem.cones.push_back(cone);
  }
  ConicSolverOptions options;
  options.tolerance = 1e-12;
  return MakeConicSolver("lemke", options)->Solve(problem, r).accepted();
}

/// Columns P(H_iᵀ) and W.
struct Response {
  MatrixX columns, W;
};
bool CalcResponse(DaeTerms* terms, double t, const VectorX& q, const ContactSet& set,
                  Response* response) {
  const int n = terms->num_velocities(), count = static_cast<int>(set.contacts.size());
  response->columns.resize(n, count);
  response->W.resize(count, count);
  SparseRows G;
  terms->CalcJacobian(t, q, &G);
  const VectorX none = VectorX::Zero(terms->num_rows());
  VectorX f(n), x, lambda;
  for (int i = 0; i < count; ++i) {
    f.setZero();
    AddNormalForce(set, set.contacts[static_cast<std::size_t>(i)], 1, &f);
    if (!terms->Solve(terms->CalcMass(q), G, G, f, none, &x, &lambda)) return false;
    response->columns.col(i) = x;
    for (int j = 0; j < count; ++j) {
      const Contact& other = set.contacts[static_cast<std::size_t>(j)];
      response->W(j, i) = CalcNormalVelocity(set, other, x) - other.bias[0];
    }
  }
  return true;
}

}  // namespace

void RefuseFriction(const System& system, const ContactSet& contacts) {
  const std::string others = "choose moreau-jean or nonsmooth-alpha";
  for (const DryFriction& friction : contacts.frictions) {
    throw InputError("joint '" + system.ContactName(friction.key) + "'",
                     "has dry friction, which event-driven cannot treat", others);
  }
  for (const Contact& c : contacts.contacts) {
    if (c.dimension == 1 || c.friction == 0) continue;
    throw InputError(
        "contact '" + system.ContactName(c.key) + "'",
        "has friction " + std::to_string(c.friction) + ", which event-driven cannot treat", others);
  }
}

bool SolveImpact(System* system, double t, const VectorX& q, const std::vector<ContactKey>& plastic,
                 const EventTolerances& tolerances, VectorX* v,
                 std::vector<ImpactResult>* impacts) {
  impacts->clear();
  ContactSet set;
  system->FindContacts(t, q, tolerances.gap, &set);
  RefuseFriction(*system, set);
  const int count = static_cast<int>(set.contacts.size());
  VectorX before(count), b(count);
  bool approaches = false;
  for (int i = 0; i < count; ++i) {
    const Contact& c = set.contacts[static_cast<std::size_t>(i)];
    before[i] = CalcNormalVelocity(set, c, *v);
    const bool soft = std::find(plastic.begin(), plastic.end(), c.key) != plastic.end();
    const bool resting = before[i] >= -tolerances.velocity;
    approaches = approaches || !resting;
    b[i] = before[i] + (soft || resting ? 0 : c.restitution * before[i]);
  }
  if (!approaches) return true;
  DaeTerms terms(system);
  terms.Start(t, q);
  Response response;
  VectorX r;
  if (!CalcResponse(&terms, t, q, set, &response) || !SolveComplementarity(response.W, b, &r)) {
    return false;
  }
  *v += response.columns * r;
  for (int i = 0; i < count; ++i) {
    const Contact& c = set.contacts[static_cast<std::size_t>(i)];
    if (r[i] > 0) {
      impacts->push_back({c, before[i], CalcNormalVelocity(set, c, *v), r[i]});
    }
  }
  return true;
}

bool FindClosed(System* system, const DaePoint& p, const std::vector<ContactKey>& plastic,
                const EventTolerances& tolerances, ContactSet* closed,
                std::vector<ContactKey>* separating) {
  closed->Clear();
  separating->clear();
  ContactSet touching, set;
  system->FindContacts(p.t, p.q, tolerances.gap, &touching);
  RefuseFriction(*system, touching);
  for (const Contact& c : touching.contacts) {
    const bool soft = std::find(plastic.begin(), plastic.end(), c.key) != plastic.end();
    if (!soft && CalcNormalVelocity(touching, c, p.v) > tolerances.velocity) {
      separating->push_back(c.key);
      continue;
    }
    set.contacts.push_back(c);
    set.contacts.back().first_block = set.CopyBlocks(touching, c);
  }
  if (set.contacts.empty()) return true;
  DaeTerms terms(system);
  terms.Start(p.t, p.q);
  Response response;
  VectorX a, lambda, gamma, r;
  HeldSystem all(system, set, p.q);
  all.CalcConstraintBias(p.t, p.q, p.v, &gamma);
  if (!terms.CalcAcceleration(p.t, p.q, p.v, &a, &lambda) ||
      !CalcResponse(&terms, p.t, p.q, set, &response)) {
    return false;
  }
  const int count = static_cast<int>(set.contacts.size());
  VectorX b(count);
  for (int i = 0; i < count; ++i) {
    const Contact& c = set.contacts[static_cast<std::size_t>(i)];
    b[i] = CalcNormalVelocity(set, c, a) - c.bias[0] + gamma[all.num_joint_rows() + i];
  }
  if (!SolveComplementarity(response.W, b, &r)) return false;
  const VectorX opening = response.W * r + b;
  for (int i = 0; i < count; ++i) {
    const Contact& c = set.contacts[static_cast<std::size_t>(i)];
    if (r[i] <= 0 && opening[i] > kZeroAcceleration * (1 + b.lpNorm<Eigen::Infinity>())) {
      separating->push_back(c.key);
      continue;
    }
    closed->contacts.push_back(c);
    closed->contacts.back().first_block = closed->CopyBlocks(set, c);
  }
  return true;
}

}  // namespace saltus
