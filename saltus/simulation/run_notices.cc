#include "saltus/simulation/run_notices.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <utility>

#include "saltus/linalg/rank.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/conflict.h"

namespace saltus {
namespace {

/// Of the size of the model: data given with six digits overlap by rounding.
constexpr double kStartRounding = 1e-6;
constexpr int kMaxRankRows = 1500;  // the search is cubic in the rows
constexpr int kMaxSearched = 60;    // velocities: drives are tried against contacts within 10 ms
constexpr double kStepsPerPeriod = 4;
constexpr int kDriveSamples = 500;
constexpr std::size_t kShown = 4;

std::string FormatShort(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

VectorX CalcMassDiagonal(const System& system, const VectorX& q) {
  BlockMatrix mass(system.pattern());
  system.CalcMass(q, &mass);
  VectorX diagonal(system.traits().num_velocities);
  const BlockPattern& pattern = mass.pattern();
  Eigen::Index at = 0;
  for (int b = 0; b < pattern.num_blocks(); ++b) {
    const auto block = mass.block(pattern.FindSlot(b, b));
    diagonal.segment(at, block.rows()) = block.diagonal();
    at += block.rows();
  }
  return diagonal;
}

/// The smallest width of the shapes of each body, m; 0 if it has none.
std::vector<double> CalcBodyWidths(const Model& model) {
  std::vector<double> widths(model.bodies.size(), 0.0);
  for (int c = 0; c < model.world.num_colliders(); ++c) {
    const int body = model.contact.collider_body[c];
    if (body == kGround) continue;
    const double width = CalcWidth(model.world.collider(c).shape);
    double& smallest = widths[static_cast<std::size_t>(body)];
    smallest = smallest == 0 ? width : std::min(smallest, width);
  }
  return widths;
}

void AddFastBodies(const MultibodySystem& system, const State& s, double step, Notices* notices) {
  const std::vector<double> widths = CalcBodyWidths(system.model());
  for (std::size_t b = 0; b < widths.size(); ++b) {
    if (widths[b] == 0) continue;
    const double speed = system.CalcBodyMotion(static_cast<int>(b), s.q, s.v).velocity.norm();
    if (speed * step <= widths[b]) continue;
    notices->push_back({Severity::kWarning, "body '" + system.model().bodies[b].name + "'",
                        "moves " + FormatLength(speed * step) + " a step, more than its size of " +
                            FormatLength(widths[b]) +
                            "; impacts are exact to a step: take one below " +
                            FormatShort(widths[b] / speed) + " s"});
  }
}

/// Period 2π √(m/k) of each spring with the mass m = 1/(∇φ M⁻¹ ∇φᵀ) that it moves.
void AddStiffSprings(const MultibodySystem& system, const State& s, double step, Notices* notices) {
  const Model& model = system.model();
  const VectorX mass = CalcMassDiagonal(system, s.q);
  std::map<std::string, double> shortest;  // by name: a bushing has six elements
  ScalarJet jet;
  for (const SpringElement& spring : model.springs) {
    if (spring.stiffness == 0) continue;
    const auto [A, B] = CalcPlacements(spring.pair, model.bodies, s.q);
    CalcMeasure(spring.coordinate.measure, spring.pair.frames, A, B, JetOrder::kGradient, &jet);
    VectorX row = VectorX::Zero(mass.size());
    AddRow(spring.pair, model.bodies, jet.gradient, 1, &row);
    const double compliance = row.cwiseQuotient(mass).dot(row);
    if (compliance == 0) continue;
    const double period = 2 * std::numbers::pi / std::sqrt(spring.stiffness * compliance);
    if (period >= kStepsPerPeriod * step) continue;
    const auto [entry, is_new] = shortest.try_emplace(spring.name, period);
    if (!is_new) entry->second = std::min(entry->second, period);
  }
  for (const auto& [name, period] : shortest) {
    notices->push_back({Severity::kWarning, "force '" + name + "'",
                        "its period of " + FormatShort(period) +
                            " s is below four steps: its force, and friction beside it, are not "
                            "resolved; take a step below " +
                            FormatShort(period / kStepsPerPeriod) + " s or a softer spring"});
  }
}

/// A drive that leaves the limits of its own joint during the run.
void AddDrivesBeyondLimits(const Model& model, double until, Notices* notices) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (std::size_t r = static_cast<std::size_t>(joint.num_holding_rows); r < joint.rows.size();
         ++r) {
      const JointRow& row = joint.rows[r];
      for (const JointLimit& limit : model.limits) {
        if (limit.joint != static_cast<int>(j) || limit.angular != row.measure.is_angle()) continue;
        for (int k = 0; k <= kDriveSamples; ++k) {
          const double t = until * k / kDriveSamples;
          const double value = row.target.Value(t);
          if (limit.sign * (value - limit.bound) >= -1e-9 * (1 + std::abs(limit.bound))) continue;
          notices->push_back({Severity::kWarning, "joint '" + joint.name + "'",
                              "its drive passes its limit " + FormatShort(limit.bound) +
                                  " by t = " + FormatShort(t) + " s: the run will stop there"});
          break;
        }
      }
    }
  }
}

}  // namespace

