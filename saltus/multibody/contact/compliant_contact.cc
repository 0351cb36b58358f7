#include "saltus/multibody/contact/compliant_contact.h"

#include <algorithm>

#include "saltus/math/so3.h"
#include "saltus/multibody/contact/contact_finder.h"

namespace saltus {
namespace {

/// Step of the differences of witnesses, m and rad.
constexpr double kDifference = 1e-6;
/// Margin of their search: no witness of a closed contact may be lost, m.
constexpr double kMargin = 1e-4;

using Vector12 = Eigen::Matrix<double, 12, 1>;

/// The part of a 12-vector that belongs to a body.
Vector6 Part(const Vector12& x, bool second) { return second ? x.tail<6>() : x.head<6>(); }

}  // namespace

CompliantContacts::CompliantContacts(const Model& model)
    : model_(&model), world_(model.compliant_world), poses_(model.bodies.size()) {
  any_ = model.compliant_world.num_colliders() > 0;
  for (const NamedContact& named : model.contact.named) {
    any_ = any_ || named.law.compliance.has_value();
  }
}

void CompliantContacts::Place(const VectorX& q) {
  for (std::size_t b = 0; b < poses_.size(); ++b) poses_[b] = model_->bodies[b].CalcPose(q);
}

void CompliantContacts::AddPoint(const ContactKey& key, int body_a, int body_b,
                                 const ContactLaw& law, double gap, const Vector3& n,
                                 const Vector3& x, const VectorX& v) {
  CompliantPoint& point = points_.emplace_back();
  point.key = key;
  point.body_a = body_a;
  point.body_b = body_b;
  point.law = &law;
  point.gap = gap;
  point.n = n;
  point.x = x;
  Vector3 w = Vector3::Zero();  // (1)
  for (const bool second : {false, true}) {
    const int b = second ? body_b : body_a;
    if (b == kGround) continue;
    const Vector6 V = model_->bodies[b].CalcSpatialVelocity(v);
    const Vector3 at_x = V.head<3>() + (poses_[b].R * V.tail<3>()).cross(x - poses_[b].p);
    w += second ? at_x : Vector3(-at_x);
  }
  point.F = CalcCompliantForce(*law.compliance, law.friction, gap, n, w);
}

const std::vector<CompliantPoint>& CompliantContacts::Find(const VectorX& q, const VectorX& v) {
  points_.clear();
  Place(q);
  const ContactTables& tables = model_->contact;
  const bool planar = model_->plane.has_value();
  if (world_.num_colliders() > 0) {
    world_.Find(poses_, 0, &witnesses_);
    for (const Witness& w : witnesses_) {
      const int a = tables.compliant_colliders[w.collider_A];
      const int b = tables.compliant_colliders[w.collider_B];
      const ContactLaw& law = tables.law(a, b);
      if (!law.compliance) continue;
      const ContactKey key = MakeColliderKey(a, b, w.feature);
      const Vector3 x = 0.5 * (w.point_A + w.point_B);
      const auto repeats = [&](const CompliantPoint& other) {
        return other.key.pair == key.pair && IsSameInPlane(other.x, x, model_->plane_normal);
      };
      if (planar && (IsAcrossPlane(w.normal, model_->plane_normal) ||
                     std::any_of(points_.begin(), points_.end(), repeats))) {
        continue;
      }
      AddPoint(key, tables.collider_body[a], tables.collider_body[b], law, w.gap, w.normal, x, v);
    }
  }
  for (std::size_t i = 0; i < tables.named.size(); ++i) {
    const NamedContact& named = tables.named[i];
    if (!named.law.compliance) continue;
    const auto found = FindNamedContact(named, poses_);
    if (!found || found->gap >= 0) continue;
    AddPoint({ContactKindBits(ContactKind::kNamed) | i, 0}, named.surface_body, named.point_body,
             named.law, found->gap, found->normal, found->point + 0.5 * found->gap * found->normal,
             v);
  }
  return points_;
}

CompliantContacts::Matrix3x12 CompliantContacts::CalcJacobian(const CompliantPoint& point,
                                                              const Vector3& x) const {
  Matrix3x12 J = Matrix3x12::Zero();
  for (const bool second : {false, true}) {
    const int b = second ? point.body_b : point.body_a;
    if (b == kGround) continue;
    const double sign = second ? 1 : -1;
    J.middleCols<3>(second ? 6 : 0) = sign * Matrix3::Identity();
    J.middleCols<3>(second ? 9 : 3) = -sign * Hat(x - poses_[b].p) * poses_[b].R.toRotationMatrix();
  }
  return J;
}

void CompliantContacts::AddForces(const VectorX& q, const VectorX& v, bool nonconservative_only,
                                  VectorX* f) {
  if (empty()) return;
  for (const CompliantPoint& point : Find(q, v)) {
    Vector3 F = point.F.value;
    if (nonconservative_only) F -= point.F.normal.elastic * point.n;
    const Vector12 wrench = CalcJacobian(point, point.x).transpose() * F;
    for (const bool second : {false, true}) {
      const int b = second ? point.body_b : point.body_a;
      if (b == kGround) continue;
      const Body& body = model_->bodies[b];
      const int n = body.num_velocities;
      f->segment(body.first_velocity, n).noalias() +=
          body.map.leftCols(n).transpose() * Part(wrench, second);
    }
  }
}

double CompliantContacts::CalcEnergy(const VectorX& q) {
  if (empty()) return 0;
  double energy = 0;
  const VectorX at_rest = VectorX::Zero(model_->num_velocities);
  for (const CompliantPoint& point : Find(q, at_rest)) energy += point.F.normal.energy;
  return energy;
}

/// The same witness at the poses as they are now.
CompliantContacts::Geometry CompliantContacts::FindGeometry(const CompliantPoint& point) {
  const ContactTables& tables = model_->contact;
  if (FindContactKind(point.key) == ContactKind::kNamed) {
    const auto found = FindNamedContact(tables.named[ContactNumber(point.key)], poses_);
    if (!found) return {Vector3::Zero(), Vector3::Zero(), false};
    return {found->normal, found->point + 0.5 * found->gap * found->normal, true};
  }
  const auto local = [&tables](std::uint64_t collider) {  // number in world_
    const auto& list = tables.compliant_colliders;
    return static_cast<int>(std::lower_bound(list.begin(), list.end(), static_cast<int>(collider)) -
                            list.begin());
  };
  const auto pose = [this](int body) { return body == kGround ? Pose{} : poses_[body]; };
  world_.FindPair(local(point.key.pair >> 32), pose(point.body_a),
                  local(point.key.pair & 0xffffffffU), pose(point.body_b), kMargin,
                  &pair_witnesses_);
  for (const Witness& w : pair_witnesses_) {
    if (w.feature == point.key.feature) {
      return {w.normal, 0.5 * (w.point_A + w.point_B), true};
    }
  }
  return {Vector3::Zero(), Vector3::Zero(), false};
}

/// (3), one column for each velocity coordinate of the two bodies.
void CompliantContacts::AddExactStiffness(const CompliantPoint& point, const VectorX& v,
                                          BlockMatrix* K) {
  const CompliantForce& F = point.F;
  const Matrix3x12 J = CalcJacobian(point, point.x);
  Vector12 V = Vector12::Zero();
  if (point.body_a != kGround) {
    V.head<6>() = model_->bodies[point.body_a].CalcSpatialVelocity(v);
  }
  if (point.body_b != kGround) {
    V.tail<6>() = model_->bodies[point.body_b].CalcSpatialVelocity(v);
  }
  for (const bool second : {false, true}) {
    const int column_body = second ? point.body_b : point.body_a;
    if (column_body == kGround) continue;
    const Body& moved = model_->bodies[column_body];
    const Pose pose = poses_[column_body];
    for (int k = 0; k < moved.num_velocities; ++k) {
      const Vector6 direction = moved.map.col(k);
      Vector3 dn = Vector3::Zero(), dw = Vector3::Zero();
      Vector12 dJF = Vector12::Zero();
      bool found = true;
      for (const double side : {-1.0, 1.0}) {
        poses_[column_body] = {pose.p + side * kDifference * direction.head<3>(),
                               pose.R * ExpQuaternion(side * kDifference * direction.tail<3>())};
        const Geometry geometry = FindGeometry(point);
        found = found && geometry.found;
        const double per = side / (2 * kDifference);
        const Matrix3x12 J_side = CalcJacobian(point, geometry.found ? geometry.x : point.x);
        dn += per * geometry.n;
        dw += per * (J_side * V);
        dJF += per * (J_side.transpose() * F.value);
      }
      poses_[column_body] = pose;
      if (!found) dn.setZero();
      const Vector3 column = J.middleCols<6>(second ? 6 : 0) * direction;
      const Vector3 dF = F.by_gap * point.n.dot(column) + F.by_normal * dn + F.by_velocity * dw;
      const Vector12 df = dJF + J.transpose() * dF;
      for (const bool row_second : {false, true}) {
        const int row_body = row_second ? point.body_b : point.body_a;
        if (row_body == kGround) continue;
        const Body& row = model_->bodies[row_body];
        K->block(K->pattern().FindSlot(row_body, column_body)).col(k) -=
            row.map.leftCols(row.num_velocities).transpose() * Part(df, row_second);
      }
    }
  }
}

void CompliantContacts::AddTangents(const VectorX& q, const VectorX& v, TangentKind kind,
                                    BlockMatrix* K, BlockMatrix* D) {
  if (empty()) return;
  const BlockPattern& pattern = *model_->pattern;
  for (const CompliantPoint& point : Find(q, v)) {
    const Matrix3x12 J = CalcJacobian(point, point.x);
    Pair pair;
    pair.a = point.body_a;
    pair.b = point.body_b;
    FindSlots(pattern, &pair);
    Matrix3 damping = -point.F.by_velocity;  // (2)
    if (kind == TangentKind::kExact) {
      AddExactStiffness(point, v, K);
    } else {
      const Matrix3 nn = point.n * point.n.transpose();
      damping = 0.5 * (damping + damping.transpose()).eval();
      const Matrix3 across = Matrix3::Identity() - nn;
      damping = (across * damping * across + point.F.normal.by_rate * nn).eval();
      AddBlocks(pair, model_->bodies, J.transpose() * (point.F.normal.by_depth * nn) * J, K);
    }
    AddBlocks(pair, model_->bodies, J.transpose() * damping * J, D);
  }
}

}  // namespace saltus
