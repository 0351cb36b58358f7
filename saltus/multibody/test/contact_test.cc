// Contacts of shapes and named contacts: gaps, frames, rows, keys, planar merging.
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "saltus/dynamics/test/system_contract.h"
#include "saltus/multibody/contact/contact_finder.h"
#include "saltus/multibody/test/models.h"

namespace saltus {
namespace {

constexpr double kPi = std::numbers::pi;

RigidBodySpec MakeBall(const std::string& name, const Vector3& position, double radius) {
  RigidBodySpec ball = MakeBodySpec(name, position);
  ball.shapes.push_back({.shape = Sphere{radius}});
  return ball;
}

void CheckContractAt(MultibodySystem* system, unsigned seed) {
  ContractPoint point = MakeContractPoint(*system, seed, 0.05);
  contract::CheckContacts(system, point, {});
}

TEST(ContactFrame, IsOrthonormalRightHandedAndFollowsTheAxes) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    Vector3 n(normal(random), normal(random), normal(random));
    if (i % 4 == 0) n = Vector3(1e-3 * n.x(), 1e-3 * n.y(), -1);  // the cap about −e_z
    n.normalize();
    const Matrix3 frame = MakeContactFrame(n);
    EXPECT_LE((frame.transpose() * frame - Matrix3::Identity()).norm(), 1e-13);
    EXPECT_NEAR(frame.determinant(), 1, 1e-13);
  }
  EXPECT_EQ(MakeContactFrame(Vector3::UnitZ()).col(1), Vector3::UnitX());
}

TEST(Contact, BallsAndFloor) {
  MultibodySystem system(ModelBuilder()
                             .AddGroundShape({.shape = HalfSpace{}})
                             .Add(MakeBall("a", {0, 0, 0.25}, 0.2))
                             .Add(MakeBall("b", {0.3, 0, 0.65}, 0.2))
                             .Build());
  ContactSet contacts;
  system.FindContacts(0, system.MakeInitialState().q, 0.2, &contacts);
  ASSERT_EQ(contacts.contacts.size(), 2u);
  const Contact& floor = contacts.contacts[0];
  EXPECT_NEAR(floor.gap, 0.05, 1e-15);
  EXPECT_LE((floor.frame.col(0) - Vector3::UnitZ()).norm(), 1e-15);  // away from the ground
  EXPECT_EQ(floor.dimension, 3);
  EXPECT_EQ(floor.num_blocks, 1);
  EXPECT_EQ(system.ContactName(floor.key), "a-ground");
  const Contact& pair = contacts.contacts[1];
  EXPECT_NEAR(pair.gap, 0.1, 1e-15);
  EXPECT_EQ(pair.num_blocks, 2);
  EXPECT_LE((pair.point - Vector3(0.15, 0, 0.45)).norm(), 1e-15);
  EXPECT_EQ(system.ContactName(pair.key), "a-b");
  for (unsigned seed = 1; seed < 6; ++seed) CheckContractAt(&system, seed);
}

TEST(Contact, RowsKeepMomentum) {
  // Equal and opposite impulses at the witnesses: Σ forces = 0, and Σ moments is that of the couple
  // over the open gap.
  MultibodySystem system(ModelBuilder()
                             .Add(MakeBall("a", {0, 0.1, 0.25}, 0.2))
                             .Add(MakeBall("b", {0.3, 0, 0.65}, 0.2))
                             .Build());
  ContactSet contacts;
  const VectorX q = system.MakeInitialState().q;
  system.FindContacts(0, q, 0.2, &contacts);
  ASSERT_EQ(contacts.contacts.size(), 1u);
  const Vector3 impulse(1, 0.4, -0.7);
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
  for (const RowBlock& block : contacts.blocks) {
    const VectorX P = contacts.rows(block, 3).transpose() * impulse;
    const Placement placement = system.model().bodies[block.block].CalcPlacement(q);
    linear += P.head<3>();
    angular += placement.p.cross(Vector3(P.head<3>())) + placement.R * P.tail<3>();
  }
  const Contact& c = contacts.contacts[0];
  const Vector3 couple = (c.point_B - c.point_A).cross(c.frame * impulse);
  EXPECT_LE(linear.norm(), 1e-15);
  EXPECT_LE((angular - couple).norm(), 1e-15);
  EXPECT_LE((c.point_B - c.point_A - c.gap * c.frame.col(0)).norm(), 1e-15);
}

TEST(Contact, JointsSwitchOffContactBetweenTheirBodies) {
  JointSpec rod{.name = "rod", .type = JointType::kDistance, .body_a = "a", .body_b = "b"};
  rod.points = {{Vector3::Zero(), Vector3::Zero()}};
  for (const bool collide : {false, true}) {
    rod.collide = collide;
    MultibodySystem system(ModelBuilder()
                               .Add(MakeBall("a", {0, 0, 0}, 0.2))
                               .Add(MakeBall("b", {0.3, 0, 0}, 0.2))
                               .Add(rod)
                               .Build());
    ContactSet contacts;
    system.FindContacts(0, system.MakeInitialState().q, 0.1, &contacts);
    EXPECT_EQ(contacts.contacts.size(), collide ? 1u : 0u);
  }
}

TEST(Contact, NoFrictionMeansDimensionOne) {
  RigidBodySpec ball = MakeBall("a", {0, 0, 0.2}, 0.2);
  ball.shapes[0].material = "ice";
  MultibodySystem system(ModelBuilder()
                             .Add(MaterialSpec{.name = "ice", .friction = 0})
                             .AddGroundShape({.shape = HalfSpace{}})
                             .Add(ball)
                             .Build());
  ContactSet contacts;
  system.FindContacts(0, system.MakeInitialState().q, 0.1, &contacts);
  ASSERT_EQ(contacts.contacts.size(), 1u);
  EXPECT_EQ(contacts.contacts[0].dimension, 1);
}

