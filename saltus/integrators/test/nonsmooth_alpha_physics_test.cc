// Nonsmooth generalized-α against converged physics (rows PHYS of the reference tables,
// event-driven to 1e-9): impact times, speeds, impulses and energies at order 1, and property P1.
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/integrators/test/run_problem.h"

namespace saltus {
namespace {

struct Impact {
  double t = 0, approach = 0, impulse = 0, energy = 0;  // end of the step; ġ⁻; N s; J after it
  int contact = 0;
};

/// All impacts until `until`.
std::vector<Impact> FindImpacts(const Equations& equations, double h, double until) {
  EquationSystem system(equations);
  NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
  std::vector<Impact> impacts;
  VectorX v_before = system.equations().v0, q_before = system.equations().q0;
  const int steps = static_cast<int>(std::lround(until / h));
  RunProblem(&system, &integrator, h, steps, [&](int n, const StepReport& report, const State& s) {
    for (const ContactResult& c : report.contacts) {
      if (!c.impact) continue;
      const int i = static_cast<int>(c.key.pair);
      std::array<double, 32> row{};
      system.equations().contacts[i].gap(q_before, row.data());
      double approach = 0;
      for (Eigen::Index j = 0; j < v_before.size(); ++j) approach += row[j] * v_before[j];
      impacts.push_back({n * h, approach, c.impulse[0], EnergyOf(system, s), i});
    }
    v_before = s.v;
    q_before = s.q;
  });
  return impacts;
}

/// |a − b| ≤ C h for both steps: what order 1 means where errors scatter with the place of the
/// impact inside its step.
void ExpectOrderOne(double found, double exact, double h, double C, const char* what, int row) {
  EXPECT_LE(std::abs(found - exact), C * h) << what << " of impact " << row << ", h = " << h;
}

// Table (b). An impact is late by up to a step, and the speed lost there makes the next flights
// shorter: times of later impacts err by up to 16 steps.
TEST(NonsmoothAlphaPhysics, PendulumImpacts) {
  const double times[] = {0.4861104433, 1.2812252569, 1.9513403119,
                          2.5171373484, 2.9912770470, 3.3846149348};
  const double rates[] = {-4.190738330, -3.352590664, -2.682072531};
  const double energies[] = {-0.889142524, -3.114635627, -4.538951214};
  for (const double h : {1e-3, 1e-4}) {
    const std::vector<Impact> impacts = FindImpacts(MakeBouncingPendulum({}), h, 3.5);
    ASSERT_EQ(impacts.size(), 6u);
    for (int i = 0; i < 6; ++i) {
      ExpectOrderOne(impacts[i].t, times[i], h, 20, "time", i);
      if (i >= 3) continue;
      // ġ = −sin(θ) θ̇ at θ = −π/4.
      ExpectOrderOne(impacts[i].approach, std::sqrt(0.5) * rates[i], h, 20, "speed", i);
      ExpectOrderOne(impacts[i].energy, energies[i], h, 60, "energy", i);
    }
  }
}

// Table (d): corners are numbered from 0 here.
TEST(NonsmoothAlphaPhysics, RockingBlockImpacts) {
  const Impact table[] = {{0.1837514838, -1.80260206, 1.89160321, 8.95754804, 1},
                          {0.2962968644, -2.08174766, 1.79410206, 8.02383110, 0},
                          {0.4726932339, -1.22820675, 1.00812157, 7.71428567, 1},
                          {0.5185765810, -0.96528171, 0.77387483, 7.52753386, 0},
                          {0.6146458470, -0.66696194, 0.52116915, 7.44063387, 1},
                          {0.6175555293, -0.44381555, 0.34664046, 7.40217276, 0}};
  for (const double h : {1e-4, 1e-5}) {
    const std::vector<Impact> impacts = FindImpacts(MakeRockingBlock({}), h, 0.62);
    ASSERT_GE(impacts.size(), 6u);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(impacts[i].contact, table[i].contact);
      ExpectOrderOne(impacts[i].t, table[i].t, h, 12, "time", i);
      ExpectOrderOne(impacts[i].approach, table[i].approach, h, 120, "speed", i);
      ExpectOrderOne(impacts[i].impulse, table[i].impulse, h, 120, "impulse", i);
      ExpectOrderOne(impacts[i].energy, table[i].energy, h, 60, "energy", i);
    }
  }
}

// The second impact speed already depends on the phase of the spring (45 rad/s).
TEST(NonsmoothAlphaPhysics, TwoBallOscillatorImpactsAndStates) {
  const Impact table[] = {{0.4472135955, -4.47213595, 0, 26.4, 0},
                          {0.5061252055, -4.55496600, 0, 22.66541125, 0},
                          {1.1064140506, -4.95661556, 0, 18.24316444, 0},
                          {1.4338275639, 0, 0, 16.40384022, 0},
                          {1.4820652749, 0, 0, 15.81233485, 0}};
  for (const double h : {1e-4, 1e-5}) {
    const std::vector<Impact> impacts = FindImpacts(MakeTwoBallOscillator({}), h, 1.5);
    ASSERT_GE(impacts.size(), 5u);
    for (int i = 0; i < 5; ++i) {
      ExpectOrderOne(impacts[i].t, table[i].t, h, 60, "time", i);
      if (table[i].approach != 0) {
        ExpectOrderOne(impacts[i].approach, table[i].approach, h, 1500, "speed", i);
      }
      ExpectOrderOne(impacts[i].energy, table[i].energy, h, 4000, "energy", i);
    }
    EquationSystem system(MakeTwoBallOscillator({}));
    NonsmoothAlpha integrator{NonsmoothAlphaOptions{}};
    const int per_tenth = static_cast<int>(std::lround(0.1 / h));
    RunProblem(&system, &integrator, h, 10 * per_tenth,
               [&](int n, const StepReport&, const State& s) {
                 const auto expect = [&](double q1, double q2, double v1, double v2) {
                   ExpectOrderOne(s.q[0], q1, h, 60, "q1", n);
                   ExpectOrderOne(s.q[1], q2, h, 60, "q2", n);
                   ExpectOrderOne(s.v[0], v1, h, 1500, "v1", n);
                   ExpectOrderOne(s.v[1], v2, h, 1500, "v2", n);
                 };
                 if (n == 5 * per_tenth) {
                   expect(0.02581471, 0.89910765, -3.83386421, 1.88370893);
                 } else if (n == 8 * per_tenth) {
                   expect(0.46838937, 1.38094786, -0.45315155, 0.70193507);
                 } else if (n == 10 * per_tenth) {
                   expect(0.20480777, 1.29428617, -2.26723734, -1.48397914);
                 }
               });
  }
}

// Column "GGL h=1e-4" of table (b). Its last digit or two are not those of the scheme: before the
// impact the error in θ̇ is 8.36e-6 at h = 1e-3 (both), so by order 2 it is 8.4e-8 at 1e-4, which
// ours is; the reference has 5.2e-8, what its prototype left unsolved
// (verification/reference_values.py).
TEST(NonsmoothAlphaPhysics, PendulumWithASmallStepGivesTheTable) {
  EquationSystem pendulum(MakeBouncingPendulum({}));
  NonsmoothAlphaOptions options;
  options.newton_tolerance = 1e-13;
  NonsmoothAlpha integrator(options);
  const double table[][3] = {{0.4, -0.45087808, -3.55367944},
                             {0.6, -0.45004019, 2.50821718},
                             {1.0, -0.15023887, -1.05042016},
                             {2.0, -0.68868654, 1.81501206},
                             {3.0, -0.77266146, 1.30991213}};
  RunProblem(&pendulum, &integrator, 1e-4, 30000, [&](int n, const StepReport&, const State& s) {
    for (const auto& [t, angle, rate] : table) {
      if (n != std::lround(t / 1e-4)) continue;
      EXPECT_NEAR(s.q[2], angle, 1e-7) << t;
      EXPECT_NEAR(s.v[2], rate, 1e-7) << t;
      if (t == 0.4) {
        EXPECT_NEAR(integrator.smooth_joint_forces()[0], -14.932126, 1e-6);
        EXPECT_NEAR(s.v[2] + 3.553679492, 8.36e-8, 0.1e-8);  // a hundredth of that at h = 1e-3
      }
    }
  });
}

// Table (a): mean |gap error| on [0, 4], of this scheme and of Moreau–Jean with θ = 5/9. With these
// data the ball comes back to gap 0 exactly at the end of a step (3.2 m/s for 0.64 s), so rounding
// decides in which step the prototype of the reference hits. Ours counts gap 0 as closed; the last
// row is that of exact (rational) arithmetic with g ≤ 0, 1.194e-3, and 4.2e-4 in the reference is g
// < 0 (verification/reference_values.py).
TEST(NonsmoothAlphaPhysics, MeanErrorsOfTheBall) {
  const BouncingBallData data{1, 10, 0.8, 0.801, 0};
  const double steps[] = {8e-3, 4e-3, 2e-3, 1e-3, 0.5e-3};
  const double alpha[] = {1.12e-2, 6.6e-3, 4.2e-3, 2.2e-3, 1.194e-3};
  const double moreau[] = {1.11e-2, 5.4e-3, 2.6e-3, 1.3e-3, 4.4e-4};
  const auto mean_error = [&](Integrator* integrator, double h) {
    EquationSystem ball(MakeBouncingBall(data));
    const int n_all = static_cast<int>(std::lround(4 / h));
    double sum = 0;
    RunProblem(&ball, integrator, h, n_all, [&](int n, const StepReport&, const State& s) {
      sum += std::abs(s.q[0] - CalcBouncingBall(data, n * h).height) / n_all;
    });
    return sum;
  };
  MoreauJeanOptions options;
  options.theta = 5.0 / 9;
  options.projection = false;
  for (int i = 0; i < 5; ++i) {
    NonsmoothAlpha a{NonsmoothAlphaOptions{}};
    MoreauJean m(options);
    EXPECT_NEAR(mean_error(&a, steps[i]), alpha[i], 0.04 * alpha[i]) << steps[i];  // two digits
    EXPECT_NEAR(mean_error(&m, steps[i]), moreau[i], 0.04 * moreau[i]) << steps[i];
  }
}

// P1 at the first impact of the block, where f is constant: ṽ = v_n + h f/M, q̃ = q_n + h v_n +
// ½h² f/M. With A = H M⁻¹Hᵀ of the corner,
//   ν = −A⁻¹ g(q̃) + O(h²), independent of e;   P = −A⁻¹ (H ṽ + e H_n v_n) exactly, H at q.
TEST(NonsmoothAlphaPhysics, MultipliersOfAnImpactAreThoseOfP1) {
  const RockingBlockData data;
  const Vector3 mass(1, 1, (1 + 1.5 * 1.5) / 12), acceleration(0, -9.81, 0);
  for (const double h : {4e-3, 1e-3, 2.5e-4}) {
    std::vector<double> nus;
    for (const double e : {0.0, 0.5, 1.0}) {
      RockingBlockData with_e = data;
      with_e.restitution = e;
      EquationSystem block(MakeRockingBlock(with_e));
      NonsmoothAlphaOptions options;
      options.newton_tolerance = 1e-13;
      options.solver_options.tolerance = 1e-13;
      NonsmoothAlpha integrator(options);
      State state = block.MakeInitialState();
      State before = state;
      const StepReport* report = nullptr;
      do {
        before = state;
        report = &integrator.Step(block, h, &state);
        ASSERT_TRUE(report->ok());
      } while (report->contacts.empty());
      const ContactEquation& corner = block.equations().contacts[report->contacts[0].key.pair];
      Vector3 H, H_n, H_smooth;
      corner.gap(state.q, H.data());
      corner.gap(before.q, H_n.data());
      const Vector3 v_smooth = before.v + h * acceleration;
      const Vector3 q_smooth = before.q + h * before.v + 0.5 * h * h * acceleration;
      const double gap_smooth = corner.gap(q_smooth, H_smooth.data());
      const double A = H.dot(H.cwiseQuotient(mass));
      const double nu = integrator.contact_position_multipliers()[0];
      EXPECT_NEAR(report->contacts[0].impulse[0], -(H.dot(v_smooth) + e * H_n.dot(before.v)) / A,
                  1e-11);
      EXPECT_LE(std::abs(nu + gap_smooth / A), 10 * h * h);  // ν itself is up to h ġ/A ≈ h
      nus.push_back(nu);
    }
    EXPECT_NEAR(nus[1], nus[0], 1e-14);
    EXPECT_NEAR(nus[2], nus[0], 1e-14);
  }
}

}  // namespace
}  // namespace saltus
