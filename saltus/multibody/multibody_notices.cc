// What a user should know about a model before running it.
#include <cmath>
#include <map>

#include "saltus/linalg/rank.h"
#include "saltus/multibody/assembly.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

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

}  // namespace

Notices MultibodySystem::MakeNotices() const {
  Notices notices;
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

  VectorX scale(traits_.num_velocities);
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    const int slot = model_->pattern->FindSlot(static_cast<int>(b), static_cast<int>(b));
    const Body& body = model_->bodies[b];
    scale.segment(body.first_velocity, body.num_velocities) = model_->mass.block(slot).diagonal();
  }
  std::map<int, int> redundant;  // joint → number of rows
  for (const int row : FindRedundantRows(G, scale)) ++redundant[model_->joint_of_row[row]];
  for (const auto& [index, count] : redundant) {
    const Joint& joint = model_->joints[index];
    notices.push_back({Severity::kInfo, "joint '" + joint.name + "'",
                       std::to_string(count) + " of its " + std::to_string(joint.rows.size()) +
                           " constraint rows are redundant: other joints hold the same. Motion is "
                           "not affected, but the reactions of the loop are not unique"});
  }
  return notices;
}

}  // namespace saltus
