// Linearized activation leaves out candidates that seem unable to close, and admits those that an
// impact elsewhere closes in the same step. What the projection takes for penetration.
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

void AddSphere(const std::string& name, double x, double speed, const std::string& material,
               ModelBuilder* builder, double z = 0) {
  RigidBodySpec body;
  body.name = name;
  body.position = {x, 0, z};
  body.velocity = {speed, 0, 0};
  body.shapes.push_back({Sphere{0.1}, Pose{}, material, 0});
  builder->Add(body);
}

/// A floor of "stuff" with restitution e.
ModelBuilder MakeFloor(double e) {
  ModelBuilder builder;
  builder.Add(MaterialSpec{"stuff", 1e3, 0.3, e, 0});
  ShapeSpec floor;
  floor.shape = HalfSpace{Vector3::UnitZ(), 0};
  floor.material = "stuff";
  builder.AddGroundShape(floor);
  return builder;
}

TEST(LinearizedActivation, AdmitsContactsThatAnImpactCloses) {
  ModelBuilder builder;
  builder.SetGravity(Vector3::Zero());
  builder.Add(MaterialSpec{"heavy", 1e6, 0, 0, 0});
  builder.Add(MaterialSpec{"light", 1e3, 0, 0, 0});
  // A heavy sphere at 1 m/s takes the light one along, 5 mm in a step; 2 mm ahead rests a third,
  // farther than a quarter of the speed would close.
  AddSphere("fast", 0, 1, "heavy", &builder);
  AddSphere("middle", 0.2001, 0, "light", &builder);
  AddSphere("last", 0.4021, 0, "light", &builder);
  MultibodySystem system(builder.Build());
  MoreauJeanOptions options;
  options.theta = 1;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  options.projection = false;
  MoreauJean integrator(options);
  State state = system.MakeInitialState();
  const StepReport& report = integrator.Step(system, 0.005, &state);
  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.contacts.size(), 2u);
  EXPECT_GT(report.contacts[1].impulse[0], 0);
  EXPECT_LT(report.max_penetration, 1e-12);
  EXPECT_NEAR(system.CalcBodyMotion(2, state.q, state.v).pose.p.x() -
                  system.CalcBodyMotion(1, state.q, state.v).pose.p.x(),
              0.2, 1e-9);
}

// Contacts that bounce do not end a step inside each other, and a small penetration elsewhere is
// removed in the same step.
TEST(Projection, SeesSmallPenetrationBesideABouncingContact) {
  ModelBuilder builder;
  builder.SetGravity(Vector3::Zero());
  builder.Add(MaterialSpec{"lively", 1e3, 0, 0.5, 0});
  builder.Add(MaterialSpec{"dull", 1e3, 0, 0, 0});
  AddSphere("fast", 0, 10, "lively", &builder);
  AddSphere("hit", 0.205, 0, "lively", &builder);
  AddSphere("left", 1, 0, "dull", &builder);
  AddSphere("right", 1.2 - 1e-6, 0, "dull", &builder);
  AddSphere("far", 1.42, 0, "dull", &builder);
  MultibodySystem system(builder.Build());
  MoreauJeanOptions options;
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  MoreauJean integrator(options);
  State state = system.MakeInitialState();
  const StepReport& report = integrator.Step(system, 0.005, &state);
  EXPECT_TRUE(report.ok());
  const auto gap = [&](int a, int b) {
    return system.CalcBodyMotion(b, state.q, state.v).pose.p.x() -
           system.CalcBodyMotion(a, state.q, state.v).pose.p.x() - 0.2;
  };
  EXPECT_GT(gap(0, 1), -options.projection_tolerance);
  EXPECT_GT(gap(2, 3), -options.projection_tolerance);
}

// Bounces too small for the step end: a ball with restitution, and one on top of it, come to rest.
TEST(Projection, BouncingBallsComeToRest) {
  for (const auto activation :
       {MoreauJeanOptions::Activation::kPredicted, MoreauJeanOptions::Activation::kLinearized}) {
    for (const double e : {0.05, 0.3, 0.7}) {
      ModelBuilder builder = MakeFloor(e);
      AddSphere("low", 0, 0, "stuff", &builder, 0.47);
      AddSphere("alone", 1, 0, "stuff", &builder, 0.47);
      AddSphere("high", 0, 0, "stuff", &builder, 0.87);
      MultibodySystem system(builder.Build());
      MoreauJeanOptions options;
      options.activation = activation;
      MoreauJean integrator(options);
      State state = system.MakeInitialState();
      int late_impacts = 0;
      for (int k = 0; k < 1600; ++k) {
        const StepReport& report = integrator.Step(system, 0.005, &state);
        ASSERT_TRUE(report.ok());
        if (k > 1200) late_impacts += report.impacts;
      }
      EXPECT_EQ(late_impacts, 0) << e;
      EXPECT_LT(state.v.norm(), 1e-9) << e;
    }
  }
}

/// A ball that falls by 0.1 m onto a floor, e as given, for 20 s; returns the final energy above
/// that of rest, J, and the initial one.
std::pair<double, double> DropBall(double e, MoreauJeanOptions options) {
  ModelBuilder builder = MakeFloor(e);
  AddSphere("ball", 0, 0, "stuff", &builder, 0.2);
  MultibodySystem system(builder.Build());
  MoreauJean integrator(options);
  State state = system.MakeInitialState();
  const auto energy = [&] { return system.CalcEnergy(state.time, state.q, state.v).total(); };
  const double start = energy();
  for (int k = 0; k < 4000; ++k) EXPECT_TRUE(integrator.Step(system, 0.005, &state).ok());
  return {energy() - 0.5 * start, 0.5 * start};
}

// Projection must not lift a ball before its impact: with θ = ½ an elastic ball keeps its energy to
// rounding, and one with e = 0.9 comes to rest (lifted, it would bounce for ever with about
// g h/(1 − e²) = 0.26 m/s).
TEST(Projection, AddsNoEnergyToABouncingBall) {
  MoreauJeanOptions options;
  for (const double gamma : {0.0, 0.5, 1.0}) {
    options.gamma = gamma;
    const auto [elastic, start] = DropBall(1, options);
    EXPECT_NEAR(elastic, start, 1e-12 * start) << gamma;
    EXPECT_NEAR(DropBall(0.9, options).first, 0, 1e-8 * start) << gamma;
  }
  options.activation = MoreauJeanOptions::Activation::kLinearized;
  const auto [elastic, start] = DropBall(1, options);
  EXPECT_NEAR(elastic, start, 1e-12 * start);
  EXPECT_NEAR(DropBall(0.9, options).first, 0, 1e-8 * start);
}

}  // namespace
}  // namespace saltus
