// A System written directly as equations, without bodies and joints: the examples of the literature
// as they are printed there. Flat coordinates q.
//
//   M(q) v̇ = f(t,q,v) + Gᵀλ + HᵀP,   q̇ = v,   0 = g(t,q),   contacts: gap(q), rows H(q)       (1)
//
// A problem is a function that fills an Equations struct; every integrator then runs it:
//
//   EquationSystem ball(MakeBouncingBall({.height = 1}));
//   State state = ball.MakeInitialState();
//   integrator.Step(ball, h, &state);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "saltus/dynamics/system.h"

namespace saltus {

/// One unilateral constraint, with Coulomb friction if dimension > 1.
struct ContactEquation {
  std::string name;
  int dimension = 1;        // rows: N, T1, T2
  double friction = 0;      // μ ≥ 0
  double restitution = 0;   // e_N ∈ [0, 1]
  std::vector<int> blocks;  // velocity blocks that the rows touch
  /// Returns the gap [m] and writes the rows of H: for each block, dimension × size, row major.
  std::function<double(const VectorX& q, double* rows)> gap;
};

struct Equations {
  std::string name;
  std::vector<int> block_sizes;               // of q and v
  std::vector<std::array<int, 2>> couplings;  // blocks that M, K, D or the joints couple
  VectorX q0, v0;                             // initial state
  bool constant_mass = true;                  // M does not depend on q
  std::function<void(const VectorX& q, BlockMatrix* M)> mass;  // M is zero on entry
  std::function<void(double t, const VectorX& q, const VectorX& v, VectorX* f)>
      force;  // f is sized
  /// The part of f that is not in the energy: loads and dampers. May be empty: none.
  std::function<void(double t, const VectorX& q, const VectorX& v, VectorX* f)> nonconservative;
  /// K = −∂f/∂q, D = −∂f/∂v, both zero on entry. May be empty: f depends on t alone.
  std::function<void(double t, const VectorX& q, const VectorX& v, BlockMatrix* K, BlockMatrix* D)>
      tangents;
  std::function<Energy(const VectorX& q, const VectorX& v)> energy;
  /// Bound of the speed of all contact points; empty: |v|₂.
  std::function<double(const VectorX& q, const VectorX& v)> speed_bound;

  // Joints; names.size() is their number.
  std::vector<std::string> constraint_names;
  std::function<void(double t, const VectorX& q, VectorX* g)> constraint;  // g is sized
  /// G, sized and zero on entry; dense: joints here are few.
  std::function<void(double t, const VectorX& q, MatrixX* G)> jacobian;
  /// g_t; empty: joints do not depend on time.
  std::function<void(double t, const VectorX& q, VectorX* g_t)> rate;
  std::function<void(double t, const VectorX& q, const VectorX& v, VectorX* gamma)>
      bias;  // γ = Ġ v + ġ_t, zero on entry
  std::function<void(const VectorX& q, const VectorX& lambda, BlockMatrix* K)>
      geometric_stiffness;  // K += −∂(Gᵀλ)/∂q

  std::vector<ContactEquation> contacts;
};

/// Fills e->tangents with central differences of e->force: for small systems whose derivatives
/// would be longer than the equations. Their error is about 1e-9 of the largest entry.
void AddDifferenceTangents(Equations* e);

class EquationSystem final : public System {
 public:
  explicit EquationSystem(Equations equations);

  const Equations& equations() const { return *equations_; }

  std::unique_ptr<System> Clone() const override;
  const SystemTraits& traits() const override { return traits_; }
  const std::shared_ptr<const BlockPattern>& pattern() const override { return pattern_; }
  State MakeInitialState() const override;
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override;
  void CalcDifference(const VectorX& q, const VectorX& q_other, VectorX* delta) const override;
  void CalcMass(const VectorX& q, BlockMatrix* M) const override;
  void CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const override;
  void CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                VectorX* f) const override;
  void CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind, BlockMatrix* K,
                    BlockMatrix* D) const override;
  void CalcConstraint(double t, const VectorX& q, VectorX* g) const override;
  void CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const override;
  void CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const override;
  void CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                          VectorX* gamma) const override;
  void AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                             BlockMatrix* K) const override;
  bool AddConstraintTangents(double t, const VectorX& q, const VectorX& v, const VectorX& lambda,
                             BlockMatrix* K, SparseRows* C) const override;
  void FindContacts(double t, const VectorX& q, double margin, ContactSet* contacts) override;
  double CalcSpeedBound(const VectorX& q, const VectorX& v) const override;
  Energy CalcEnergy(double t, const VectorX& q, const VectorX& v) const override;
  std::string ConstraintName(int row) const override;
  std::string ContactName(const ContactKey& key) const override;

 private:
  std::shared_ptr<const Equations> equations_;  // shared by clones
  std::shared_ptr<const BlockPattern> pattern_;
  SystemTraits traits_;
  mutable MatrixX dense_G_;  // scratch
};

}  // namespace saltus
