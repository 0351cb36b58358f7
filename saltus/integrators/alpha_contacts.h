// AlphaContacts: the contacts of a step of nonsmooth_alpha.h with their unknowns ν_N and P, and
// what makes lasting contact second order. @cite CapobiancoHarschEugsterLeine2021
// The numbers are those of nonsmooth_alpha.h.
//
// A contact is *lasting* if it is closed at q_n and does not approach there. An island (bodies that
// loaded contacts, joints and springs join) has an impact in the step if one of its loaded contacts
// is not lasting; this is decided for a step once and for all. In islands without impact the forces
// act over the whole step, and
//   H̄ = ½(H(q_n) + H),  Ḡ = ½(G(q_n) + G)                                                    (14)
//   c = (0, −μP'_N (t̄ − t)),  t = u_T/|u_T|,  t̄ = (t + t⁻)/|t + t⁻|,
//   if |u_T − u_T⁻| ≤ |u_T|, |u_T⁻|, else 0                                                   (15)
// take the place of H, G and 0. Frames at q are those of q_n, turned with the normal. Components of
// rotations belong to the axes of a body. Those of q_n and of q are carried to the middle of the
// step before they are added, x ↦ C x and x ↦ Cᵀx with the tangents T of the retraction,
//   C = T(δ/2) T(−δ/2)⁻¹    ( = I on flat spaces, exp(−ã/2) for a rotation a in δ)
// and τ of System::CalcTurnImpulse is added to H̄ᵀP: then the momentum in space changes by just the
// impulses, however fast a body spins.
#pragma once

#include <vector>

#include "saltus/integrators/alpha_contact_set.h"
#include "saltus/linalg/kkt_solver.h"

namespace saltus {

/// One contact of the step.
struct ContactUnknown {
  double nu = 0;                      // ν_N, kg m
  Vector6 P = Vector6::Zero();        // N s, in all rows, c included
  Vector6 c = Vector6::Zero();        // (15)
  Vector6 u = Vector6::Zero();        // u that the last velocity problem gave to P
  Vector6 u_start = Vector6::Zero();  // H(q_n) v_n + bias
  double shift = 0;                   // û_N − u_N − μ|û_T| of (4)
  double gap = 0;                     // the smaller one of those at q̃ and q, as (11) left it, m
  bool lasting = false;               // closed at q_n, not approaching
  bool smooth = false;                // lasting, in an island without impact
  bool turns = true;                  // its slip turns slowly enough for (15) in this step
  bool candidate = false;             // takes part in the position problems of this step
  bool active = false;                // took part in the last velocity problem
  bool was_active = false;            // in some iteration of this step

  bool loaded() const { return nu > 0 || !P.isZero(0); }
};

/// Rows of one contact or friction times x, without bias.
template <class Item>
Vector6 CalcRows(const ContactSet& set, const Item& item, int rows, const VectorX& x) {
  Vector6 u = Vector6::Zero();
  for (int k = item.first_block; k < item.first_block + item.num_blocks; ++k) {
    const RowBlock& rb = set.blocks[k];
    const double* values = set.values.data() + rb.values;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < rb.columns; ++j) u[i] += values[i * rb.columns + j] * x[rb.dof + j];
    }
  }
  return u;
}
/// f += factor Hᵀp with the rows [first, rows) of one contact or friction.
template <class Item>
void AddRows(const ContactSet& set, const Item& item, int first, int rows, double factor,
             const double* p, VectorX* f) {
  for (int k = item.first_block; k < item.first_block + item.num_blocks; ++k) {
    const RowBlock& rb = set.blocks[k];
    const double* values = set.values.data() + rb.values;
    for (int i = first; i < rows; ++i) {
      for (int j = 0; j < rb.columns; ++j) {
        (*f)[rb.dof + j] += factor * p[i] * values[i * rb.columns + j];
      }
    }
  }
}
inline double CalcNormal(const ContactSet& set, const Contact& contact, const VectorX& x) {
  return CalcRows(set, contact, 1, x)[0];
}
/// u of a contact at the velocity v.
inline Vector6 CalcVelocity(const ContactSet& set, const Contact& contact, const VectorX& v) {
  Vector6 u = CalcRows(set, contact, contact.rows(), v);
  u.head(contact.dimension) += contact.bias.head(contact.dimension);
  return u;
}

