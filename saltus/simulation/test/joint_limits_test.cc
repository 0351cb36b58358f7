// Joint limits that are far away take no part in a step.
#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

// A hinge at 0 rad that turns at 1 rad/s between stops at ±3 rad that bounce: it turns on as if
// they were not there.
TEST(JointLimits, OpenAngularStopsThatBounceDoNotAct) {
  ModelBuilder builder;
  builder.SetGravity(Vector3::Zero());
  RigidBodySpec wheel{.name = "wheel", .mass = 2};
  wheel.inertia = Vector3(0.1, 0.1, 0.2).asDiagonal();
  wheel.angular_velocity = Vector3(0, 0, 1);
  builder.Add(wheel);
  builder.Add(JointSpec{.name = "hinge",
                        .type = JointType::kRevolute,
                        .body_a = "ground",
                        .body_b = "wheel",
                        .at = Vector3(0, 0, 0),
                        .axis = Vector3::UnitZ(),
                        .limits = JointLimits{-3, 3, 0.5}});
  const auto model = builder.Build();
  MoreauJean moreau_jean{MoreauJeanOptions{}};
  NonsmoothAlpha alpha{NonsmoothAlphaOptions{}};
  for (Integrator* integrator :
       {static_cast<Integrator*>(&moreau_jean), static_cast<Integrator*>(&alpha)}) {
    MultibodySystem system(model);
    State state = system.MakeInitialState();
    for (int n = 0; n < 200; ++n) {
      const StepReport& report = integrator->Step(system, 1e-2, &state);
      ASSERT_TRUE(report.ok()) << integrator->name() << ", step " << n << ": " << report.culprit;
    }
    EXPECT_NEAR(state.v[5], 1, 1e-12) << integrator->name();
  }
}

}  // namespace
}  // namespace saltus