TEST(Contact, PlanarBoxOnTheFloorHasTwoPoints) {
  RigidBodySpec box{.name = "box", .position = {0, 0, 0.5}};
  box.shapes.push_back({.shape = Box{Vector3(0.5, 0.3, 0.5)}});
  MultibodySystem system(ModelBuilder()
                             .SetPlanar(MakePlane("xz"))
                             .AddGroundShape({.shape = HalfSpace{}})
                             .Add(box)
                             .Build());
  ContactSet contacts;
  system.FindContacts(0, system.MakeInitialState().q, 0.1, &contacts);
  ASSERT_EQ(contacts.contacts.size(), 2u);  // four corners, two by two at one place of the plane
  for (const Contact& contact : contacts.contacts) {
    EXPECT_EQ(contact.dimension, 2);
    EXPECT_NEAR(std::abs(contact.point.x()), 0.5, 1e-15);
    EXPECT_NEAR(contact.frame.col(1).y(), 0, 1e-15);
  }
  EXPECT_LT(contacts.contacts[0].point.x() * contacts.contacts[1].point.x(), 0);
  for (unsigned seed = 1; seed < 6; ++seed) CheckContractAt(&system, seed);
}

/// A ball-less body "a" with one named contact of its point with `surface`.
ModelBuilder MakeNamed(const SurfaceSpec& surface) {
  ContactSpec stop{.name = "stop",
                   .body = "a",
                   .at = {0.1, 0.2, 0},
                   .surface = surface,
                   .friction = 0.2,
                   .restitution = 0.4};
  return ModelBuilder()
      .Add(MakeBodySpec("a", {0.2, -0.1, 0.3}))
      .Add(MakeBodySpec("b", {0.4, 0.2, -0.1}))
      .Add(stop);
}

TEST(NamedContact, EverySurfaceKeepsTheContractOnMovingBodies) {
  PlaneSurface plane{.body = "b", .normal = {1, 2, 3}, .offset = -0.2};
  LineSurface line{.body = "b", .from = {-2, 0, 0}, .to = {2, 0.5, 0}};
  line.up = Vector3::UnitZ();
  CircleSurface circle{.body = "b", .center = {0.1, 0, 0}, .radius = 0.2};
  circle.up = Vector3(0, 1, 1);
  CircleSurface hollow = circle;
  hollow.hollow = true;
  hollow.radius = 3;
  CurveSurface curve{.body = "b",
                     .points = {{-2, -1, 0}, {-1, 0.2, 0}, {0, 0, 0}, {1.5, 0.7, 0}, {3, 0, 0}}};
  curve.up = Vector3::UnitZ();
  for (const SurfaceSpec& surface : std::vector<SurfaceSpec>{plane, line, circle, hollow, curve}) {
    SCOPED_TRACE(surface.index());
    MultibodySystem system(MakeNamed(surface).Build());
    ContactSet contacts;
    ContractOptions options;
    options.margin = 10;
    for (unsigned seed = 1; seed < 6; ++seed) {
      ContractPoint point = MakeContractPoint(system, seed, 0.1);
      contract::CheckContacts(&system, point, options);
      system.FindContacts(0, point.q, options.margin, &contacts);
      ASSERT_EQ(contacts.contacts.size(), 1u);
      EXPECT_EQ(system.ContactName(contacts.contacts[0].key), "stop");
      EXPECT_EQ(contacts.contacts[0].key.pair >> 63, 1u);
    }
  }
}

TEST(Surface, ArcsAndLinesEnd) {
  LineSurface line{.from = {0, 0, 0}, .to = {1, 0, 0}};
  const Surface stop(line, Vector3::UnitZ());
  ASSERT_TRUE(stop.FindFoot({0.5, 0.3, 0}));
  EXPECT_NEAR(stop.FindFoot({0.5, 0.3, 0})->gap, 0.3, 1e-15);  // left of the direction: outside
  EXPECT_FALSE(stop.FindFoot({-0.1, 0.3, 0}));
  EXPECT_FALSE(stop.FindFoot({1.1, 0.3, 0}));
  CircleSurface quarter{.radius = 2, .reference = Vector3::UnitX(), .start = 0, .sweep = kPi / 2};
  const Surface arc(quarter, Vector3::UnitZ());
  ASSERT_TRUE(arc.FindFoot({2, 2, 5}));
  EXPECT_NEAR(arc.FindFoot({2, 2, 5})->gap, std::sqrt(8.0) - 2, 1e-15);
  EXPECT_FALSE(arc.FindFoot({-2, 2, 5}));
}

TEST(Surface, SplineThroughACircleIsNearlyACircle) {
  // 64 points: the interpolation error of a cubic spline is of order (2π/64)⁴/384 ~ 2.4e-7.
  CurveSurface curve;
  curve.closed = true;
  for (int i = 0; i < 64; ++i) {
    const double angle = -2 * kPi * i / 64;  // clockwise: the solid inside
    curve.points.push_back({std::cos(angle), std::sin(angle), 0});
  }
  const Surface surface(curve, Vector3::UnitZ());
  for (double angle = 0; angle < 6.3; angle += 0.1) {
    const Vector3 radial(std::cos(angle), std::sin(angle), 0);
    const auto foot = surface.FindFoot(1.3 * radial + Vector3(0, 0, 0.7));
    ASSERT_TRUE(foot);
    EXPECT_NEAR(foot->gap, 0.3, 1e-6);
    EXPECT_LE((foot->normal - radial).norm(), 1e-4);
    EXPECT_NEAR(foot->point.z(), 0.7, 1e-14);
  }
}

}  // namespace
}  // namespace saltus