std::vector<StartOverlap> FindStartOverlaps(System& system) {
  std::vector<StartOverlap> overlaps;
  if (!system.traits().has_contacts) return overlaps;
  const State start = system.MakeInitialState();
  ContactSet contacts;
  system.FindContacts(start.time, start.q, 0, &contacts);
  const double size = CalcScale(system, start).size;
  std::map<std::string, double> deepest;
  for (const Contact& contact : contacts.contacts) {
    if (-contact.gap <= kStartRounding * size) continue;
    double& depth = deepest[system.ContactName(contact.key)];
    depth = std::max(depth, -contact.gap);
  }
  for (const auto& [name, depth] : deepest) overlaps.push_back({name, depth});
  std::stable_sort(overlaps.begin(), overlaps.end(),
                   [](const auto& a, const auto& b) { return a.depth > b.depth; });
  return overlaps;
}

std::string DescribeOverlaps(const std::vector<StartOverlap>& overlaps) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, overlaps.size()); ++i) {
    text += (i == 0 ? "" : ", ") + overlaps[i].contact + " by " + FormatLength(overlaps[i].depth);
  }
  if (overlaps.size() <= kShown) return text;
  return text + " and " + std::to_string(overlaps.size() - kShown) + " more";
}

int CountMobility(const System& system) {
  const SystemTraits& traits = system.traits();
  if (traits.num_constraints > kMaxRankRows) return -1;
  if (traits.num_constraints == 0) return traits.num_velocities;
  const State start = system.MakeInitialState();
  SparseRows G;
  system.CalcConstraintJacobian(start.time, start.q, &G);
  const auto redundant = FindRedundantRows(G, CalcMassDiagonal(system, start.q)).size();
  return traits.num_velocities - traits.num_constraints + static_cast<int>(redundant);
}

std::vector<std::string> FindHyperstaticContacts(System& system, const State& state) {
  std::vector<std::string> names;
  const SystemTraits& traits = system.traits();
  if (!traits.has_contacts) return names;
  ContactSet contacts;
  const double closed = kStartRounding * CalcScale(system, state).size;
  system.FindContacts(state.time, state.q, closed, &contacts);
  std::erase_if(contacts.contacts, [closed](const Contact& c) { return c.gap > closed; });
  const auto num_contacts = static_cast<Eigen::Index>(contacts.contacts.size());
  if (num_contacts < 2 || traits.num_constraints + num_contacts > kMaxRankRows) return names;
  MatrixX rows = MatrixX::Zero(traits.num_constraints + num_contacts, traits.num_velocities);
  if (traits.num_constraints > 0) {
    SparseRows G;
    system.CalcConstraintJacobian(state.time, state.q, &G);
    rows.topRows(traits.num_constraints) = G;
  }
  for (Eigen::Index i = 0; i < num_contacts; ++i) {
    const Contact& c = contacts.contacts[static_cast<std::size_t>(i)];
    for (int k = c.first_block; k < c.first_block + c.num_blocks; ++k) {
      const RowBlock& block = contacts.blocks[static_cast<std::size_t>(k)];
      rows.row(traits.num_constraints + i).segment(block.dof, block.columns) +=
          contacts.rows(block, c.rows()).row(0);
    }
  }
  for (const int row : FindRedundantRows(rows, CalcMassDiagonal(system, state.q), 1e-6)) {
    if (row < traits.num_constraints) continue;
    const Contact& c = contacts.contacts[static_cast<std::size_t>(row - traits.num_constraints)];
    const std::string name = system.ContactName(c.key);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Notices MakeRunNotices(Simulation& simulation) {
  System& system = simulation.system();
  const auto* multibody = dynamic_cast<const MultibodySystem*>(&system);
  if (multibody == nullptr) return system.MakeNotices();  // it may be slow to ask for more
  const SimulationOptions& options = simulation.options();
  const State start = system.MakeInitialState();
  Notices notices;
  const std::vector<StartOverlap> overlaps = FindStartOverlaps(system);
  if (!overlaps.empty()) {
    notices.push_back({Severity::kWarning, "start",
                       "bodies overlap: " + DescribeOverlaps(overlaps) +
                           "; they are pushed apart in the first step, and the verdict will say so "
                           "(start_overlap: refuse stops such a scene)"});
  }
  AddFastBodies(*multibody, start, options.step, &notices);
  AddStiffSprings(*multibody, start, options.step, &notices);
  AddDrivesBeyondLimits(multibody->model(), options.until, &notices);
  const bool small = system.traits().num_velocities <= kMaxSearched;
  const Conflict conflict = small ? FindConflict(system, start, 1e-9) : Conflict{};
  if (!conflict.empty()) {
    notices.push_back({Severity::kWarning, "drives",
                       DescribeConflict(conflict) + " from the start: the run will stop"});
  }
  for (Notice& notice : system.MakeNotices()) notices.push_back(std::move(notice));
  return notices;
}

}  // namespace saltus
