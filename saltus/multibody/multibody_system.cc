#include "saltus/multibody/multibody_system.h"

#include <algorithm>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/math/so3.h"
#include "saltus/multibody/contact/contact_finder.h"
#include "saltus/multibody/contact/reach.h"

namespace saltus {
namespace {

/// The angles in space among the vectors that a State remembers, so that checkpoints have them.
constexpr char kTurns[] = "system.turns";

SystemTraits MakeTraits(const Model& model) {
  SystemTraits traits;
  traits.num_coordinates = model.num_coordinates;
  traits.num_velocities = model.num_velocities;
  traits.num_constraints = model.num_constraints;
  traits.constant_mass = true;
  for (const Body& body : model.bodies) traits.flat = traits.flat && body.flat();
  traits.has_tangents = !model.gyroscopic_bodies.empty() || !model.springs.empty() ||
                        !model.loads.empty() || !model.actuators.empty();
  traits.has_contact_forces = !CompliantContacts(model).empty();
  traits.has_tangents = traits.has_tangents || traits.has_contact_forces || !model.bonds.empty();
  traits.has_contacts = model.world.num_colliders() > 0 || !model.contact.named.empty() ||
                        !model.limits.empty() || !model.frictions.empty();
  return traits;
}

/// Makes *matrix a matrix on `pattern` without touching the heap if it is one already.
void Prepare(const std::shared_ptr<const BlockPattern>& pattern, BlockMatrix* matrix) {
  if (matrix->shared_pattern() != pattern) *matrix = BlockMatrix(pattern);
}

}  // namespace

MultibodySystem::MultibodySystem(std::shared_ptr<const Model> model)
    : model_(std::move(model)),
      traits_(MakeTraits(*model_)),
      compliant_(*model_),
      world_(model_->world),
      reaches_(CalcReaches(*model_)) {
  poses_.resize(model_->bodies.size());
  reference_poses_.resize(model_->bodies.size());
  BeginStep(MakeInitialState());
  for (const Body& body : model_->bodies) {
    const Matrix6* map = body.kind == BodyKind::kRigid ? nullptr : &body.map;
    contact_bodies_.push_back({{}, body.first_velocity, body.num_velocities, map});
  }
}

void MultibodySystem::AddUserForce(const std::string& body,
                                   std::function<Wrench(double, const BodyMotion&)> function) {
  const int index = model_->FindBody(body);
  if (index < 0) {
    std::vector<std::string> names;
    for (const Body& b : model_->bodies) names.push_back(b.name);
    throw InputError("body '" + body + "'", "there is no such body for a user force",
                     SuggestName(body, names));
  }
  user_forces_.push_back({index, std::move(function)});
  traits_.has_tangents = true;
}

double MultibodySystem::CalcSpeedBound(const VectorX&, const VectorX& v) const {
  const bool angular = !model_->limits.empty();  // limits on angles close at angular speed
  double bound = 0;
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    const Vector6 V = model_->bodies[b].CalcSpatialVelocity(v);
    const double spin = V.tail<3>().norm();
    bound = std::max(bound, V.head<3>().norm() + spin * reaches_[b]);
    if (angular) bound = std::max(bound, spin);
  }
  return bound;
}

std::unique_ptr<System> MultibodySystem::Clone() const {
  auto clone = std::make_unique<MultibodySystem>(model_);
  clone->user_forces_ = user_forces_;
  clone->traits_ = traits_;
  clone->bond_memory_ = bond_memory_;
  clone->turns_ = turns_;
  return clone;
}

State MultibodySystem::MakeInitialState() const {
  State state;
  state.q = model_->initial_q;
  state.v = model_->initial_v;
  state.internal.setOnes(static_cast<Eigen::Index>(model_->bonds.size()));
  if (model_->initial_turns.size() > 0) state.integrator[kTurns] = model_->initial_turns;
  return state;
}

