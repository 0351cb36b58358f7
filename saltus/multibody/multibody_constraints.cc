// The joints of a MultibodySystem: constraint functions of the seam, read-outs and notices.
// Equation numbers refer to joints/joint.h.
#include <algorithm>

#include "saltus/math/so3.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

/// G with the sparsity of the model: assigns the pattern unless *G has it already.
void PrepareJacobian(const SparseRows& pattern, SparseRows* G) {
  const bool same = G->isCompressed() && G->rows() == pattern.rows() &&
                    G->cols() == pattern.cols() && G->nonZeros() == pattern.nonZeros() &&
                    std::equal(pattern.outerIndexPtr(),
                               pattern.outerIndexPtr() + pattern.rows() + 1, G->outerIndexPtr()) &&
                    std::equal(pattern.innerIndexPtr(),
                               pattern.innerIndexPtr() + pattern.nonZeros(), G->innerIndexPtr());
  if (!same) *G = pattern;
}

/// Writes ∇φ T of one body into consecutive values; returns the place behind them.
double* WritePart(const std::vector<Body>& bodies, int body, const Vector6& part, double* values) {
  if (body == kGround) return values;
  const Body& b = bodies[body];
  const int n = b.num_velocities;
  if (b.kind == BodyKind::kRigid) {
    std::copy_n(part.data(), 6, values);
    return values + 6;
  }
  Eigen::Map<VectorX>(values, n).noalias() = b.map.leftCols(n).transpose() * part;
  return values + n;
}

/// Writes one row of G or C, given in R¹²: columns ascend with the body.
void WriteRow(const std::vector<Body>& bodies, const Pair& pair, const Vector12& row,
              double* values) {
  const bool ordered = pair.a < pair.b;
  const Vector6 part_a = row.head<6>(), part_b = row.tail<6>();
  if (ordered) values = WritePart(bodies, pair.a, part_a, values);
  values = WritePart(bodies, pair.b, part_b, values);
  if (!ordered) WritePart(bodies, pair.a, part_a, values);
}

JointMotion CalcMotion(const Joint& joint, const std::optional<Coordinate>& coordinate,
                       const std::vector<Body>& bodies, const VectorX& q, const VectorX& v,
                       const VectorX& turns) {
  if (!coordinate) return {};
  ScalarJet jet;
  const auto [A, B] = CalcPlacements(joint.pair, bodies, q);
  CalcMeasure(coordinate->measure, joint.pair.frames, A, B, JetOrder::kGradient, &jet);
  return {CalcCoordinateValue(*coordinate, jet.value, q, turns),
          jet.gradient.dot(CalcSpatialVelocities(joint.pair, bodies, v))};
}

}  // namespace

void MultibodySystem::CalcConstraint(double t, const VectorX& q, VectorX* g) const {
  g->resize(traits_.num_constraints);
  ScalarJet jet;
  for (const Joint& joint : model_->joints) {
    const auto [A, B] = CalcPlacements(joint.pair, model_->bodies, q);
    int r = joint.first_row;
    for (const JointRow& row : joint.rows) {
      CalcMeasure(row.measure, joint.pair.frames, A, B, JetOrder::kValue, &jet);
      const double residual = jet.value + row.shift - row.target.Value(t);  // (1)
      (*g)[r++] = row.measure.is_angle() ? WrapNear(residual, 0) : residual;
    }
  }
}

void MultibodySystem::CalcConstraintJacobian(double, const VectorX& q, SparseRows* G) const {
  PrepareJacobian(model_->jacobian_pattern, G);
  ScalarJet jet;
  for (const Joint& joint : model_->joints) {
    const auto [A, B] = CalcPlacements(joint.pair, model_->bodies, q);
    int r = joint.first_row;
    for (const JointRow& row : joint.rows) {
      CalcMeasure(row.measure, joint.pair.frames, A, B, JetOrder::kGradient, &jet);
      WriteRow(model_->bodies, joint.pair, jet.gradient, G->valuePtr() + G->outerIndexPtr()[r++]);
    }
  }
}

void MultibodySystem::CalcConstraintRate(double t, const VectorX&, VectorX* g_t) const {
  g_t->resize(traits_.num_constraints);
  for (const Joint& joint : model_->joints) {
    int r = joint.first_row;
    for (const JointRow& row : joint.rows) (*g_t)[r++] = -row.target(t).rate;  // (2)
  }
}

