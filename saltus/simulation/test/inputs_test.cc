// Values set between steps: efforts, loads and drives from outside.
#include "saltus/simulation/inputs.h"

#include <memory>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

namespace saltus {
namespace {

ModelSpec MakeCart() {
  ModelSpec spec;
  spec.gravity.setZero();
  RigidBodySpec cart;
  cart.name = "cart";
  cart.mass = 2;
  cart.inertia = Matrix3::Identity();
  spec.rigid_bodies.push_back(cart);
  JointSpec rail;
  rail.name = "rail";
  rail.type = JointType::kPrismatic;
  rail.body_a = "ground";
  rail.body_b = "cart";
  rail.at = Vector3::Zero();
  rail.axis = Vector3::UnitX();
  spec.joints.push_back(rail);
  return spec;
}

Simulation MakeRun(const ModelSpec& spec) {
  return Simulation(std::make_unique<MultibodySystem>(ModelBuilder(spec).Build()),
                    std::make_unique<MoreauJean>(MoreauJeanOptions{}), {.step = 0.01, .until = 10});
}

void Step(Simulation* run, int count) {
  std::string failure;
  for (int i = 0; i < count; ++i) ASSERT_TRUE(run->Advance(&failure)) << failure;
}

TEST(Inputs, AnActuatorPushesAsLongAsItIsTold) {
  ModelSpec spec = MakeCart();
  spec.forces.push_back(ActuatorSpec{"motor", "rail", TimeFunction(0.0)});
  const auto inputs = Inputs::Connect(&spec);
  Simulation run = MakeRun(spec);
  run.Start();
  inputs->Set("motor", {4}, run.state().time);
  Step(&run, 100);
  EXPECT_NEAR(run.state().v[0], 2, 1e-12);  // F t/m
  inputs->Release("motor", run.state().time);
  Step(&run, 100);
  EXPECT_NEAR(run.state().v[0], 2, 1e-12);
  EXPECT_EQ(inputs->names(), std::vector<std::string>{"motor"});
}

TEST(Inputs, ADriveGoesOnFromWhereItIs) {
  ModelSpec spec = MakeCart();
  spec.joints[0].drive_displacement = TimeFunction([](double t) {
    return TimeJet{0.5 * t, 0.5, 0};
  });
  const auto inputs = Inputs::Connect(&spec);
  Simulation run = MakeRun(spec);
  run.Start();
  Step(&run, 100);
  EXPECT_NEAR(run.state().q[0], 0.5, 1e-9);
  EXPECT_EQ(inputs->Calc("rail", 1), std::vector<double>{0.5});
  inputs->Set("rail", {-1}, run.state().time);
  Step(&run, 100);
  EXPECT_NEAR(run.state().q[0], -0.5, 1e-9);
  inputs->Release("rail", run.state().time);
  Step(&run, 10);
  EXPECT_NEAR(run.state().q[0], -0.5, 1e-9);
}

TEST(Inputs, WrongNamesAndNumbersAreRefused) {
  ModelSpec spec = MakeCart();
  spec.forces.push_back(ActuatorSpec{"motor", "rail", TimeFunction(0.0)});
  const auto inputs = Inputs::Connect(&spec);
  EXPECT_THROW(inputs->Set("moter", {1}, 0), InputError);
  EXPECT_THROW(inputs->Set("motor", {1, 2, 3}, 0), InputError);
  EXPECT_THROW(inputs->Set("motor", {std::nan("")}, 0), InputError);
}

}  // namespace
}  // namespace saltus