// State::internal has the adhesions of the bonds. The angles in space have no physics of their own.
void MultibodySystem::BeginStep(const State& state) {
  bond_memory_.Load(state);
  const auto turns = state.integrator.find(kTurns);
  const bool known =
      turns != state.integrator.end() && turns->second.size() == model_->initial_turns.size();
  turns_ = known ? turns->second : model_->initial_turns;
}

VectorX MultibodySystem::CalcTurns(const VectorX& q) const {
  VectorX turns(turns_.size());
  ScalarJet jet;
  for (Eigen::Index i = 0; i < turns.size(); ++i) {
    const Model::Turn& turn = model_->turns[static_cast<std::size_t>(i)];
    const auto [A, B] = CalcPlacements(turn.pair, model_->bodies, q);
    CalcMeasure(turn.coordinate.measure, turn.pair.frames, A, B, JetOrder::kValue, &jet);
    turns[i] = CalcCoordinateValue(turn.coordinate, jet.value, q, turns_);
  }
  return turns;
}

void MultibodySystem::Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const {
  if (q_new != &q) q_new->resize(q.size());
  for (const Body& body : model_->bodies) body.Retract(q, delta, q_new);
}

void MultibodySystem::CalcRetractTangent(const VectorX& delta, BlockMatrix* T) const {
  const BlockPattern& pattern = T->pattern();
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const Body& body = model_->bodies[b];
    auto T_bb = T->block(pattern.FindSlot(b, b));
    T_bb.setIdentity();
    if (body.flat()) continue;
    T_bb.bottomRightCorner<3, 3>() = TangentSO3(delta.segment<3>(body.first_velocity + 3));
  }
}

void MultibodySystem::CalcDifference(const VectorX& q, const VectorX& q_other,
                                     VectorX* delta) const {
  delta->resize(traits_.num_velocities);
  for (const Body& body : model_->bodies) body.CalcDifference(q, q_other, delta);
}

void MultibodySystem::CalcMass(const VectorX&, BlockMatrix* M) const {
  Prepare(model_->pattern, M);
  M->values() = model_->mass.values();
}

void MultibodySystem::CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const {
  *f = model_->gravity_force;
  for (const int b : model_->gyroscopic_bodies) {
    const Body& body = model_->bodies[b];
    const int i = body.first_velocity + 3;
    const Vector3 omega = v.segment<3>(i);
    f->segment<3>(i) -= omega.cross(body.inertia * omega);
  }
  AddSpringForces(model_->springs, model_->bodies, q, v, turns_, false, f);
  AddLoads(model_->loads, model_->bodies, t, q, f);
  AddActuators(model_->actuators, model_->bodies, t, q, f);
  AddUserForces(user_forces_, model_->bodies, t, q, v, f);
  compliant_.AddForces(q, v, false, f);
  AddBondForces(model_->bonds, bond_memory_, model_->bodies, t, q, f);
}

void MultibodySystem::CalcContactForce(double, const VectorX& q, const VectorX& v,
                                       VectorX* f) const {
  f->setZero(traits_.num_velocities);
  compliant_.AddForces(q, v, true, f);
}

void MultibodySystem::CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                               VectorX* f) const {
  CalcContactForce(t, q, v, f);
  AddUserForces(user_forces_, model_->bodies, t, q, v, f);
  AddSpringForces(model_->springs, model_->bodies, q, v, turns_, true, f);
  AddLoads(model_->loads, model_->bodies, t, q, f);
  AddActuators(model_->actuators, model_->bodies, t, q, f);
}