class AlphaContacts {
 public:
  /// The set of the step, warm-started from the impulses of the last one.
  /// @param acceleration  f/M at t_n
  /// @param position_tolerance  m
  /// @param second_order  false: no contact counts as lasting, (14) and (15) are H, G and 0
  void Begin(System& system, const AlphaStart& start, const VectorX& acceleration,
             double position_tolerance, bool second_order);
  /// The contacts at q, reached with the velocity v.
  void MoveTo(System& system, const VectorX& q, const VectorX& v);
  /// Judges the end of the step; contacts that are admitted start without load.
  ContactVerdict Judge(System& system, const VectorX& q, const VectorX& v, double tolerance);

  /// Decides which islands have an impact; kkt has the components of the System.
  void FindImpacts(const KktSolver& kkt);
  /// (15) at the velocities that the last velocity problem gave.
  void CalcSlipDirections();

  /// f += H_Nᵀν + (h/2)H̄_TᵀP_T, and the second term alone.
  void AddPositionForce(VectorX* f) const;
  void AddSlipPush(VectorX* f) const;
  /// f += HᵀP, and what the mean rows add: (H̄ − H)ᵀP + (Ḡ − G)ᵀΛ.
  void AddVelocityForce(VectorX* f) const;
  void AddMeanRows(const SparseRows& G, const VectorX& Lambda, VectorX* f) const;
  /// A motion x, Cᵀx and C x.
  struct Motion {
    VectorX x, start, end;
  };
  Motion CalcMotion(const VectorX& x) const { return {x, Carry(x, true), Carry(x, false)}; }
  /// H̄ x of a smooth contact, H x of others; without bias.
  Vector6 CalcMeanRows(int contact, const Motion& x) const;
  Vector3 CalcMeanFrictionRows(int friction, const Motion& x) const;
  /// Ḡ x.
  VectorX CalcMeanJointRows(const SparseRows& G, const Motion& x) const;
  /// The share ½ or 1 that the turning of H within an iteration has in H̄, and of a row of G.
  double CalcTurn(const ContactUnknown& unknown) const { return unknown.smooth ? 0.5 : 1; }
  double CalcFrictionTurn(int friction) const { return smooth_friction_[friction] ? 0.5 : 1; }
  double CalcJointTurn(int row) const { return smooth_rows_[row] ? 0.5 : 1; }

  bool empty() const { return set_.empty(); }
  int size() const { return static_cast<int>(unknowns_.size()); }
  const ContactSet& set() const { return set_.now(); }
  const ContactSet& start_set() const { return set_.at_start(); }
  std::vector<ContactUnknown>& unknowns() { return unknowns_; }
  const std::vector<ContactUnknown>& unknowns() const { return unknowns_; }
  VectorX& friction_impulses() { return friction_P_; }  // of the dry frictions of joints, N s
  const VectorX& friction_impulses() const { return friction_P_; }
  /// Gaps up to this count as closed, m.
  double closed_gap() const { return closed_gap_; }

 private:
  void Describe(ContactUnknown* unknown, int contact) const;
  void WarmStart();
  template <class Item>
  bool TouchesImpact(const Item& item, const KktSolver& kkt) const;
  void AddTurn(VectorX* f) const;
  /// C x, or back: Cᵀx.
  VectorX Carry(const VectorX& x, bool back) const;

  StepContactSet set_;
  const AlphaStart* start_ = nullptr;
  std::vector<ContactUnknown> unknowns_;  // one per contact of set()
  VectorX friction_P_;
  SparseRows G_start_;         // G(q_n)
  BlockMatrix carry_;          // C, in its diagonal blocks; without size: I
  VectorX turn_;               // τ
  std::vector<char> impacts_;  // per component of the KKT system
  std::vector<char> smooth_friction_, smooth_rows_;
  double closed_gap_ = 0;
  bool second_order_ = true;
};

}  // namespace saltus
