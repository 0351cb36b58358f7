// ContactSet: the unilateral and frictional constraints near a configuration, with their rows of H.
//
// Contact c (dimension d = 1 frictionless, 2 planar, 3 spatial; rows N, T1, T2):
//   u_c = Σ_blocks H_cb v_b + bias_c,       u_N = ġ (opening speed),   0 ≤ g                   (1)
//   frame: columns n, t1, t2 (world). The impulse on the "B" side is n P_N + t1 P_T1 + t2 P_T2.
// Rolling and spinning friction add angular rows: the angular velocity of B relative to A about
//   t1, t2 (planar models: about the normal of the plane), then about n; see Contact::angular.
// Dry friction of a joint (no gap): u = H v + bias, −u ∈ N_[−s,s](P),
//   s = bound·h + coefficient |P_load|, P_load = impulses of the constraint rows load_rows     (2)
// Joint limits are contacts of dimension 1. Candidates with positive gap inside the margin are
// included: event location and position-level schemes need them.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "saltus/base/types.h"

namespace saltus {

/// Persistent name of a contact point: the pair (or the named contact) and the feature in it.
struct ContactKey {
  std::uint64_t pair = 0;
  std::uint64_t feature = 0;
  friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};

/// Columns [dof, dof + columns) of the rows of one contact; values row major at `values`.
struct RowBlock {
  int block = 0;  // index of the velocity block (body) in the BlockPattern
  int dof = 0;    // first velocity coordinate
  int columns = 0;
  int values = 0;  // offset into ContactSet::values; rows × columns numbers, row major
};

struct Contact {
  ContactKey key;
  int dimension = 3;
  double gap = 0;                     // m (rad for angular limits)
  double friction = 0;                // μ ≥ 0
  bool associated = false;            // friction by the convex relaxation of Coulomb's law
  double restitution = 0;             // e_N ∈ [0, 1] of Newton's law
  double poisson = 0;                 // e_N of Poisson's law; restitution is 0 then
  double restitution_tangential = 0;  // e_T ∈ [−1, 1]
  double rolling = 0;                 // rolling friction |m_R| ≤ rolling·P_N, m
  double spinning = 0;                // spinning friction |m_S| ≤ spinning·P_N, m
  /// Angular rows that follow the `dimension` others: rolling ones (2, planar 1) if rolling > 0,
  /// one for spinning if spinning > 0. Only with friction.
  int angular = 0;
  int rows() const { return dimension + angular; }
  /// The column of `frame` about which the k-th angular row turns.
  int angular_axis(int k) const { return dimension == 2 ? 2 : rolling > 0 && k < 2 ? 1 + k : 0; }
  Vector3 bias = Vector3::Zero();   // ∂(gap, slips)/∂t at fixed q, m/s
  Vector3 point = Vector3::Zero();  // world, midway between the witnesses
  /// The witnesses: points of A and of B, world, with point_B − point_A = gap n. Zero where the
  /// contact is not between two points (joint limits, systems that are not made of bodies).
  Vector3 point_A = Vector3::Zero(), point_B = Vector3::Zero();
  Matrix3 frame = Matrix3::Identity();  // columns n, t1, t2, world
  /// After UpdateContacts: the feature cannot be evaluated there; gap and rows are linearised.
  bool lost = false;
  int first_block = 0, num_blocks = 0;  // into ContactSet::blocks
};

/// Impulse and moment of a contact along n, t1, t2 from its rows, and back. Rows beyond `count` are
/// not there (a frictionless problem has one).
template <typename Rows>
void SplitRows(const Contact& c, const Rows& rows, int count, Vector3* impulse, Vector3* moment) {
  impulse->setZero();
  moment->setZero();
  for (int k = 0; k < count; ++k) {
    if (k < c.dimension) {
      (*impulse)[k] = rows[k];
    } else {
      (*moment)[c.angular_axis(k - c.dimension)] = rows[k];
    }
  }
}
inline double JoinRow(const Contact& c, const Vector3& impulse, const Vector3& moment, int k) {
  return k < c.dimension ? impulse[k] : moment[c.angular_axis(k - c.dimension)];
}

/// The direction along which the separation of a pair of convex shapes is measured. The gap of the
/// pair is the largest separation over all axes; one axis with separation ≥ 0 proves that the
/// shapes do not overlap. An axis belongs to features (a face, a pair of edges), so that it can be
/// evaluated at any configuration; axes of round shapes follow the normal.
struct HeldAxis {
  std::uint64_t pair = 0;            // ContactKey::pair
  std::uint64_t feature = 0;         // of the axis: kind and numbers of its faces or edges
  Vector3 normal = Vector3::Zero();  // in the frame of the first shape of the pair, from A to B
  friend bool operator==(const HeldAxis&, const HeldAxis&) = default;
};

struct DryFriction {
  ContactKey key;
  int dimension = 1;
  double bound = 0;            // constant part, N or N m
  double coefficient = 0;      // load-dependent part: times |λ_load|
  std::vector<int> load_rows;  // rows of G; may be empty
  Vector3 bias = Vector3::Zero();
  int first_block = 0, num_blocks = 0;
};

class ContactSet {
 public:
  void Clear() {
    contacts.clear();
    frictions.clear();
    blocks.clear();
    values.clear();
    axes.clear();
  }
  /// Appends a block to the contact or friction that was added last; returns its values to fill.
  double* AddBlock(int block, int dof, int columns, int dimension) {
    blocks.push_back({block, dof, columns, static_cast<int>(values.size())});
    values.resize(values.size() + static_cast<std::size_t>(columns * dimension), 0.0);
    return values.data() + blocks.back().values;
  }
  /// Appends copies of the rows of a contact or friction of another set; returns the index of the
  /// first block.
  template <class Item>
  int CopyBlocks(const ContactSet& from, const Item& item) {
    const int first = static_cast<int>(blocks.size());
    for (int k = item.first_block; k < item.first_block + item.num_blocks; ++k) {
      const RowBlock block = from.blocks[k];
      const std::size_t next = k + 1 < static_cast<int>(from.blocks.size())
                                   ? from.blocks[k + 1].values
                                   : from.values.size();
      const int count = static_cast<int>(next) - block.values;
      double* copy = AddBlock(block.block, block.dof, block.columns, count / block.columns);
      for (int i = 0; i < count; ++i) copy[i] = from.values[block.values + i];
    }
    return first;
  }
  using RowMajorX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Rows = Eigen::Map<const RowMajorX>;
  Rows rows(const RowBlock& b, int dimension) const {
    return {values.data() + b.values, dimension, b.columns};
  }

  std::vector<Contact> contacts;
  std::vector<DryFriction> frictions;
  std::vector<RowBlock> blocks;
  std::vector<double> values;
  std::vector<HeldAxis>
      axes;  // of the pairs in `contacts`, as far as they have one; sorted by pair
};

/// Appends a contact of `reference` whose features cannot be evaluated after the motion `delta`: it
/// keeps its rows, and its gap follows them.
inline void AddLostContact(const Contact& contact, const ContactSet& reference,
                           const VectorX& delta, ContactSet* contacts) {
  Contact copy = contact;
  copy.lost = true;
  copy.first_block = contacts->CopyBlocks(reference, contact);
  for (int k = contact.first_block; k < contact.first_block + contact.num_blocks; ++k) {
    const RowBlock& b = reference.blocks[static_cast<std::size_t>(k)];
    copy.gap += reference.rows(b, 1).row(0).dot(delta.segment(b.dof, b.columns));
  }
  contacts->contacts.push_back(copy);
}

}  // namespace saltus
