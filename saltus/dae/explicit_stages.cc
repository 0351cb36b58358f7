#include "saltus/dae/explicit_stages.h"

namespace saltus {

void Combine(double scale, std::span<const double> w, const std::vector<VectorX>& k, VectorX* sum) {
  sum->setZero(k[0].size());
  for (std::size_t j = 0; j < w.size(); ++j) {
    if (w[j] != 0) *sum += (scale * w[j]) * k[j];
  }
}

ExplicitStages::ExplicitStages(const RungeKuttaTableau& tableau)
    : tableau_(tableau), rates_(tableau.nodes.size()), accelerations_(tableau.nodes.size()) {}

bool ExplicitStages::Step(DaeTerms* terms, const DaePoint& start, double h, const VectorX* first,
                          VectorX* q_new, VectorX* v_new) {
  rates_[0] = start.v;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    if (i == 0) {
      if (first != nullptr) {
        accelerations_[0] = *first;
      } else if (!terms->CalcAcceleration(start.t, start.q, start.v, &accelerations_[0],
                                          &lambda_)) {
        return false;
      }
      continue;
    }
    Combine(h, tableau_.a[i], rates_, &delta_);  // (1)
    Combine(h, tableau_.a[i], accelerations_, &v_);
    v_ += start.v;
    terms->Retract(start.q, delta_, &q_);
    terms->CalcChartRate(delta_, v_, &rates_[i]);  // (2)
    const double t = start.t + tableau_.nodes[i] * h;
    if (!terms->CalcAcceleration(t, q_, v_, &accelerations_[i], &lambda_)) return false;
  }
  Combine(h, tableau_.weights, rates_, &delta_);  // (3)
  Combine(h, tableau_.weights, accelerations_, v_new);
  *v_new += start.v;
  terms->Retract(start.q, delta_, q_new);
  return true;
}

}  // namespace saltus
