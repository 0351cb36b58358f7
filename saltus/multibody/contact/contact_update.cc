// The contacts of a set at another configuration, each by its features.
#include <limits>

#include "saltus/multibody/contact/contact_rows.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

const Pose& PoseOf(const std::vector<Pose>& poses, int body) {
  static const Pose ground;
  return body == kGround ? ground : poses[static_cast<std::size_t>(body)];
}

}  // namespace

/// Gap, points and frame of the contact between body_a and body_b, and its rows.
void MultibodySystem::MoveContact(const Contact& reference, double gap, const Vector3& point_A,
                                  const Vector3& point_B, const Vector3& n, int body_a, int body_b,
                                  ContactSet* contacts) {
  Contact& contact = contacts->contacts.emplace_back(reference);
  contact.lost = false;
  SetWitness(gap, point_A, point_B, &contact);
  contact.frame = model_->plane ? MakePlanarContactFrame(n, model_->plane_normal)
                                : TurnContactFrame(reference.frame, n);
  AddBlocksOf(contact_bodies_, body_a, body_b, contacts);
}

bool MultibodySystem::UpdateColliderContact(const Contact& reference, ContactSet* contacts) {
  const ContactTables& tables = model_->contact;
  const std::uint64_t number = ContactNumber(reference.key);
  Witness w;
  w.collider_A = static_cast<int>(number >> 32);
  w.collider_B = static_cast<int>(number & 0xffffffffu);
  w.feature = reference.key.feature;
  w.point_A = reference.point_A;
  w.point_B = reference.point_B;
  w.normal = reference.frame.col(0);
  const int a = tables.collider_body[w.collider_A], b = tables.collider_body[w.collider_B];
  if (!world_.UpdateWitness(w, PoseOf(reference_poses_, a), PoseOf(reference_poses_, b),
                            PoseOf(poses_, a), PoseOf(poses_, b), &w)) {
    return false;
  }
  if (model_->plane && IsAcrossPlane(w.normal, model_->plane_normal)) return false;
  MoveContact(reference, w.gap, w.point_A, w.point_B, w.normal, a, b, contacts);
  return true;
}

bool MultibodySystem::UpdateNamedContact(const Contact& reference, ContactSet* contacts) {
  const NamedContact& named = model_->contact.named[ContactNumber(reference.key)];
  const auto foot = FindNamedContact(named, poses_, true);
  if (!foot) return false;
  MoveContact(reference, foot->gap, foot->point, foot->point + foot->gap * foot->normal,
              foot->normal, named.surface_body, named.point_body, contacts);
  return true;
}

void MultibodySystem::UpdateContacts(double, const VectorX& q, const VectorX& q_reference,
                                     const ContactSet& reference, ContactSet* contacts) {
  contacts->contacts.clear();
  contacts->blocks.clear();
  contacts->values.clear();
  contacts->axes = reference.axes;
  PlaceContactBodies(q);
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    reference_poses_[b] = model_->bodies[b].CalcPose(q_reference);
  }
  bool has_difference = false;
  for (const Contact& c : reference.contacts) {
    bool found = true;
    switch (FindContactKind(c.key)) {
      case ContactKind::kNamed:
        found = UpdateNamedContact(c, contacts);
        break;
      case ContactKind::kLimit:
        AddLimit(*model_, ContactNumber(c.key), q, turns_, std::numeric_limits<double>::infinity(),
                 contacts);
        break;
      default:
        found = UpdateColliderContact(c, contacts);
    }
    if (found) continue;
    if (!has_difference) CalcDifference(q_reference, q, &difference_);
    has_difference = true;
    AddLostContact(c, reference, difference_, contacts);
  }
  AddFrictions(*model_, q, contacts);
}

}  // namespace saltus
