// Exact motions of the impact problems (problems/impact_problems.h), for studies of convergence.
// None of them uses an integrator of the library: flights are closed formulas, modal sums or, for
// the pendulum, a Taylor-accurate integration of one scalar equation; impact times are roots.
#pragma once

#include <functional>
#include <vector>

#include "problems/impact_problems.h"

namespace saltus {

/// The motion between two impacts.
struct Flight {
  double begin = 0;                       // s
  std::function<VectorX(double)> q;       // of the time since `begin`
  double contact_speed = 0, impulse = 0;  // of the impact at `begin`: ġ⁻ [m/s], N s
  int contact = -1;                       // that was hit, −1: none
};

class ExactMotion {
 public:
  explicit ExactMotion(std::vector<Flight> flights) : flights_(std::move(flights)) {}
  VectorX operator()(double t) const;
  const std::vector<Flight>& flights() const { return flights_; }

 private:
  std::vector<Flight> flights_;
};

/// θ of (l²m + J) θ̈ = −m g l cos θ between impacts at θ = −π/4, until `until`; q = (θ).
ExactMotion SolvePendulum(const BouncingPendulumData& data, double until);
/// q = (x, y, θ): parabola and constant rotation; one corner hits at a time.
ExactMotion SolveBlock(const RockingBlockData& data, double until);
/// The bar with its finite mesh: modes of the free bar and of the bar held at node 0, impacts with
/// e = 0, release where the contact force vanishes; q = (displacement of node 0).
ExactMotion SolveBar(const ElasticBarData& data, double until);

}  // namespace saltus