void MultibodySystem::CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                                         VectorX* gamma) const {
  gamma->resize(traits_.num_constraints);
  ScalarJet jet;
  for (const Joint& joint : model_->joints) {
    const auto [A, B] = CalcPlacements(joint.pair, model_->bodies, q);
    const Vector12 V = CalcSpatialVelocities(joint.pair, model_->bodies, v);
    int r = joint.first_row;
    for (const JointRow& row : joint.rows) {
      CalcMeasure(row.measure, joint.pair.frames, A, B, JetOrder::kHessian, &jet);
      (*gamma)[r++] = V.dot(jet.hessian * V) - row.target(t).acceleration;  // (2)
    }
  }
}

void MultibodySystem::AddGeometricStiffness(double, const VectorX& q, const VectorX& lambda,
                                            BlockMatrix* K) const {
  AddTangents(q, lambda, nullptr, K, nullptr);
}

bool MultibodySystem::AddConstraintTangents(double, const VectorX& q, const VectorX& v,
                                            const VectorX& lambda, BlockMatrix* K,
                                            SparseRows* C) const {
  PrepareJacobian(model_->jacobian_pattern, C);
  AddTangents(q, lambda, &v, K, C);
  return true;
}

/// K −= Σ λ_i H_i; row i of C becomes (H_iᵀ V)ᵀ, H as in measures/scalar_jet.h.
void MultibodySystem::AddTangents(const VectorX& q, const VectorX& lambda, const VectorX* v,
                                  BlockMatrix* K, SparseRows* C) const {
  Vector12 V = Vector12::Zero(), change;
  for (const Joint& joint : model_->joints) {
    const auto [A, B] = CalcPlacements(joint.pair, model_->bodies, q);
    if (v != nullptr) V = CalcSpatialVelocities(joint.pair, model_->bodies, *v);
    Matrix12 H = Matrix12::Zero();
    int r = joint.first_row;
    for (const JointRow& row : joint.rows) {
      CalcMeasureTangents(row.measure, joint.pair.frames, A, B, lambda[r], V, &H, &change);  // (2)
      if (v != nullptr) {
        WriteRow(model_->bodies, joint.pair, change, C->valuePtr() + C->outerIndexPtr()[r]);
      }
      ++r;
    }
    AddBlocks(joint.pair, model_->bodies, H, K);
  }
}

std::string MultibodySystem::ConstraintName(int row) const {
  return model_->joints[model_->joint_of_row[row]].name;
}

JointMotion MultibodySystem::CalcJointMotion(int joint, const VectorX& q, const VectorX& v) const {
  const Joint& j = model_->joints[joint];
  return CalcMotion(j, j.coordinate, model_->bodies, q, v, turns_);
}

JointMotion MultibodySystem::CalcJointAngle(int joint, const VectorX& q, const VectorX& v) const {
  const Joint& j = model_->joints[joint];
  return CalcMotion(j, j.angle ? j.angle : j.coordinate, model_->bodies, q, v, turns_);
}

JointReaction MultibodySystem::CalcJointReaction(int joint, const VectorX& q,
                                                 const VectorX& lambda) const {
  const Joint& j = model_->joints[joint];
  const auto [A, B] = CalcPlacements(j.pair, model_->bodies, q);
  Vector6 spatial = Vector6::Zero();  // world force, moment about B's origin in B's axes
  ScalarJet jet;
  int r = j.first_row;
  for (const JointRow& row : j.rows) {
    CalcMeasure(row.measure, j.pair.frames, A, B, JetOrder::kGradient, &jet);
    spatial += lambda[r++] * jet.gradient.tail<6>();
  }
  JointReaction reaction;
  reaction.force = spatial.head<3>();
  reaction.torque = B.R * spatial.tail<3>() - (B.R * j.pair.frames.b).cross(reaction.force);
  return reaction;
}

Vector3 MultibodySystem::CalcJointPoint(int joint, const VectorX& q) const {
  const Pair& pair = model_->joints[joint].pair;
  return CalcPlacements(pair, model_->bodies, q).B * pair.frames.b;
}

}  // namespace saltus
