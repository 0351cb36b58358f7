// Turns are counted in space: springs, limits and channels beyond half a turn.
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

/// A wheel on a hinge about z, with unit inertia and without gravity.
struct Wheel {
  ModelSpec spec;
  Wheel(double speed) {
    spec.gravity.setZero();
    RigidBodySpec wheel;
    wheel.name = "wheel";
    wheel.mass = 1;
    wheel.inertia = Matrix3::Identity();
    wheel.angular_velocity = {0, 0, speed};
    spec.rigid_bodies.push_back(wheel);
    JointSpec axle;
    axle.name = "axle";
    axle.type = JointType::kRevolute;
    axle.body_a = "ground";
    axle.body_b = "wheel";
    axle.at = Vector3::Zero();
    axle.axis = Vector3::UnitZ();
    spec.joints.push_back(axle);
  }
  JointSpec& axle() { return spec.joints[0]; }
  void AddSpring(double stiffness, double damping, double rest) {
    TorsionSpringSpec spring;
    spring.name = "spring";
    spring.joint = "axle";
    spring.stiffness = stiffness;
    spring.damping = damping;
    spring.rest_angle = rest;
    spec.forces.push_back(spring);
  }
  Simulation Make(double step, double until, bool alpha = false) const {
    std::unique_ptr<Integrator> scheme = std::make_unique<MoreauJean>(MoreauJeanOptions{});
    if (alpha) scheme = std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{});
    return Simulation(std::make_unique<MultibodySystem>(ModelBuilder(spec).Build()),
                      std::move(scheme), {.step = step, .until = until});
  }
};

double CalcAngle(Simulation& run) {
  const auto& system = dynamic_cast<const MultibodySystem&>(run.system());
  return system.CalcJointMotion(0, run.state().q, run.state().v).value;
}

TEST(Turns, AFreeWheelCountsItsTurns) {
  for (const double speed : {10.0, -10.0}) {
    Simulation run = Wheel(speed).Make(0.01, 5);
    ASSERT_TRUE(run.Run().good());
    EXPECT_NEAR(CalcAngle(run), 5 * speed, 1e-9);
  }
}

// θ'' = −θ from θ' = 10: the amplitude of 10 rad is more than three half turns.
TEST(Turns, ATorsionSpringSwingsBeyondHalfATurn) {
  for (const bool alpha : {false, true}) {
    Wheel wheel(10);
    wheel.AddSpring(1, 0, 0);
    Simulation run = wheel.Make(0.001, 2.5, alpha);
    ASSERT_TRUE(run.Run().good());
    EXPECT_NEAR(CalcAngle(run), 10 * std::sin(2.5), 2e-2) << alpha;
    EXPECT_LT(run.audit().RelativeClosure(), 1e-3);
  }
}

TEST(Turns, ADampedSpringComesToRestBeyondHalfATurn) {
  Wheel wheel(0);
  wheel.AddSpring(5, 3, 4);
  Simulation run = wheel.Make(0.002, 20);
  ASSERT_TRUE(run.Run().good());
  EXPECT_NEAR(CalcAngle(run), 4, 1e-6);
}

// A stop at ±bound holds wherever it is: near half a turn, on it, and after several turns.
TEST(Turns, LimitsHoldBeyondHalfATurn) {
  for (const double bound : {3.1, kPi, 3.2, 7.0, 20.0}) {
    Wheel wheel(30);
    wheel.axle().limits = JointLimits{-bound, bound, 0.5};
    Simulation run = wheel.Make(0.002, 0.02 + 2 * bound / 30);
    std::string failure;
    run.Start();
    double largest = 0;
    while (!run.done()) {
      ASSERT_TRUE(run.Advance(&failure)) << failure;
      largest = std::max(largest, std::abs(CalcAngle(run)));
    }
    EXPECT_LT(largest, bound + 1e-6) << bound;
    EXPECT_EQ(run.audit().events, 1) << bound;
    EXPECT_NEAR(run.state().v[5], -15, 1e-9) << bound;
  }
}

TEST(Turns, OneLimitMayBeOpen) {
  Wheel wheel(-10);
  wheel.axle().limits = JointLimits{-std::numeric_limits<double>::infinity(), 2, 0};
  Simulation run = wheel.Make(0.01, 2);
  ASSERT_TRUE(run.Run().good());
  EXPECT_NEAR(CalcAngle(run), -20, 1e-9);
}

// The turns belong to the state: a run in two parts counts as a run in one.
TEST(Turns, ACheckpointRemembersThem) {
  Wheel wheel(10);
  wheel.AddSpring(1, 0, 0);
  Simulation whole = wheel.Make(0.001, 3), first = wheel.Make(0.001, 1),
             second = wheel.Make(0.001, 3);
  ASSERT_TRUE(whole.Run().good());
  ASSERT_TRUE(first.Run().good());
  EXPECT_GT(CalcAngle(first), kPi);
  second.Restore(first.checkpoint());
  ASSERT_TRUE(second.Run().good());
  EXPECT_EQ(second.state().q, whole.state().q);
  EXPECT_EQ(CalcAngle(second), CalcAngle(whole));
}

}  // namespace
}  // namespace saltus
