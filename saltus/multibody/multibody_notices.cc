// What a user should know about a model before running it.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "saltus/linalg/rank.h"
#include "saltus/multibody/assembly.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

/// The rank-revealing elimination is cubic in the rows: a second or so at this number.
constexpr int kMaxRankRows = 1500;

/// Largest entry per joint, told where it exceeds `tolerance`.
void AddInitialResiduals(const Model& model, const VectorX& residual, double tolerance,
                         const std::string& what, const std::string& remedy, Notices* notices) {
  for (const Joint& joint : model.joints) {
    if (joint.rows.empty()) continue;
    const double largest = residual.segment(joint.first_row, static_cast<int>(joint.rows.size()))
                               .lpNorm<Eigen::Infinity>();
    if (!(largest > tolerance)) continue;
    notices->push_back({Severity::kWarning, "joint '" + joint.name + "'",
                        what + " by " + FormatNumber(largest) + "; " + remedy});
  }
}

/// Whether the joints close a loop (through the ground or not). Rows of an open tree of joints are
/// independent: each joint holds a body that no earlier one has moved.
bool HasLoops(const Model& model) {
  std::vector<int> parent(model.bodies.size() + 1);  // the last one is the ground
  std::iota(parent.begin(), parent.end(), 0);
  const auto find_root = [&parent](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const int ground = static_cast<int>(model.bodies.size());
  for (const Joint& joint : model.joints) {
    if (joint.rows.empty()) continue;
    const int a = find_root(joint.pair.a == kGround ? ground : joint.pair.a);
    const int b = find_root(joint.pair.b == kGround ? ground : joint.pair.b);
    if (a == b) return true;
    parent[a] = b;
  }
  return false;
}

/// Names the joints whose rows depend on rows of joints before them.
void AddRedundancies(const Model& model, const SparseRows& G, Notices* notices) {
  VectorX scale(model.num_velocities);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int slot = model.pattern->FindSlot(static_cast<int>(b), static_cast<int>(b));
    const Body& body = model.bodies[b];
    scale.segment(body.first_velocity, body.num_velocities) = model.mass.block(slot).diagonal();
  }
  std::map<int, int> redundant;  // joint → number of rows
  for (const int row : FindRedundantRows(G, scale)) ++redundant[model.joint_of_row[row]];
  for (const auto& [index, count] : redundant) {
    const Joint& joint = model.joints[index];
    notices->push_back(
        {Severity::kInfo, "joint '" + joint.name + "'",
         std::to_string(count) + " of its " + std::to_string(joint.rows.size()) +
             " constraint rows are redundant (other joints hold the same); motion is not "
             "affected, but the reactions of the loop are not unique"});
  }
}

/// Bodies with shapes that a joint keeps from touching the shapes of the ground.
void AddSilentGround(const Model& model, Notices* notices) {
  const auto& owners = model.contact.collider_body;
  const auto has_shapes = [&owners](int body) {
    return std::find(owners.begin(), owners.end(), body) != owners.end();
  };
  if (!has_shapes(kGround)) return;
  for (const Joint& joint : model.joints) {
    const bool with_ground = joint.pair.a == kGround || joint.pair.b == kGround;
    const int body = joint.pair.a == kGround ? joint.pair.b : joint.pair.a;
    if (!with_ground || joint.collide || !has_shapes(body)) continue;
    notices->push_back({Severity::kInfo, "joint '" + joint.name + "'",
                        "it keeps body '" + model.body_name(body) +
                            "' from touching the shapes of the ground; collide: true lets it"});
  }
}

bool HasAssociatedFriction(const ContactTables& tables) {
  const auto is_associated = [](const ContactLaw& law) {
    return law.friction > 0 && law.friction_law == FrictionLaw::kAssociated;
  };
  return std::any_of(tables.laws.begin(), tables.laws.end(), is_associated) ||
         std::any_of(tables.named.begin(), tables.named.end(),
                     [&](const NamedContact& contact) { return is_associated(contact.law); });
}

}  // namespace

Notices MultibodySystem::MakeNotices() const {
  Notices notices;
  if (HasAssociatedFriction(model_->contact)) {
    notices.push_back({Severity::kInfo, "friction_law",
                       "associated friction relaxes Coulomb's law: contacts that slide also open"});
  }
  AddSilentGround(*model_, &notices);
  if (traits_.num_constraints == 0) return notices;
  const VectorX& q = model_->initial_q;
  const VectorX& v = model_->initial_v;
  VectorX g, rate;
  SparseRows G;
  CalcConstraint(0, q, &g);
  CalcConstraintRate(0, q, &rate);
  CalcConstraintJacobian(0, q, &G);
  rate += G * v;
  // Rounding of data given with nine digits stays silent.
  const double length = 1 + q.lpNorm<Eigen::Infinity>();
  const double speed = 1 + v.lpNorm<Eigen::Infinity>();
  AddInitialResiduals(*model_, g, 1e-9 * length, "the initial configuration opens it",
                      "the run starts from there and closes it at once", &notices);
  AddInitialResiduals(*model_, rate, 1e-9 * speed, "the initial velocity violates it",
                      "the first step corrects this like an impact", &notices);

  if (!HasLoops(*model_)) return notices;
  if (traits_.num_constraints <= kMaxRankRows) {
    AddRedundancies(*model_, G, &notices);
  } else {
    notices.push_back({Severity::kInfo, "joints",
                       "they close loops; with " + std::to_string(traits_.num_constraints) +
                           " constraint rows the search for redundant ones was skipped"});
  }
  return notices;
}

}  // namespace saltus