void MultibodySystem::CalcTurnImpulse(double h, const VectorX& delta, const VectorX& v0,
                                      const VectorX& v1, VectorX* tau) const {
  tau->setZero(traits_.num_velocities);
  for (const Body& body : model_->bodies) {
    if (body.flat()) continue;
    const int i = body.first_velocity + 3;
    const Vector3 a = 0.5 * delta.segment<3>(i);
    if (a.isZero(0)) continue;
    const Vector3 omega0 = v0.segment<3>(i), omega1 = v1.segment<3>(i);
    const Vector3 L0 = body.inertia * omega0, L1 = body.inertia * omega1;
    const Quaternion half = ExpQuaternion(a);
    tau->segment<3>(i) = L1 - L0 - (half * L1 - half.conjugate() * L0);
    if (body.gyroscopic) {
      tau->segment<3>(i) += 0.5 * h * (omega0.cross(L0) + omega1.cross(L1));
    }
  }
}

void MultibodySystem::CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind,
                                   BlockMatrix* K, BlockMatrix* D) const {
  Prepare(model_->pattern, K);
  Prepare(model_->pattern, D);
  K->SetZero();
  D->SetZero();
  AddSpringTangents(model_->springs, model_->bodies, q, v, turns_, kind, K, D);
  compliant_.AddTangents(q, v, kind, K, D);
  AddBondTangents(model_->bonds, bond_memory_, model_->bodies, t, q, kind, K);
  if (kind != TangentKind::kExact) return;
  AddUserForceTangents(user_forces_, model_->bodies, t, q, v, K, D);
  AddLoadTangents(model_->loads, model_->bodies, t, q, K);
  AddActuatorTangents(model_->actuators, model_->bodies, t, q, K);
  for (const int b : model_->gyroscopic_bodies) {
    // D = −∂(−ω × Jω)/∂ω = ω̃ J − (Jω)~
    const Body& body = model_->bodies[b];
    const Vector3 omega = v.segment<3>(body.first_velocity + 3);
    D->block(model_->pattern->FindSlot(b, b)).bottomRightCorner<3, 3>() +=
        Hat(omega) * body.inertia - Hat(body.inertia * omega);
  }
}

double MultibodySystem::EndStep(State* state) {
  double used = 0;
  if (!model_->bonds.empty()) {
    used = UpdateBonds(model_->bonds, model_->bodies, state, &bond_memory_);
  }
  if (turns_.size() > 0) {
    turns_ = CalcTurns(state->q);
    state->integrator[kTurns] = turns_;
  }
  return used;
}

std::vector<BondReport> MultibodySystem::ListBonds(const State& state) const {
  BondMemory memory;
  memory.Load(state);
  return MakeBondReports(model_->bonds, memory, model_->bodies, state.q);
}

Energy MultibodySystem::CalcEnergy(double t, const VectorX& q, const VectorX& v) const {
  Energy energy;
  for (const Body& body : model_->bodies) {
    const Vector6 V = body.CalcSpatialVelocity(v);
    const Vector3 omega = V.tail<3>();
    energy.kinetic +=
        0.5 * (body.mass * V.head<3>().squaredNorm() + omega.dot(body.inertia * omega));
    energy.potential -= body.mass * model_->gravity.dot(body.CalcPose(q).p);
  }
  energy.elastic = CalcSpringEnergy(model_->springs, model_->bodies, q, turns_) +
                   compliant_.CalcEnergy(q) +
                   CalcBondEnergy(model_->bonds, bond_memory_, model_->bodies, t, q);
  return energy;
}

std::vector<MultibodySystem::ContactForce> MultibodySystem::ListContactForces(
    const VectorX& q, const VectorX& v) const {
  std::vector<ContactForce> list;
  if (compliant_.empty()) return list;
  for (const CompliantPoint& point : compliant_.Find(q, v)) {
    const Matrix3 frame = model_->plane ? MakePlanarContactFrame(point.n, model_->plane_normal)
                                        : MakeContactFrame(point.n);
    list.push_back({point.key, point.gap, point.x, frame, frame.transpose() * point.F.value});
  }
  return list;
}

BodyMotion MultibodySystem::CalcBodyMotion(int body, const VectorX& q, const VectorX& v) const {
  return CalcMotion(model_->bodies[body], q, v);
}

}  // namespace saltus
