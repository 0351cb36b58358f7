#include "saltus/multibody/contact/contact_finder.h"

#include <algorithm>
#include <cmath>

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

/// Appends the rows with these gradients to the limit or friction added last.
void AddMeasureBlocks(const Pair& pair, const std::vector<Body>& bodies, const Vector12* gradients,
                      int dimension, ContactSet* contacts) {
  for (const bool second : {false, true}) {
    const int index = second ? pair.b : pair.a;
    if (index == kGround) continue;
    const Body& body = bodies[index];
    const int n = body.num_velocities;
    double* values = contacts->AddBlock(index, body.first_velocity, n, dimension);
    for (int i = 0; i < dimension; ++i) {
      const Vector6 part = second ? gradients[i].tail<6>() : gradients[i].head<6>();
      Eigen::Map<VectorX>(values + i * n, n).noalias() = body.map.leftCols(n).transpose() * part;
    }
  }
}

void AddLimits(const Model& model, const VectorX& q, double margin, ContactSet* contacts) {
  ScalarJet jet;
  for (std::size_t i = 0; i < model.limits.size(); ++i) {
    const JointLimit& limit = model.limits[i];
    const Pair& pair = model.joints[limit.joint].pair;
    const auto [A, B] = CalcPlacements(pair, model.bodies, q);
    CalcMeasure(limit.coordinate.measure, pair.frames, A, B, JetOrder::kGradient, &jet);
    const double value = CalcCoordinateValue(limit.coordinate, jet.value, q);
    const double gap = limit.sign * (value - limit.bound);
    // A margin in metres says nothing about an angle: angular limits are always candidates, a tilt
    // only where its direction is defined.
    const bool tilt = limit.coordinate.measure.kind == MeasureKind::kTilt;
    if (tilt ? gap > 0.5 * limit.bound : (!limit.angular && gap >= margin)) continue;
    Contact& contact = contacts->contacts.emplace_back();
    contact.key = {ContactKindBits(ContactKind::kLimit) | i, 0};
    contact.dimension = 1;
    contact.gap = gap;
    contact.restitution = limit.restitution;
    contact.point = B * pair.frames.b;
    contact.frame = A.R * pair.frames.F_A;
    contact.frame.col(0).swap(contact.frame.col(2));  // the axis first
    contact.first_block = static_cast<int>(contacts->blocks.size());
    const Vector12 gradient = limit.sign * jet.gradient;
    AddMeasureBlocks(pair, model.bodies, &gradient, 1, contacts);
    contact.num_blocks = static_cast<int>(contacts->blocks.size()) - contact.first_block;
  }
}

/// Gradients of the slip measures of a dry friction; returns their number.
int CalcSlipRows(const JointFriction& friction, const Pair& pair, const PairPlacement& placement,
                 Vector12* rows) {
  if (friction.measures.empty()) {  // relative angular velocity R_B ω_B − R_A ω_A
    for (int i = 0; i < 3; ++i) {
      rows[i].setZero();
      rows[i].segment<3>(3) = -placement.A.R.row(i);
      rows[i].segment<3>(9) = placement.B.R.row(i);
    }
    return 3;
  }
  ScalarJet jet;
  int n = 0;
  for (const Measure& measure : friction.measures) {
    CalcMeasure(measure, pair.frames, placement.A, placement.B, JetOrder::kGradient, &jet);
    rows[n] = friction.scales[n] * jet.gradient;
    ++n;
  }
  return n;
}

