#include "saltus/multibody/contact/contact_finder.h"

#include <cmath>

#include "saltus/multibody/contact/contact_rows.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

/// A normal steeper than this against the plane of a planar model moves nothing in it.
constexpr double kMinInPlane = 1e-3;
/// Points of a manifold nearer than this in the plane are one planar contact, m.
constexpr double kMergeDistance = 1e-9;

void SetLaw(const ContactLaw& law, bool planar, Contact* contact) {
  contact->friction = law.friction;
  const bool newton = law.restitution_law == RestitutionLaw::kNewton;
  (newton ? contact->restitution : contact->poisson) = law.restitution;
  contact->restitution_tangential = law.restitution_tangential;
  contact->dimension = law.friction > 0 ? (planar ? 2 : 3) : 1;
  if (law.friction == 0) return;
  contact->associated = law.friction_law == FrictionLaw::kAssociated;
  contact->rolling = law.rolling;
  contact->spinning = planar ? 0 : law.spinning;  // nothing turns about a normal in the plane
  contact->angular = (law.rolling > 0 ? (planar ? 1 : 2) : 0) + (contact->spinning > 0 ? 1 : 0);
}

/// Whether the last contact repeats, in the plane, one of the same pair found since `first`.
bool IsRepeated(const ContactSet& contacts, std::size_t first, const Vector3& plane_normal) {
  const Contact& candidate = contacts.contacts.back();
  for (std::size_t i = contacts.contacts.size() - 1; i-- > first;) {
    const Contact& other = contacts.contacts[i];
    if (other.key.pair != candidate.key.pair) return false;
    if (IsSameInPlane(other.point, candidate.point, plane_normal)) return true;
  }
  return false;
}

}  // namespace

bool IsAcrossPlane(const Vector3& n, const Vector3& plane_normal) {
  const double out = plane_normal.dot(n);
  return 1 - out * out < kMinInPlane * kMinInPlane;
}

bool IsSameInPlane(const Vector3& x, const Vector3& y, const Vector3& plane_normal) {
  const Vector3 d = x - y;
  const Vector3 in_plane = d - plane_normal.dot(d) * plane_normal;
  return in_plane.squaredNorm() < kMergeDistance * kMergeDistance;
}

std::optional<SurfaceFoot> FindNamedContact(const NamedContact& named,
                                            const std::vector<Pose>& poses, bool extended) {
  const Pose A = named.surface_body == kGround ? Pose{} : poses[named.surface_body];
  const Pose B = named.point_body == kGround ? Pose{} : poses[named.point_body];
  const Vector3 point = B * named.point;
  auto foot = named.surface.FindFoot(A.R.conjugate() * (point - A.p), extended);
  if (!foot) return foot;
  foot->normal = A.R * foot->normal;
  foot->point = point - foot->gap * foot->normal;
  return foot;
}

Matrix3 MakeContactFrame(const Vector3& n) {
  // Rotation that takes e_z to n (or −e_z to n on the cap about −e_z), applied to the x and y axes.
  const double s = n.z() > -0.99 ? 1.0 : -1.0;
  const double w = 1 / (1 + s * n.z());
  Matrix3 frame;
  frame.col(0) = n;
  frame.col(1) = Vector3(1 - n.x() * n.x() * w, -n.x() * n.y() * w, -s * n.x());
  frame.col(2) = Vector3(-s * n.x() * n.y() * w, s * (1 - n.y() * n.y() * w), -n.y());
  return frame;
}

Matrix3 MakePlanarContactFrame(const Vector3& n, const Vector3& plane_normal) {
  Matrix3 frame;
  frame.col(0) = n;
  frame.col(1) = plane_normal.cross(n).normalized();
  frame.col(2) = n.cross(frame.col(1));
  return frame;
}

Matrix3 TurnContactFrame(const Matrix3& frame, const Vector3& n) {
  const Vector3 from = frame.col(0);
  const double cosine = from.dot(n);
  if (cosine < -0.5) return MakeContactFrame(n);
  Matrix3 turned;
  turned.col(0) = n;
  for (const int k : {1, 2}) {
    turned.col(k) = frame.col(k) - frame.col(k).dot(n) / (1 + cosine) * (from + n);
  }
  return turned;
}

void MultibodySystem::AddColliderContacts(double margin, std::span<const HeldAxis> held,
                                          ContactSet* contacts) {
  const ContactTables& tables = model_->contact;
  const bool planar = model_->plane.has_value();
  std::vector<PairAxis> along;  // no pair is held in most searches: no memory is taken then
  for (const HeldAxis& axis : held) {
    const std::uint64_t number = ContactNumber({axis.pair, 0});
    along.push_back({static_cast<int>(number >> 32), static_cast<int>(number & 0xffffffffu),
                     axis.feature, axis.normal});
  }
  world_.FindAlong(poses_, margin, along, &witnesses_);
  const std::size_t first = contacts->contacts.size();
  for (const Witness& w : witnesses_) {
    const ContactLaw& law = tables.law(w.collider_A, w.collider_B);
    if (law.compliance) continue;  // a force
    Contact& contact = contacts->contacts.emplace_back();
    contact.key = MakeColliderKey(w.collider_A, w.collider_B, w.feature);
    SetWitness(w.gap, w.point_A, w.point_B, &contact);
    SetLaw(law, planar, &contact);
    if (planar) {
      if (IsAcrossPlane(w.normal, model_->plane_normal) ||
          IsRepeated(*contacts, first, model_->plane_normal)) {
        contacts->contacts.pop_back();
        continue;
      }
      contact.frame = MakePlanarContactFrame(w.normal, model_->plane_normal);
    } else {
      contact.frame = MakeContactFrame(w.normal);
    }
    AddBlocksOf(contact_bodies_, tables.collider_body[w.collider_A],
                tables.collider_body[w.collider_B], contacts);
  }
  AddAxes(held, contacts);
}

