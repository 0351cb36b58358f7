#include "saltus/output/channel.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/output/test/sample_frames.h"

namespace saltus {
namespace {

ChannelCatalog MakeSampleCatalog() { return {MakeSampleLayout(), {"ball-ground", "hinge.limit"}}; }

double Value(const std::string& name, long frame) {
  const ChannelCatalog catalog = MakeSampleCatalog();
  return CalcChannel(MakeSampleFrame(frame), catalog, catalog.Find(name));
}

TEST(Channel, FindsEveryKindOfValue) {
  EXPECT_EQ(Value("time", 7), 0.1 * 7);
  EXPECT_EQ(Value("step.size", 7), 0.1);
  EXPECT_EQ(Value("energy.kinetic", 7), 7.25);
  EXPECT_EQ(Value("energy.potential", 7), 7.5);
  EXPECT_EQ(Value("energy.elastic", 7), 7.75);
  EXPECT_EQ(Value("energy.total", 7), 22.5);
  EXPECT_EQ(Value("ledger.loads", 7), 7);
  EXPECT_EQ(Value("ledger.joint_friction_loss", 7), 35);
  EXPECT_EQ(Value("ledger.projection", 7), 42);
  EXPECT_EQ(Value("ledger.contact_loss", 7), 49);
  EXPECT_EQ(Value("ledger.decohesion_loss", 7), 56);
  EXPECT_EQ(Value("ledger.closure", 7), 7e-12);
  EXPECT_EQ(Value("ball.position.x", 7), 7);
  EXPECT_EQ(Value("ball.orientation.w", 7), 0.5);
  EXPECT_EQ(Value("ball.orientation.x", 7), -0.5);
  EXPECT_EQ(Value("ball.velocity.z", 7), -7.2);
  EXPECT_EQ(Value("ball.angular_velocity.y", 7), 7.0 / 5);
  EXPECT_EQ(Value("hinge.angle", 7), 7);
  EXPECT_EQ(Value("hinge.force.x", 7), 8);
  EXPECT_EQ(Value("weld.torque.z", 7), 1013);
}

TEST(Channel, NamesMayContainDotsAndDashes) {
  EXPECT_EQ(Value("arm.upper.position.y", 7), 107.1);
  EXPECT_EQ(Value("crank-pin.velocity.x", 7), -207);
  EXPECT_EQ(Value("arm.slide.displacement", 7), 2007);
  EXPECT_EQ(Value("contact.hinge.limit.force.n", 2), 2.01);
  EXPECT_EQ(Value("contact.hinge.limit.adhesion", 2), 0.5);
  EXPECT_EQ(Value("contact.hinge.limit.moment.t2", 2), 6);
}

// A body called like a group of channels does not hide it, nor is it hidden.
TEST(Channel, ReservedWordsAreStillNames) {
  FrameLayout layout;
  layout.bodies = {"energy", "contact.x", "time"};
  layout.joints = {{"contact.x", "angle", "rad"}};
  const ChannelCatalog catalog(layout, {"x"});
  EXPECT_EQ(catalog.Find("energy.position.x").quantity->owner, ChannelOwner::kBody);
  EXPECT_EQ(catalog.Find("energy.total").quantity->owner, ChannelOwner::kRun);
  EXPECT_EQ(catalog.Find("contact.x.position.z").item, 1);
  EXPECT_EQ(catalog.Find("contact.x.force.x").quantity->owner, ChannelOwner::kJoint);
  EXPECT_EQ(catalog.Find("contact.x.force.n").quantity->owner, ChannelOwner::kContact);
  EXPECT_EQ(catalog.Find("time.velocity.x").item, 2);
}

TEST(Channel, PointsOfOneContactAreSummed) {
  const ChannelCatalog catalog = MakeSampleCatalog();
  Frame frame = MakeSampleFrame(1);
  frame.contacts.push_back(frame.contacts[0]);
  frame.contacts[1].gap = -1;
  frame.contacts[1].force = {10, 20, 30};
  frame.contacts[1].impulse = {5, 6, 7};
  const auto value = [&](const char* name) {
    return CalcChannel(frame, catalog, catalog.Find(name));
  };
  EXPECT_EQ(value("contact.ball-ground.gap"), -1);
  EXPECT_EQ(value("contact.ball-ground.force.n"), 11);
  EXPECT_EQ(value("contact.ball-ground.force.t2"), 30.2);
  EXPECT_EQ(value("contact.ball-ground.impulse.t1"), 6);
  EXPECT_TRUE(std::isnan(value("contact.hinge.limit.gap")));
  EXPECT_EQ(value("contact.hinge.limit.force.n"), 0);
}

TEST(Channel, ListAndFindAgree) {
  const ChannelCatalog catalog = MakeSampleCatalog();
  std::set<std::string> names;
  for (const Channel& channel : catalog.List()) {
    const Channel found = catalog.Find(channel.name);
    EXPECT_EQ(found.quantity, channel.quantity) << channel.name;
    EXPECT_EQ(found.item, channel.item) << channel.name;
    EXPECT_EQ(found.component, channel.component) << channel.name;
    EXPECT_EQ(found.unit, channel.unit) << channel.name;
    EXPECT_FALSE(found.unit.empty()) << channel.name;
    names.insert(channel.name);
  }
  // 15 of the run, 13 for each body, 6 for each joint and 1 for each coordinate, 11 for each
  // contact.
  EXPECT_EQ(names.size(), 15U + 3 * 13 + 3 * 6 + 2 + 2 * 11);
}

TEST(Channel, UnknownNamesAreAnsweredWithTheNearest) {
  const ChannelCatalog catalog = MakeSampleCatalog();
  for (const char* name : {"bal.position.x", "hinge.displacement", "weld.angle", "ball.position",
                           "ball.position.w", "contact.gap", "contact..gap", "", "."}) {
    EXPECT_THROW(catalog.Find(name), InputError) << name;
  }
  try {
    catalog.Find("bal.positon.x");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.suggestion(), testing::HasSubstr("ball.position.x"));
  }
}

}  // namespace
}  // namespace saltus
