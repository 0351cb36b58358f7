// What is said before a run.
#include "saltus/simulation/run_notices.h"

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"

namespace saltus {
namespace {

RigidBodySpec MakeBox(const std::string& name, const Vector3& position) {
  RigidBodySpec box;
  box.name = name;
  box.position = position;
  box.shapes = {{Box{Vector3::Constant(0.1)}, {}, {}, 0}};
  return box;
}

Notices Make(const ModelBuilder& builder, double step = 1e-3, double until = 1) {
  Simulation run(std::make_unique<MultibodySystem>(builder.Build()),
                 std::make_unique<MoreauJean>(MoreauJeanOptions{}), {.step = step, .until = until});
  return MakeRunNotices(run);
}

bool Says(const Notices& notices, const std::string& item, const std::string& words) {
  return std::any_of(notices.begin(), notices.end(), [&](const Notice& notice) {
    return notice.item == item && notice.message.find(words) != std::string::npos;
  });
}

TEST(RunNotices, OverlapIsNamedWithItsDepth) {
  ModelBuilder builder;
  builder.Add(MakeBox("a", {0, 0, 0.1})).Add(MakeBox("b", {0.15, 0, 0.1}));
  EXPECT_TRUE(Says(Make(builder), "start", "a-b by 50 mm"));
  ModelBuilder apart;
  apart.Add(MakeBox("a", {0, 0, 0.1})).Add(MakeBox("b", {0.2, 0, 0.1}));
  EXPECT_TRUE(Make(apart).empty());
}

TEST(RunNotices, FastBodies) {
  RigidBodySpec box = MakeBox("bullet", {0, 0, 0});
  box.velocity = {300, 0, 0};
  EXPECT_TRUE(Says(Make(ModelBuilder().Add(box)), "body 'bullet'", "moves 300 mm a step"));
  EXPECT_TRUE(Make(ModelBuilder().Add(box), 1e-4).empty());
}

TEST(RunNotices, StiffSprings) {
  SpringSpec spring;
  spring.name = "bolt";
  spring.body_a = "a";
  spring.body_b = "b";
  spring.stiffness = 1e8;
  ModelBuilder builder;
  builder.Add(MakeBox("a", {0, 0, 0})).Add(MakeBox("b", {0.5, 0, 0})).Add(ForceSpec(spring));
  // m = 8 kg each: 2π √(4/10⁸) = 1.26 ms
  EXPECT_TRUE(Says(Make(builder), "force 'bolt'", "its period of 0.00126 s"));
  EXPECT_TRUE(Make(builder, 1e-4).empty());
}

TEST(RunNotices, DrivesBeyondLimits) {
  JointSpec hinge;
  hinge.name = "hinge";
  hinge.type = JointType::kRevolute;
  hinge.body_a = "ground";
  hinge.body_b = "arm";
  hinge.at = Vector3::Zero();
  hinge.axis = Vector3::UnitZ();
  hinge.limits = JointLimits{-0.5, 0.5, 0};
  hinge.drive_angle = TimeFunction([](double t) { return TimeJet{t, 1, 0}; });
  const ModelBuilder builder = ModelBuilder().Add(MakeBox("arm", {0.4, 0, 0})).Add(hinge);
  EXPECT_TRUE(Says(Make(builder), "joint 'hinge'", "passes its limit 0.5"));
  EXPECT_FALSE(Says(Make(builder, 1e-3, 0.4), "joint 'hinge'", "passes its limit"));
}

TEST(RunNotices, MobilityCountsTheJoints) {
  JointSpec hinge;
  hinge.name = "hinge";
  hinge.type = JointType::kRevolute;
  hinge.body_a = "ground";
  hinge.body_b = "arm";
  hinge.at = Vector3::Zero();
  hinge.axis = Vector3::UnitZ();
  JointSpec second = hinge;  // on the same axis: its rows are redundant
  second.name = "second";
  second.at = Vector3(0, 0, 1);
  ModelBuilder builder;
  builder.Add(MakeBox("arm", {0.4, 0, 0})).Add(hinge).Add(second);
  EXPECT_EQ(CountMobility(MultibodySystem(builder.Build())), 1);
}

// Four corners on a plane: three would do.
TEST(RunNotices, HyperstaticContacts) {
  ModelBuilder builder;
  builder.Add(MakeBox("box", {0, 0, 0.1})).AddGroundShape({HalfSpace{}, {}, {}, 0});
  MultibodySystem system(builder.Build());
  EXPECT_EQ(FindHyperstaticContacts(system, system.MakeInitialState()).size(), 1u);
  ModelBuilder ball;
  RigidBodySpec sphere = MakeBox("ball", {0, 0, 0.1});
  sphere.shapes = {{Sphere{0.1}, {}, {}, 0}};
  ball.Add(sphere).AddGroundShape({HalfSpace{}, {}, {}, 0});
  MultibodySystem rolling(ball.Build());
  EXPECT_TRUE(FindHyperstaticContacts(rolling, rolling.MakeInitialState()).empty());
}

}  // namespace
}  // namespace saltus