void MultibodySystem::AddAxes(std::span<const HeldAxis> held, ContactSet* contacts) const {
  const auto pose = [this](int body) { return body == kGround ? Pose{} : poses_[body]; };
  auto given = held.begin();
  for (std::size_t i = 0; i < witnesses_.size();) {
    const Witness* least = &witnesses_[i];
    const int a = least->collider_A, b = least->collider_B;
    for (; i < witnesses_.size() && witnesses_[i].collider_A == a && witnesses_[i].collider_B == b;
         ++i) {
      if (witnesses_[i].gap < least->gap) least = &witnesses_[i];
    }
    const ContactTables& tables = model_->contact;
    if (tables.law(a, b).compliance || !world_.HasAxis(a, b)) continue;
    const std::uint64_t pair = MakeColliderKey(a, b, 0).pair;
    while (given != held.end() && given->pair < pair) ++given;
    if (given != held.end() && given->pair == pair) {
      contacts->axes.push_back(*given);
      continue;
    }
    const PairAxis axis =
        world_.MakeAxis(*least, pose(tables.collider_body[a]), pose(tables.collider_body[b]));
    contacts->axes.push_back({pair, axis.feature, axis.normal});
  }
}

void MultibodySystem::AddNamedContacts(double margin, ContactSet* contacts) const {
  const bool planar = model_->plane.has_value();
  for (std::size_t i = 0; i < model_->contact.named.size(); ++i) {
    const NamedContact& named = model_->contact.named[i];
    if (named.law.compliance) continue;  // a force
    const auto foot = FindNamedContact(named, poses_);
    if (!foot || foot->gap >= margin) continue;
    const Vector3& n = foot->normal;
    Contact& contact = contacts->contacts.emplace_back();
    contact.key = {ContactKindBits(ContactKind::kNamed) | i, 0};
    SetWitness(foot->gap, foot->point, foot->point + foot->gap * n, &contact);
    contact.frame = planar ? MakePlanarContactFrame(n, model_->plane_normal) : MakeContactFrame(n);
    SetLaw(named.law, planar, &contact);
    AddBlocksOf(contact_bodies_, named.surface_body, named.point_body, contacts);
  }
}

void MultibodySystem::PlaceContactBodies(const VectorX& q) {
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    poses_[b] = model_->bodies[b].CalcPose(q);
    contact_bodies_[b].placement = {poses_[b].p, poses_[b].R.toRotationMatrix()};
  }
}

void MultibodySystem::FindTunnelled(double, const VectorX& q0, const VectorX& q1,
                                    std::vector<HeldAxis>* axes) {
  if (model_->world.num_colliders() == 0) return;
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    reference_poses_[b] = model_->bodies[b].CalcPose(q0);
    poses_[b] = model_->bodies[b].CalcPose(q1);
  }
  std::vector<PairAxis> passed;  // normally none
  world_.FindPassages(reference_poses_, poses_, &passed);
  for (const PairAxis& axis : passed) {
    if (model_->contact.law(axis.collider_A, axis.collider_B).compliance) continue;  // a force
    const ContactKey key = MakeColliderKey(axis.collider_A, axis.collider_B, 0);
    axes->push_back({key.pair, axis.feature, axis.normal});
  }
}

void MultibodySystem::FindContacts(double t, const VectorX& q, double margin,
                                   ContactSet* contacts) {
  FindContactsAlong(t, q, margin, {}, contacts);
}

void MultibodySystem::FindContactsAlong(double, const VectorX& q, double margin,
                                        std::span<const HeldAxis> held, ContactSet* contacts) {
  contacts->axes.clear();
  contacts->contacts.clear();
  contacts->blocks.clear();
  contacts->values.clear();
  if (!traits_.has_contacts) {
    contacts->frictions.clear();
    return;
  }
  PlaceContactBodies(q);
  if (model_->world.num_colliders() > 0) AddColliderContacts(margin, held, contacts);
  AddNamedContacts(margin, contacts);
  for (std::size_t i = 0; i < model_->limits.size(); ++i) {
    AddLimit(*model_, i, q, turns_, margin, contacts);
  }
  AddFrictions(*model_, q, contacts);
}

std::string MultibodySystem::ContactName(const ContactKey& key) const {
  const std::uint64_t number = ContactNumber(key);
  switch (FindContactKind(key)) {
    case ContactKind::kNamed:
      return model_->contact.named[number].name;
    case ContactKind::kLimit:
      return model_->joints[model_->limits[number].joint].name + ".limit";
    case ContactKind::kFriction:
      return model_->joints[model_->frictions[number].joint].name + ".friction";
    case ContactKind::kColliders:
      break;
  }
  const auto name = [this](std::uint64_t collider) {
    return model_->body_name(model_->contact.collider_body[collider]);
  };
  // The order of the scene format: "ball-ground".
  const std::uint64_t a = number >> 32;
  const std::uint64_t b = number & 0xffffffffu;
  const bool ground_first = model_->contact.collider_body[a] == kGround;
  return ground_first ? name(b) + "-" + name(a) : name(a) + "-" + name(b);
}

}  // namespace saltus
