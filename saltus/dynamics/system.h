// THE SEAM. A System turns (model, state) into the terms of the measure equation:
//
//   q̇ = N(q) v                                        through Retract: q ⊕ δ
//   M(q) dv = f(t,q,v) dt + Gᵀ(q) dλ + Hᵀ(q) dP                                               (1)
//   g(t,q) = 0,     ġ = G v + g_t = 0,     g̈ = G v̇ + γ = 0,   γ = Ġ v + ġ_t                   (2)
//   contacts within a margin: gap, rows H, laws         see contact_set.h                     (3)
//
// Integrators know only this interface; multibody and problems implement it. Evaluation does not
// change the model; a System owns scratch memory, so use one per thread (Clone).
// Jacobians are taken along the retraction:  G δ = d/dε g(q ⊕ εδ),  K δ = −d/dε f(q ⊕ εδ).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "saltus/base/notice.h"
#include "saltus/base/types.h"
#include "saltus/dynamics/contact_set.h"
#include "saltus/dynamics/state.h"
#include "saltus/linalg/block_matrix.h"

namespace saltus {

struct SystemTraits {
  int num_coordinates = 0;          // size of q
  int num_velocities = 0;           // size of v
  int num_constraints = 0;          // rows of G (identically void rows are removed beforehand)
  bool constant_mass = true;        // M does not depend on q
  bool flat = true;                 // q ⊕ δ = q + δ
  bool has_tangents = false;        // K or D is not identically zero
  bool has_contacts = false;        // FindContacts may return something
  bool has_contact_forces = false;  // CalcContactForce may be other than zero
};

/// Exact tangents, or symmetric positive semidefinite approximations for the real-time stepper.
enum class TangentKind { kExact, kGaussNewton };

/// Energy by kind, J. The sum is what a conservative system keeps.
struct Energy {
  double kinetic = 0;
  double potential = 0;  // gravity and other conservative loads
  double elastic = 0;    // springs, bushings, flexible bodies
  double total() const { return kinetic + potential + elastic; }
};

class System {
 public:
  virtual ~System() = default;
  virtual std::unique_ptr<System> Clone() const = 0;

  virtual const SystemTraits& traits() const = 0;
  /// Velocity blocks and the couplings of M, K, D and the geometric stiffness.
  virtual const std::shared_ptr<const BlockPattern>& pattern() const = 0;
  virtual State MakeInitialState() const = 0;

  /// q_new = q ⊕ δ. q_new may be the same object as q.
  virtual void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const = 0;
  /// δ with q ⊕ δ = q_other (shortest).
  virtual void CalcDifference(const VectorX& q, const VectorX& q_other, VectorX* delta) const = 0;

  /// The diagonal blocks of T: q ⊕ (δ + ε) = (q ⊕ δ) ⊕ T ε for small ε. I on flat spaces.
  virtual void CalcRetractTangent(const VectorX& /*delta*/, BlockMatrix* T) const {
    const BlockPattern& pattern = T->pattern();
    for (int b = 0; b < pattern.num_blocks(); ++b) {
      T->block(pattern.FindSlot(b, b)).setIdentity();
    }
  }

