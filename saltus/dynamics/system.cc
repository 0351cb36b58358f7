#include "saltus/dynamics/system.h"

#include <algorithm>

namespace saltus {
namespace {

const Contact* FindKey(const ContactSet& set, const ContactKey& key) {
  const auto it = std::lower_bound(set.contacts.begin(), set.contacts.end(), key,
                                   [](const Contact& c, const ContactKey& k) { return c.key < k; });
  return it != set.contacts.end() && it->key == key ? &*it : nullptr;
}

/// A margin beyond every gap.
constexpr double kEverything = 1e30;  // m

/// Gives the last contact of *set the frame of `reference`, turned with the normal along the
/// shortest way. Rows are turned in the tangent plane; contacts with angular rows keep their frame.
void TransportFrame(const Matrix3& reference, ContactSet* set) {
  Contact& c = set->contacts.back();
  if (c.dimension != 3 || c.angular > 0) return;
  const Quaternion turn = Quaternion::FromTwoVectors(reference.col(0), c.frame.col(0));
  const Matrix3 frame = turn * reference;
  const Eigen::Matrix2d R = frame.rightCols<2>().transpose() * c.frame.rightCols<2>();
  for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
    const RowBlock& b = set->blocks[k];
    Eigen::Map<ContactSet::RowMajorX> rows(set->values.data() + b.values, 3, b.columns);
    rows.bottomRows(2) = (R * rows.bottomRows(2)).eval();
  }
  c.bias.tail<2>() = (R * c.bias.tail<2>()).eval();
  c.frame = frame;
}

}  // namespace

void System::UpdateContacts(double t, const VectorX& q, const VectorX& q_reference,
                            const ContactSet& reference, ContactSet* contacts) {
  ContactSet found;
  FindContacts(t, q, kEverything, &found);
  VectorX delta;
  CalcDifference(q_reference, q, &delta);
  contacts->Clear();
  for (const Contact& c : reference.contacts) {
    const Contact* match = FindKey(found, c.key);
    const bool lost = match == nullptr || match->rows() != c.rows();
    if (lost) {
      AddLostContact(c, reference, delta, contacts);
      continue;
    }
    Contact copy = *match;
    copy.first_block = contacts->CopyBlocks(found, *match);
    contacts->contacts.push_back(copy);
    TransportFrame(c.frame, contacts);
  }
  for (const DryFriction& f : found.frictions) {
    contacts->frictions.push_back(f);
    contacts->frictions.back().first_block = contacts->CopyBlocks(found, f);
  }
  contacts->axes = reference.axes;
}

}  // namespace saltus
