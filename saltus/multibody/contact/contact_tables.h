// What FindContacts reads: laws of material pairs, colliders, named contacts, and the keys.
//
// ContactKey::pair, top three bits: what the contact is; the rest: which one.
//   000  colliders A < B        (A << 32) | B, feature = feature of the witness
//   100  named contact          its number
//   101  joint limit            number of the JointLimit
//   110  dry friction of a joint  number of the JointFriction
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/dynamics/contact_set.h"
#include "saltus/multibody/bodies/body.h"
#include "saltus/multibody/contact/compliance.h"
#include "saltus/multibody/contact/surface.h"

namespace saltus {

struct ContactLaw {
  double friction = 0;                // μ
  double restitution = 0;             // e_N
  double restitution_tangential = 0;  // e_T
  RestitutionLaw restitution_law = RestitutionLaw::kNewton;
  FrictionLaw friction_law = FrictionLaw::kCoulomb;
  double rolling = 0, spinning = 0;        // m
  std::optional<Compliance> compliance{};  // a smooth force instead of a constraint
  std::optional<CohesionSpec> cohesion{};
};

enum class ContactKind { kColliders, kNamed, kLimit, kFriction };

inline constexpr int kContactKindShift = 61;
constexpr std::uint64_t ContactKindBits(ContactKind kind) {
  switch (kind) {
    case ContactKind::kNamed:
      return std::uint64_t{0b100} << kContactKindShift;
    case ContactKind::kLimit:
      return std::uint64_t{0b101} << kContactKindShift;
    case ContactKind::kFriction:
      return std::uint64_t{0b110} << kContactKindShift;
    case ContactKind::kColliders:
      break;
  }
  return 0;
}
constexpr ContactKind FindContactKind(const ContactKey& key) {
  switch (key.pair >> kContactKindShift) {
    case 0b100:
      return ContactKind::kNamed;
    case 0b101:
      return ContactKind::kLimit;
    case 0b110:
      return ContactKind::kFriction;
    default:
      return ContactKind::kColliders;
  }
}
/// The number behind the kind bits.
constexpr std::uint64_t ContactNumber(const ContactKey& key) {
  return key.pair & ((std::uint64_t{1} << kContactKindShift) - 1);
}

/// A point of one body against a surface of another.
struct NamedContact {
  std::string name;
  int point_body = kGround;
  Vector3 point = Vector3::Zero();  // local, m
  int surface_body = kGround;
  Surface surface;
  ContactLaw law;
};

struct ContactTables {
  std::vector<int> collider_body;      // kGround for shapes of the ground
  std::vector<int> collider_material;  // row of `laws`
  int num_materials = 0;
  std::vector<ContactLaw> laws;  // num_materials², symmetric
  std::vector<NamedContact> named;
  std::vector<int> compliant_colliders;  // numbers of the colliders of Model::compliant_world

  const ContactLaw& law(int collider_a, int collider_b) const {
    return laws[static_cast<std::size_t>(collider_material[collider_a] * num_materials +
                                         collider_material[collider_b])];
  }
};

}  // namespace saltus