  virtual void CalcMass(const VectorX& q, BlockMatrix* M) const = 0;
  /// f: applied, elastic and gyroscopic forces.
  virtual void CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const = 0;
  /// The part of f that does not derive from the potentials in CalcEnergy and is not workless:
  /// loads, dampers, motors. Its power goes into the ledger as work of loads.
  virtual void CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                        VectorX* f) const = 0;
  /// The part of the nonconservative force that belongs to contacts whose law is a smooth force:
  /// their dampers and friction. What it takes is the entry contact_loss of the ledger, not loads.
  virtual void CalcContactForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const {
    (void)t, (void)q, (void)v;
    f->setZero(traits().num_velocities);
  }
  /// τ: what turns the mean of the inertia forces in f over a step h from v0 to v1 along δ into the
  /// exact change of momentum in the axes of the middle configuration. 0 on flat spaces. For rigid
  /// bodies, with J Ω the angular momentum and a the rotation in δ:
  ///   τ = J(Ω₁ − Ω₀) − [exp(ã/2) JΩ₁ − exp(−ã/2) JΩ₀] + ½h(Ω₀ × JΩ₀ + Ω₁ × JΩ₁)
  virtual void CalcTurnImpulse(double h, const VectorX& delta, const VectorX& v0, const VectorX& v1,
                               VectorX* tau) const {
    (void)h, (void)delta, (void)v0;
    tau->setZero(v1.size());
  }
  /// K = −∂f/∂q and D = −∂f/∂v (both are overwritten).
  virtual void CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind,
                            BlockMatrix* K, BlockMatrix* D) const = 0;

  virtual void CalcConstraint(double t, const VectorX& q, VectorX* g) const = 0;
  /// G with the same sparsity at every call.
  virtual void CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const = 0;
  /// g_t = ∂g/∂t.
  virtual void CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const = 0;
  /// γ with g̈ = G v̇ + γ.
  virtual void CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                                  VectorX* gamma) const = 0;
  /// K += −∂(Gᵀλ)/∂q at fixed λ.
  virtual void AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                                     BlockMatrix* K) const = 0;
  /// The same, and C = ∂(G v)/∂q at fixed v, with the sparsity of G. Returns false if C is not
  /// known: then only K is written, and methods that would use C converge more slowly.
  virtual bool AddConstraintTangents(double t, const VectorX& q, const VectorX& /*v*/,
                                     const VectorX& lambda, BlockMatrix* K,
                                     SparseRows* /*C*/) const {
    AddGeometricStiffness(t, q, lambda, K);
    return false;
  }

  /// Contacts with gap < margin [m], sorted by key, and the dry frictions of joints.
  virtual void FindContacts(double t, const VectorX& q, double margin, ContactSet* contacts) = 0;
  /// The same, but the pairs in `held` (sorted by pair) are measured along the given axis instead
  /// of the best one. Systems without axes ignore `held`.
  virtual void FindContactsAlong(double t, const VectorX& q, double margin,
                                 std::span<const HeldAxis> held, ContactSet* contacts) {
    (void)held;
    FindContacts(t, q, margin, contacts);
  }
  /// The contacts and frictions of `reference` (found at q_reference) at another configuration: the
  /// same keys in the same order, each evaluated by its features whatever the margin and the sign
  /// of the gap. Frames are transported: they turn with the normal and do not spin about it. A
  /// contact whose feature cannot be evaluated at q is marked `lost` and keeps its rows; its gap is
  /// g + H (q ⊖ q_reference). `contacts` is another object than `reference`.
  virtual void UpdateContacts(double t, const VectorX& q, const VectorX& q_reference,
                              const ContactSet& reference, ContactSet* contacts);
  /// Pairs that are separated at q0 and would be separated at q1, but pass through each other on
  /// the way: appends the axis along which each is separated at q0, sorted by pair.
  virtual void FindTunnelled(double t, const VectorX& q0, const VectorX& q1,
                             std::vector<HeldAxis>* axes) {
    (void)t, (void)q0, (void)q1, (void)axes;
  }

  /// An upper bound of the normal speed [m/s] (for angular limits rad/s) with which any surface or
  /// point that may come into contact moves at velocity v: integrators choose the contact margin
  /// from it. 0 without contacts.
  virtual double CalcSpeedBound(const VectorX& q, const VectorX& v) const = 0;

  // Internal variables with a history, as the damage of a bond. They belong to the State; the
  // System is told which ones hold at a time t₀, and its forces and energies at any t ≥ t₀ follow
  // from them implicitly, by the laws of their elements over the time t − t₀.
  /// state.internal holds at state.time from now on. Integrators call it first in every step.
  virtual void BeginStep(const State& state) { (void)state; }
  /// Writes the internal variables of (state->time, state->q), which hold from now on; returns the
  /// energy that their change has used up, J. Integrators call it last.
  virtual double EndStep(State* state) {
    (void)state;
    return 0;
  }

  virtual Energy CalcEnergy(double t, const VectorX& q, const VectorX& v) const = 0;

  /// Names for messages and channels.
  virtual std::string ConstraintName(int row) const = 0;             // "hinge"
  virtual std::string ContactName(const ContactKey& key) const = 0;  // "stop" or "ball-ground"
  /// Of systems that are not made of bodies.
  virtual std::string CoordinateName(int coordinate) const {
    return "q" + std::to_string(coordinate);
  }
  /// What the user should know about this model (redundant constraints and the like).
  virtual Notices MakeNotices() const { return {}; }
};

}  // namespace saltus
