// Friction of nonsmooth generalized-α on bodies: the spinning ball R2, a box that slides to
// rest, a spinning top on a rough floor.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

Simulation MakeRun(const std::shared_ptr<const Model>& model, double h, double until) {
  SimulationOptions options;
  options.step = h;
  options.until = until;
  return Simulation(std::make_unique<MultibodySystem>(model),
                    std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{}), options);
}

// R2, exact: impact at 0.42835293688 s with 4.20214231077 N s; it sticks: tangential impulse 2/7,
// speed 2/7 m/s, spin 20/7 rad/s. The normal impulse is that of the nodes around: O(h).
TEST(NonsmoothAlphaFrictionBodies, SpinningBallSticksAtBothLevels) {
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(0.2, 0)).AddGroundShape(MakeFloor());
  RigidBodySpec ball = MakeBody("ball", Sphere{0.1}, {0, 0, 1});
  ball.mass = 1;
  ball.inertia = Vector3::Constant(0.004).asDiagonal();
  ball.angular_velocity = Vector3(0, 10, 0);
  builder.Add(ball);
  const auto model = builder.Build();
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    Simulation run = MakeRun(model, h, 0.5);
    int impacts = 0;
    Runner runner([&](const StepView& view) {
      for (const ContactResult& c : view.report.contacts) {
        if (!c.impact) continue;
        ++impacts;
        EXPECT_NEAR(view.state.time, 0.42835293688, h);
        EXPECT_NEAR(c.impulse[0], 4.20214231077, 9.81 * h);
        EXPECT_NEAR(c.impulse.tail<2>().norm(), 2.0 / 7, 1e-9);
        EXPECT_NEAR(view.state.v[0], 2.0 / 7, 1e-9);
        EXPECT_NEAR(view.state.v[4], 20.0 / 7, 1e-8);
      }
    });
    run.AddObserver(&runner);
    ASSERT_EQ(run.Run().kind, RunOutcome::Kind::kFinished);
    EXPECT_EQ(impacts, 1);
    EXPECT_LT(run.audit().max_penetration, 1e-12);
    EXPECT_NEAR(run.state().v[0], 2.0 / 7, 1e-8);  // rolls on
    EXPECT_NEAR(run.state().v[4], 20.0 / 7, 1e-7);
  }
}

// A box slides to rest: exact stop at t = v₀/(μg), x = v₀²/(2μg), without tipping (half height
// times μ below half length). The step in which it stops is the right one, and its place is
// within what friction does in one step.
TEST(NonsmoothAlphaFrictionBodies, SlidingBoxStopsInTimeAndPlace) {
  const double mu = 0.3, v0 = 1, stop = v0 / (mu * 9.81), way = 0.5 * v0 * stop;
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(mu, 0)).AddGroundShape(MakeFloor());
  RigidBodySpec box = MakeBody("box", Box{{0.2, 0.15, 0.1}}, {0, 0, 0.1});
  box.velocity = Vector3(v0, 0, 0);
  builder.Add(box);
  const auto model = builder.Build();
  for (const int n : {40, 57, 80, 113, 160, 227}) {
    const double h = 0.4 / n;
    Simulation run = MakeRun(model, h, 0.4);
    double stopped = 0;
    Runner runner([&](const StepView& view) {
      if (stopped == 0 && view.state.v.norm() < 1e-9) stopped = view.state.time;
    });
    run.AddObserver(&runner);
    ASSERT_EQ(run.Run().kind, RunOutcome::Kind::kFinished);
    EXPECT_GE(stopped, stop - 1e-9);
    EXPECT_LE(stopped, stop + h);
    EXPECT_LT(run.audit().max_penetration, 1e-12);
    EXPECT_NEAR(run.state().q[2], 0.1, 1e-10);
    EXPECT_NEAR(run.state().q[0], way, mu * 9.81 * h * h);
  }
}

// A top with a round tip on a rough floor: it slips, precesses and rises. Contacts only take energy
// at every step, and what the ledger does not explain is of the order of the scheme.
TEST(NonsmoothAlphaFrictionBodies, SpinningTopOnARoughFloorOnlyLosesEnergyAtContacts) {
  ModelBuilder builder;
  builder.SetGravity({0, 0, -9.81}).Add(MakeMaterial(0.3, 0)).AddGroundShape(MakeFloor());
  RigidBodySpec top = MakeBody("top", Sphere{0.01}, Vector3::Zero());
  const double tilt = 0.3, arm = 0.05;
  top.shapes[0].pose.p = Vector3(0, 0, -arm);
  top.mass = 0.2;
  top.inertia = Vector3(1.2e-4, 1.2e-4, 1.6e-4).asDiagonal();
  top.orientation = Quaternion(Eigen::AngleAxisd(tilt, Vector3::UnitY()));
  top.position = Vector3(0, 0, 0.01 + arm * std::cos(tilt));
  top.angular_velocity = top.orientation * Vector3(0, 0, 150);
  builder.Add(top);
  const auto model = builder.Build();
  Simulation run = MakeRun(model, 2e-4, 1);
  const double energy = run.system().CalcEnergy(0, run.state().q, run.state().v).total();
  double largest_gain = 0, friction_loss = 0, last = energy;
  Runner runner([&](const StepView& view) {
    const StepWork& work = view.report.work;
    largest_gain = std::max(largest_gain, -(work.impact_loss + work.friction_loss));
    friction_loss += work.friction_loss;
    last = view.energy.total();
  });
  run.AddObserver(&runner);
  ASSERT_EQ(run.Run().kind, RunOutcome::Kind::kFinished);
  EXPECT_LE(largest_gain, 1e-9 * energy);
  EXPECT_GT(friction_loss, 0.004 * energy);  // it does slip
  EXPECT_LT(last, energy);
  EXPECT_LT(run.audit().max_penetration, 1e-12);
  EXPECT_LE(run.audit().newton_iterations, 4 * run.audit().steps);
}

}  // namespace
}  // namespace saltus
