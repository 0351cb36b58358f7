#include "saltus/integrators/row_rates.h"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

/// The largest entry of εδ, in m and rad.
constexpr double kDistance = 1e-7;
/// Rows that change by more than this over so short a way belong to other features.
constexpr double kJump = 1e-3;

}  // namespace

void RowRates::Calc(System& system, double t, const VectorX& q, const VectorX& delta,
                    const BlockMatrix& M, const SparseRows& G, const ContactSet& contacts) {
  const double size = delta.lpNorm<Eigen::Infinity>();
  const double epsilon = size > kDistance ? kDistance / size : 1;
  step_ = epsilon * delta;
  system.Retract(q, step_, &q_moved_);
  const SystemTraits& traits = system.traits();
  if (!traits.constant_mass) {
    if (M_.shared_pattern() != system.pattern()) M_ = BlockMatrix(system.pattern());
    system.CalcMass(q_moved_, &M_);
    M_.values() = (M_.values() - M.values()) / epsilon;
  }
  if (traits.num_constraints > 0) {
    G_ = G;
    system.CalcConstraintJacobian(t, q_moved_, &G_);
    G_.coeffs() = (G_.coeffs() - G.coeffs()) / epsilon;
  }
  moved_.Clear();
  if (!contacts.contacts.empty() || !contacts.frictions.empty()) {
    system.UpdateContacts(t, q_moved_, q, contacts, &moved_);
  }
  CalcContacts(epsilon, contacts);
}

void RowRates::CalcContacts(double epsilon, const ContactSet& contacts) {
  rates_ = contacts;
  std::fill(rates_.values.begin(), rates_.values.end(), 0.0);
  for (Contact& c : rates_.contacts) c.bias.setZero();
  for (DryFriction& f : rates_.frictions) f.bias.setZero();
  // Writes the rates of the rows of one contact or friction; false if they jump.
  const auto subtract = [&](const auto& now, const auto& moved, int rows) {
    if (now.num_blocks != moved.num_blocks) return false;
    for (const bool check : {true, false}) {
      for (int k = 0; k < now.num_blocks; ++k) {
        const RowBlock& a = contacts.blocks[now.first_block + k];
        const RowBlock& b = moved_.blocks[moved.first_block + k];
        if (a.dof != b.dof || a.columns != b.columns) return false;
        for (int i = 0; i < rows * a.columns; ++i) {
          const double change = moved_.values[b.values + i] - contacts.values[a.values + i];
          if (check && !(std::abs(change) <= kJump)) return false;
          if (!check) rates_.values[a.values + i] = change / epsilon;
        }
      }
    }
    return true;
  };
  if (moved_.contacts.size() != contacts.contacts.size()) return;
  for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
    const Contact& now = contacts.contacts[i];
    const Contact& moved = moved_.contacts[i];
    if (moved.lost || moved.rows() != now.rows()) continue;
    if (subtract(now, moved, now.rows())) {
      rates_.contacts[i].bias = (moved.bias - now.bias) / epsilon;
    }
  }
  if (moved_.frictions.size() != contacts.frictions.size()) return;
  for (std::size_t i = 0; i < contacts.frictions.size(); ++i) {
    const DryFriction& now = contacts.frictions[i];
    if (subtract(now, moved_.frictions[i], now.dimension)) {
      rates_.frictions[i].bias = (moved_.frictions[i].bias - now.bias) / epsilon;
    }
  }
}

}  // namespace saltus
