#include "saltus/multibody/measures/pair.h"

namespace saltus {
namespace {

void AddPart(const Body& body, const Vector6& part, double factor, VectorX* f) {
  if (body.kind == BodyKind::kRigid) {
    f->segment<6>(body.first_velocity) += factor * part;
  } else {
    const int n = body.num_velocities;
    f->segment(body.first_velocity, n).noalias() +=
        factor * (body.map.leftCols(n).transpose() * part);
  }
}

void AddPart(const Body& row, const Body& column, const Matrix6& H, int slot, BlockMatrix* matrix) {
  if (row.kind == BodyKind::kRigid && column.kind == BodyKind::kRigid) {
    Eigen::Map<Matrix6>(matrix->block(slot).data()) += H;
    return;
  }
  matrix->block(slot).noalias() += row.map.leftCols(row.num_velocities).transpose() *
                                   (H * column.map.leftCols(column.num_velocities));
}

}  // namespace

PairPlacement CalcPlacements(const Pair& pair, const std::vector<Body>& bodies, const VectorX& q) {
  PairPlacement placement;
  if (pair.a != kGround) placement.A = bodies[pair.a].CalcPlacement(q);
  if (pair.b != kGround) placement.B = bodies[pair.b].CalcPlacement(q);
  return placement;
}

Vector12 CalcSpatialVelocities(const Pair& pair, const std::vector<Body>& bodies,
                               const VectorX& v) {
  Vector12 V = Vector12::Zero();
  if (pair.a != kGround) V.head<6>() = bodies[pair.a].CalcSpatialVelocity(v);
  if (pair.b != kGround) V.tail<6>() = bodies[pair.b].CalcSpatialVelocity(v);
  return V;
}

void AddRow(const Pair& pair, const std::vector<Body>& bodies, const Vector12& gradient,
            double factor, VectorX* f) {
  if (pair.a != kGround) AddPart(bodies[pair.a], gradient.head<6>(), factor, f);
  if (pair.b != kGround) AddPart(bodies[pair.b], gradient.tail<6>(), factor, f);
}

void AddBlocks(const Pair& pair, const std::vector<Body>& bodies, const Matrix12& H,
               BlockMatrix* matrix) {
  const bool a = pair.a != kGround;
  const bool b = pair.b != kGround;
  if (a) AddPart(bodies[pair.a], bodies[pair.a], H.topLeftCorner<6, 6>(), pair.slot_aa, matrix);
  if (b) AddPart(bodies[pair.b], bodies[pair.b], H.bottomRightCorner<6, 6>(), pair.slot_bb, matrix);
  if (pair.slot_ab >= 0) {
    AddPart(bodies[pair.a], bodies[pair.b], H.topRightCorner<6, 6>(), pair.slot_ab, matrix);
    AddPart(bodies[pair.b], bodies[pair.a], H.bottomLeftCorner<6, 6>(), pair.slot_ba, matrix);
  }
}

void FindSlots(const BlockPattern& pattern, Pair* pair) {
  const auto find = [&pattern](int i, int j) {
    return i == kGround || j == kGround ? -1 : pattern.FindSlot(i, j);
  };
  pair->slot_aa = find(pair->a, pair->a);
  pair->slot_ab = find(pair->a, pair->b);
  pair->slot_ba = find(pair->b, pair->a);
  pair->slot_bb = find(pair->b, pair->b);
}

}  // namespace saltus
