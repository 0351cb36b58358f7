#include "saltus/multibody/contact/contact_rows.h"

#include <cmath>

namespace saltus {
namespace {

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

/// Appends the rows (2), (3) of one body to the contact added last. sign: −1 for A, +1 for B.
void AddContactBlock(int index, const ContactBody& body, const Contact& contact, double sign,
                     ContactSet* contacts) {
  const int d = contact.rows();
  const int n = body.num_velocities;
  double* values = contacts->AddBlock(index, body.first_velocity, n, d);
  const Matrix3 R_transposed = sign * body.placement.R.transpose();
  const Vector3 lever = (sign < 0 ? contact.point_A : contact.point_B) - body.placement.p;
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

}  // namespace

void AddBlocksOf(const std::vector<ContactBody>& bodies, int body_a, int body_b,
                 ContactSet* contacts) {
  Contact& contact = contacts->contacts.back();
  contact.first_block = static_cast<int>(contacts->blocks.size());
  if (body_a != kGround) AddContactBlock(body_a, bodies[body_a], contact, -1, contacts);
  if (body_b != kGround) AddContactBlock(body_b, bodies[body_b], contact, 1, contacts);
  contact.num_blocks = static_cast<int>(contacts->blocks.size()) - contact.first_block;
}

void SetWitness(double gap, const Vector3& point_A, const Vector3& point_B, Contact* contact) {
  contact->gap = gap;
  contact->point_A = point_A;
  contact->point_B = point_B;
  contact->point = 0.5 * (point_A + point_B);
}

void AddLimit(const Model& model, std::size_t index, const VectorX& q, const VectorX& turns,
              double margin, ContactSet* contacts) {
  const JointLimit& limit = model.limits[index];
  const Pair& pair = model.joints[limit.joint].pair;
  const auto [A, B] = CalcPlacements(pair, model.bodies, q);
  ScalarJet jet;
  CalcMeasure(limit.coordinate.measure, pair.frames, A, B, JetOrder::kGradient, &jet);
  const double value = CalcCoordinateValue(limit.coordinate, jet.value, q, turns);
  const double gap = limit.sign * (value - limit.bound);
  // A margin in metres says nothing about an angle: angular limits are always candidates, a tilt
  // only where its direction is defined.
  const bool tilt = limit.coordinate.measure.kind == MeasureKind::kTilt;
  const bool everywhere = std::isinf(margin);
  if (!everywhere && (tilt ? gap > 0.5 * limit.bound : !limit.angular && gap >= margin)) return;
  Contact& contact = contacts->contacts.emplace_back();
  contact.key = {ContactKindBits(ContactKind::kLimit) | index, 0};
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

}  // namespace saltus