void AddFrictions(const Model& model, const VectorX& q, ContactSet* contacts) {
  Vector12 rows[3];
  contacts->frictions.resize(model.frictions.size());  // entries keep their memory
  for (std::size_t i = 0; i < model.frictions.size(); ++i) {
    const JointFriction& source = model.frictions[i];
    const Pair& pair = model.joints[source.joint].pair;
    const int dimension = CalcSlipRows(source, pair, CalcPlacements(pair, model.bodies, q), rows);
    DryFriction& friction = contacts->frictions[i];
    friction.key = {ContactKindBits(ContactKind::kFriction) | i, 0};
    friction.dimension = dimension;
    friction.bound = source.bound;
    friction.coefficient = source.coefficient;
    friction.load_rows = source.load_rows;
    friction.first_block = static_cast<int>(contacts->blocks.size());
    AddMeasureBlocks(pair, model.bodies, rows, dimension, contacts);
    friction.num_blocks = static_cast<int>(contacts->blocks.size()) - friction.first_block;
  }
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

/// Appends the rows (2), (3) of one body to the contact added last. sign: −1 for A, +1 for B.
void AddContactBlock(int index, const ContactBody& body, const Contact& contact, double sign,
                     ContactSet* contacts) {
  const int d = contact.rows();
  const int n = body.num_velocities;
  double* values = contacts->AddBlock(index, body.first_velocity, n, d);
  const Matrix3 R_transposed = sign * body.placement.R.transpose();
  const Vector3 lever = contact.point - body.placement.p;
  Vector6 row;
  for (int i = 0; i < d; ++i) {
    const bool angular = i >= contact.dimension;
    const Vector3 direction =
        contact.frame.col(angular ? contact.angular_axis(i - contact.dimension) : i);
    double* target = body.map == nullptr ? values + i * n : row.data();
    Eigen::Map<Vector3> linear(target), turning(target + 3);
    if (angular) {  // (3)
      linear.setZero();
      turning.noalias() = R_transposed * direction;
    } else {  // (2)
      linear = sign * direction;
      turning.noalias() = R_transposed * lever.cross(direction);
    }
    if (body.map != nullptr) {
      Eigen::Map<VectorX>(values + i * n, n).noalias() = body.map->leftCols(n).transpose() * row;
    }
  }
}

/// Appends the rows of the contact added last, between body_a and body_b.
void AddBlocksOf(const std::vector<ContactBody>& bodies, int body_a, int body_b,
                 ContactSet* contacts) {
  Contact& contact = contacts->contacts.back();
  contact.first_block = static_cast<int>(contacts->blocks.size());
  if (body_a != kGround) AddContactBlock(body_a, bodies[body_a], contact, -1, contacts);
  if (body_b != kGround) AddContactBlock(body_b, bodies[body_b], contact, 1, contacts);
  contact.num_blocks = static_cast<int>(contacts->blocks.size()) - contact.first_block;
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
                                            const std::vector<Pose>& poses) {
  const Pose A = named.surface_body == kGround ? Pose{} : poses[named.surface_body];
  const Pose B = named.point_body == kGround ? Pose{} : poses[named.point_body];
  const Vector3 point = B * named.point;
  auto foot = named.surface.FindFoot(A.R.conjugate() * (point - A.p));
  if (!foot) return foot;
  foot->normal = A.R * foot->normal;
  foot->point = 0.5 * (point + A * foot->point);
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

void MultibodySystem::AddColliderContacts(double margin, ContactSet* contacts) {
  const ContactTables& tables = model_->contact;
  const bool planar = model_->plane.has_value();
  world_.Find(poses_, margin, &witnesses_);
  const std::size_t first = contacts->contacts.size();
  for (const Witness& w : witnesses_) {
    const ContactLaw& law = tables.law(w.collider_A, w.collider_B);
    if (law.compliance) continue;  // a force
    Contact& contact = contacts->contacts.emplace_back();
    contact.key = MakeColliderKey(w.collider_A, w.collider_B, w.feature);
    contact.gap = w.gap;
    contact.point = 0.5 * (w.point_A + w.point_B);
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
    contact.gap = foot->gap;
    contact.point = foot->point;
    contact.frame = planar ? MakePlanarContactFrame(n, model_->plane_normal) : MakeContactFrame(n);
    SetLaw(named.law, planar, &contact);
    AddBlocksOf(contact_bodies_, named.surface_body, named.point_body, contacts);
  }
}

void MultibodySystem::FindContacts(double, const VectorX& q, double margin, ContactSet* contacts) {
  contacts->contacts.clear();
  contacts->blocks.clear();
  contacts->values.clear();
  if (!traits_.has_contacts) {
    contacts->frictions.clear();
    return;
  }
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    poses_[b] = model_->bodies[b].CalcPose(q);
    contact_bodies_[b].placement = {poses_[b].p, poses_[b].R.toRotationMatrix()};
  }
  if (model_->world.num_colliders() > 0) AddColliderContacts(margin, contacts);
  AddNamedContacts(margin, contacts);
  AddLimits(*model_, q, margin, contacts);
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
