#include "saltus/dae/half_explicit_stages.h"

#include <utility>

namespace saltus {

HalfExplicitStages::HalfExplicitStages(const RungeKuttaTableau& tableau) : tableau_(tableau) {
  rows_.assign(tableau.a.begin() + 1, tableau.a.end());
  rows_.push_back(tableau.weights);
  const std::size_t s = tableau.nodes.size();
  deltas_.resize(s + 1);
  rates_.resize(s + 1);
  accelerations_.resize(s);
  multipliers_.resize(s);
}

bool HalfExplicitStages::Step(DaeTerms* terms, const DaePoint& start, double h, VectorX* q_new,
                              VectorX* v_new) {
  const std::size_t s = accelerations_.size();
  deltas_[0].setZero(start.v.size());
  rates_[0] = start.v;
  q_[0] = start.q;
  v_ = start.v;
  terms->CalcJacobian(start.t, start.q, &G_[0]);
  for (std::size_t i = 0; i < s; ++i) {
    const std::vector<double>& row = rows_[i];
    const double weight = h * row[i];
    const double t_next = start.t + (i + 1 < s ? tableau_.nodes[i + 1] : 1) * h;
    Combine(h, row, rates_, &deltas_[i + 1]);  // (1)
    terms->Retract(start.q, deltas_[i + 1], &q_[1]);
    terms->CalcJacobian(t_next, q_[1], &G_[1]);
    base_ = start.v;
    for (std::size_t j = 0; j < i; ++j) {
      if (row[j] != 0) base_ += (h * row[j]) * accelerations_[j];
    }
    terms->CalcRate(t_next, q_[1], &r_);
    if (r_.size() > 0) {
      r_.noalias() += G_[1] * base_;
      r_ /= -weight;
    }
    terms->CalcForce(start.t + tableau_.nodes[i] * h, q_[0], v_, &f_);
    if (!terms->Solve(terms->CalcMass(q_[0]), G_[0], G_[1], f_, r_, &accelerations_[i],
                      &multipliers_[i])) {  // (2)
      return false;
    }
    v_ = base_ + weight * accelerations_[i];  // (3)
    terms->CalcChartRate(deltas_[i + 1], v_, &rates_[i + 1]);
    std::swap(q_[0], q_[1]);
    G_[0].swap(G_[1]);
  }
  *q_new = q_[0];
  *v_new = v_;
  return true;
}

}  // namespace saltus
