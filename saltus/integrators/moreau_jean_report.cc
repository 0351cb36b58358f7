// Moreau–Jean: what a step reports of its contacts and of the energy.
#include <algorithm>
#include <cmath>

#include "saltus/integrators/moreau_jean_stepper.h"

namespace saltus {

void MoreauJean::Stepper::ReportContacts() {
  if (impact_.exists) laws_.r() += impact_.r;
  const bool has_end =
      options_.projection || options_.contact_rows != MoreauJeanOptions::Rows::kStart;
  if (!has_end) contacts_.MoveEndTo(equations_.system(), equations_.t(), equations_.q());
  for (int i = 0; i < contacts_.size(); ++i) {
    const Contact& start = contacts_.start().contacts[i];
    const Contact& end = contacts_.end().contacts[i];
    const StepContacts::Role& role = contacts_.roles()[i];
    const int o = laws_.rows().offset(i), d = laws_.rows().cone(i).dimension;
    ContactResult result;
    result.key = start.key;
    result.dimension = start.dimension;
    result.gap = end.gap;
    result.point = end.point;
    result.frame = end.frame;
    Vector3 spin;
    SplitRows(start, laws_.r().segment(o, d), d, &result.impulse, &result.moment);
    SplitRows(start, laws_.u().segment(o, d), d, &result.velocity, &spin);
    const bool fast = -role.approach[0] > role.unresolved;
    result.impact = laws_.r()[o] > 0 && fast && !WasLoaded(start.key);
    if (result.impact) ++report_.impacts;
    result.sticks = laws_.sticks(i);
    if (result.sticks && !role.impact) {
      const ContactSet& set = contacts_.start();
      Vector3 moved = CalcContactVelocity(set, start, equations_.delta());
      moved -= start.bias;  // a displacement: no drift of surfaces
      result.creep = moved.segment(1, start.dimension - 1).norm();
    }
    report_.max_complementarity = std::max(
        report_.max_complementarity, std::abs(laws_.r()[o] * (laws_.u()[o] + laws_.shift()[o])));
    report_.contacts.push_back(result);
  }
}

void MoreauJean::Stepper::ReportWork() {
  System& system = equations_.system();
  const State& start = equations_.start();
  StepWork& work = report_.work;
  v_new_ = 0.5 * (start.v + v_);
  const ContactProblem& rows = laws_.force_rows();
  GrowingVector& u = lists_.u;
  rows.CalcVelocity(v_new_, &u);
  for (int i = 0; i < rows.num_blocks(); ++i) {
    const int o = rows.offset(i), d = rows.cone(i).dimension;
    const double total = laws_.r().segment(o, d).dot(u.segment(o, d));
    if (i >= rows.num_contacts()) {
      work.joint_friction_loss -= total;
      continue;
    }
    const double normal = laws_.r()[o] * u[o];
    work.friction_loss -= total - normal;
    if (contacts_.roles()[i].impact) {
      work.impact_loss -= normal;
    } else {
      work.lasting += normal;
    }
  }
  CalcLoadWork(system, start, equations_.h(), equations_.theta(), equations_.q(), v_, &scratch_,
               &work);
  // Of an impact everything else that joints and turning rows pass on belongs to its loss.
  double passed_on = 0;
  if (impact_.exists)
    passed_on = v_new_.dot(impact_.momentum) - impact_.r.dot(u.head(impact_.r.size()));
  if (equations_.has_joints()) {
    scratch_ = equations_.G_theta() * v_new_;
    system.CalcConstraintRate(start.time, start.q, &rate_start_);  // a drive may end in the step
    for (Eigen::Index i = 0; i < scratch_.size(); ++i) {
      if (equations_.g_t()[i] == 0 && rate_start_[i] == 0) continue;
      work.drives += lambda_[i] * scratch_[i];
      if (!impact_.exists) continue;
      work.drives += impact_.lambda[i] * scratch_[i];
      passed_on -= impact_.lambda[i] * scratch_[i];
    }
  }
  work.impact_loss -= passed_on;
  if (x_.isZero(0)) return;
  scratch_ = equations_.delta() - x_;
  system.Retract(start.q, scratch_, &q_free_);
  const double t = equations_.t();
  const double by_position =
      system.CalcEnergy(t, equations_.q(), v_).total() - system.CalcEnergy(t, q_free_, v_).total();
  if (contacts_.has_impact()) {
    work.impact_loss -= by_position;
  } else if (contacts_.size() > 0) {
    work.lasting += by_position;
  } else {
    work.projection += by_position;
  }
}

}  // namespace saltus
