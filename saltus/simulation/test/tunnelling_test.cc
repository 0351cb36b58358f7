// Fast bodies and thin ones: a step never carries a body through another, and none is stopped that
// passes by.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "saltus/simulation/test/integrators.h"

namespace saltus {
namespace {

constexpr double kThickness = 0.02, kStep = 1e-3;

struct Projectile {
  std::string name;
  Shape shape;
};
std::vector<Projectile> ListProjectiles() {
  return {{"sphere", Sphere{0.03}},
          {"box", Box{{0.03, 0.02, 0.04}}},
          {"capsule", Capsule{0.02, 0.03}},
          {"cylinder", Cylinder{0.03, 0.02}}};
}

/// Largest n·x over the shape in its own frame.
double CalcExtent(const Shape& shape, const Vector3& n) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return s->radius;
  if (const auto* s = std::get_if<Box>(&shape)) return s->half_size.dot(n.cwiseAbs());
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    return s->radius + s->half_length * std::abs(n.z());
  }
  const auto* s = std::get_if<Cylinder>(&shape);
  return s->radius * n.head<2>().norm() + s->half_length * std::abs(n.z());
}

struct Scheme {
  std::string name;
  MakeIntegrator make;
};
/// Those that promise not to pass through. A scheme takes part from the day it asks
/// System::FindTunnelled.
std::vector<Scheme> ListSchemes() {
  const auto moreau_jean = [](MoreauJeanOptions::Rows rows) -> MakeIntegrator {
    return [rows] {
      MoreauJeanOptions options;
      options.contact_rows = rows;
      return std::make_unique<MoreauJean>(options);
    };
  };
  return {{"midpoint", moreau_jean(MoreauJeanOptions::Rows::kMidpoint)},
          {"start", moreau_jean(MoreauJeanOptions::Rows::kStart)},
          {"nonsmooth_alpha",
           [] { return std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{}); }}};
}

RigidBodySpec MakeShot(const Shape& shape, const Vector3& position, const Vector3& velocity,
                       const Quaternion& orientation) {
  RigidBodySpec body = MakeBody("shot", shape, position);
  body.orientation = orientation;
  body.velocity = velocity;
  return body;
}

ShapeSpec MakePlate() {
  ShapeSpec plate;
  plate.shape = Box{{2, 2, 0.5 * kThickness}};
  plate.material = "stuff";
  return plate;
}

using Case = std::tuple<int, int>;  // scheme, projectile
class Tunnelling : public testing::TestWithParam<Case> {
 protected:
  Scheme scheme() const { return ListSchemes()[static_cast<std::size_t>(std::get<0>(GetParam()))]; }
  Projectile projectile() const {
    return ListProjectiles()[static_cast<std::size_t>(std::get<1>(GetParam()))];
  }
};
std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return ListSchemes()[static_cast<std::size_t>(std::get<0>(info.param))].name + "_" +
         ListProjectiles()[static_cast<std::size_t>(std::get<1>(info.param))].name;
}

/// Lowest point of the shot over the upper face of the plate, which is the body `plate` or ground.
double CalcHeight(const MultibodySystem& system, const State& state, const Shape& shape) {
  const Pose shot = system.CalcBodyMotion(0, state.q, state.v).pose;
  Pose plate;
  if (system.model().bodies.size() > 1) plate = system.CalcBodyMotion(1, state.q, state.v).pose;
  const Vector3 n = plate.R * Vector3::UnitZ();
  return n.dot(shot.p - plate.p) - CalcExtent(shape, shot.R.conjugate() * -n) - 0.5 * kThickness;
}

/// The least height of the shot over the plate, and how the run ended. Steps that fail are halved:
/// a corner that hits at 3 km/s turns its body several times in a step of 1 ms.
struct Shooting {
  double least = 1, final_rise = 0, final_x = 0;
  RunOutcome outcome;
};
Shooting Shoot(const Scheme& scheme, const ModelBuilder& builder, const Shape& shape, int steps) {
  const auto model = builder.Build();
  SimulationOptions options;
  options.step = kStep;
  options.until = steps * kStep;
  options.on_failure = FailurePolicy::kHalve;
  const MultibodySystem judge(model);
  Shooting result;
  Runner runner([&](const StepView& view) {
    result.least = std::min(result.least, CalcHeight(judge, view.state, shape));
  });
  Simulation simulation(std::make_unique<MultibodySystem>(model), scheme.make(), options);
  simulation.AddObserver(&runner);
  result.outcome = simulation.Run();
  result.final_rise = simulation.state().v[2];
  result.final_x = simulation.state().q[0];
  return result;
}

TEST_P(Tunnelling, APlateIsNeverCrossed) {
  const Shape shape = projectile().shape;
  for (const double travel : {0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1.0, 3.0}) {
    for (const double share : {0.05, 0.5, 0.97}) {  // where in the step it arrives
      for (const double e : {0.0, 0.6}) {
        const double lowest = CalcExtent(shape, -Vector3::UnitZ());
        ModelBuilder builder;
        builder.Add(MakeMaterial(0.3, e)).AddGroundShape(MakePlate());
        builder.Add(MakeShot(shape, {0.1, -0.2, 0.5 * kThickness + lowest + share * travel},
                             {0, 0, -travel / kStep}, Quaternion::Identity()));
        const Shooting shooting = Shoot(scheme(), builder, shape, 4);
        const std::string where = "travel " + std::to_string(travel) + " share " +
                                  std::to_string(share) + " e " + std::to_string(e);
        EXPECT_EQ(shooting.outcome.kind, RunOutcome::Kind::kFinished)
            << where << shooting.outcome.message;
        EXPECT_GT(shooting.least, -1e-8) << where;
        EXPECT_GE(shooting.final_rise, e > 0 ? 0.5 * travel / kStep : -0.1) << where;
      }
    }
  }
}

/// Corners, edges and rims hit first, at an angle, and the body turns.
TEST_P(Tunnelling, APlateIsNeverCrossedAtAnAngle) {
  const Shape shape = projectile().shape;
  for (const double travel : {0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1.0, 3.0}) {
    for (const double share : {0.05, 0.5, 0.97}) {
      for (const double angle : {0.1, 0.7}) {
        const Quaternion R(Eigen::AngleAxisd(angle, Vector3(1, 2, 0.5).normalized()));
        const double lowest = CalcExtent(shape, R.conjugate() * -Vector3::UnitZ());
        ModelBuilder builder;
        builder.Add(MakeMaterial(0.3, 0.2)).AddGroundShape(MakePlate());
        builder.Add(MakeShot(shape, {0.1, -0.2, 0.5 * kThickness + lowest + share * travel},
                             travel / kStep * Vector3(0.2, 0.1, -1), R));
        const Shooting shooting = Shoot(scheme(), builder, shape, 4);
        const std::string where = "travel " + std::to_string(travel) + " share " +
                                  std::to_string(share) + " angle " + std::to_string(angle);
        EXPECT_EQ(shooting.outcome.kind, RunOutcome::Kind::kFinished)
            << where << shooting.outcome.message;
        EXPECT_GT(shooting.least, -1e-8) << where;
      }
    }
  }
}

/// The plate is a body of its own, light and moving towards the shot.
TEST_P(Tunnelling, APlateThatFliesIsNeverCrossed) {
  const Shape shape = projectile().shape;
  for (const double travel : {0.02, 0.1, 1.0}) {
    const double lowest = CalcExtent(shape, -Vector3::UnitZ());
    ModelBuilder builder;
    builder.Add(MakeMaterial(0.3, 0.2));
    builder.Add(MakeShot(shape, {0.1, -0.2, 0.5 * kThickness + lowest + 0.6 * travel},
                         {0, 0, -0.5 * travel / kStep}, Quaternion::Identity()));
    RigidBodySpec plate = MakeBody("plate", Box{{0.5, 0.5, 0.5 * kThickness}}, Vector3::Zero());
    plate.velocity = Vector3(0, 0, 0.5 * travel / kStep);
    builder.Add(plate);
    const Shooting shooting = Shoot(scheme(), builder, shape, 2);
    EXPECT_EQ(shooting.outcome.kind, RunOutcome::Kind::kFinished) << shooting.outcome.message;
    EXPECT_GT(shooting.least, -1e-8) << travel;
  }
}

/// Moreau–Jean alone: nonsmooth-alpha holds all features of the start within its margin, and the
/// planes of corners reach beyond them.
class Passing : public Tunnelling {};
TEST_P(Passing, WhatPassesByIsNotStopped) {
  const Shape shape = projectile().shape;
  for (const double travel : {0.05, 0.3, 1.0, 3.0}) {
    for (const double clearance : {1e-4, 1e-2}) {
      const double beside = 2 + clearance + CalcExtent(shape, -Vector3::UnitX());
      const double speed = travel / kStep;
      ModelBuilder builder;
      builder.Add(MakeMaterial(0.3, 0)).AddGroundShape(MakePlate());
      builder.Add(
          MakeShot(shape, {beside, 0.3, 0.4 * travel}, {0, 0, -speed}, Quaternion::Identity()));
      const Shooting shooting = Shoot(scheme(), builder, shape, 4);
      EXPECT_EQ(shooting.outcome.kind, RunOutcome::Kind::kFinished) << shooting.outcome.message;
      EXPECT_NEAR(shooting.final_rise, -speed - 9.81 * 4 * kStep, 1e-9 * speed) << travel;
      EXPECT_NEAR(shooting.final_x, beside, 1e-9) << travel;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Passing,
                         testing::Combine(testing::Values(0, 1), testing::Range(0, 4)), NameOf);
INSTANTIATE_TEST_SUITE_P(All, Tunnelling,
                         testing::Combine(testing::Range(0, static_cast<int>(ListSchemes().size())),
                                          testing::Range(0, 4)),
                         NameOf);

/// Two equal balls that would change places, a little off the centre: after the step each is on the
/// side it came from, and what they bring along the line of centres they keep (e = 0) or exchange.
TEST(TunnellingOfBalls, EqualOnesDoNotChangePlaces) {
  for (const Scheme& scheme : ListSchemes()) {
    for (const double e : {0.0, 1.0}) {
      ModelBuilder builder;
      builder.Add(MakeMaterial(0, e)).SetGravity(Vector3::Zero());
      builder.Add(MakeShot(Sphere{0.05}, {-0.4, 0, 0}, {1000, 0, 0}, Quaternion::Identity()));
      RigidBodySpec other = MakeBody("other", Sphere{0.05}, {0.3, 0.02, 0});
      other.velocity = Vector3(-1000, 0, 0);
      builder.Add(other);
      const RunResult run = RunWith(builder.Build(), scheme.make(), kStep, kStep);
      EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << run.outcome.message;
      EXPECT_LT(run.state.q[0], run.state.q[7]) << scheme.name << " e " << e;
      // They hit where the centres are 0.1 apart, 0.02 of it across the way.
      const Vector3 n(std::sqrt(0.1 * 0.1 - 0.02 * 0.02) / 0.1, 0.2, 0);
      const Vector3 v0 = run.state.v.head<3>(), v1 = run.state.v.segment<3>(6);
      EXPECT_NEAR((v0 + v1).norm(), 0, 1e-9);
      EXPECT_NEAR(n.dot(v1 - v0), e * 2000 * n.x(), 0.1) << scheme.name << " e " << e;
    }
  }
}

/// A box that falls on a tilted box, at steps from fine to coarse: the axis of the start of each
/// step keeps the upper one above the lower one.
TEST(HeldAxes, ABoxDoesNotFallIntoABox) {
  const auto turn = [](double x, double y, double z) {
    return Quaternion(Eigen::AngleAxisd(z, Vector3::UnitZ()) *
                      Eigen::AngleAxisd(y, Vector3::UnitY()) *
                      Eigen::AngleAxisd(x, Vector3::UnitX()));
  };
  for (const Scheme& scheme : ListSchemes()) {
    for (const double h : {5e-4, 1e-3, 4e-3, 0.01, 0.03}) {
      ModelBuilder builder;
      builder.Add(MakeMaterial(0.4, 0)).AddGroundShape(MakeFloor());
      RigidBodySpec lower = MakeBody("lower", Box{{0.05, 0.05, 0.025}}, {0, 0, 0.05});
      lower.orientation = turn(0, 0.05, 0);
      RigidBodySpec upper = MakeBody("upper", Box{{0.05, 0.05, 0.025}}, {0, 0, 0.18});
      upper.orientation = turn(0.007, 0.014, 0.3);
      builder.Add(lower).Add(upper);
      const auto model = builder.Build();
      const RunResult run = RunWith(model, scheme.make(), h, 0.6);
      EXPECT_EQ(run.outcome.kind, RunOutcome::Kind::kFinished) << h << run.outcome.message;
      EXPECT_LT(run.audit.max_penetration, 1e-8) << scheme.name << ' ' << h;
      EXPECT_NEAR(run.state.q[2], 0.025, 1e-3) << scheme.name << ' ' << h;
      EXPECT_NEAR(run.state.q[9], 0.075, 1e-3) << scheme.name << ' ' << h;
    }
  }
}

/// The axes of a step follow from the state alone: a run that is interrupted and goes on with a new
/// integrator and a new system ends bit for bit like one that is not.
TEST(HeldAxes, ARestartIsBitForBit) {
  for (const Scheme& scheme : ListSchemes()) {
    ModelBuilder builder;
    builder.Add(MakeMaterial(0.4, 0.2)).AddGroundShape(MakePlate());
    builder.Add(MakeShot(Box{{0.03, 0.02, 0.04}}, {0.1, 0, 0.08}, {3, 0, -20},
                         Quaternion(Eigen::AngleAxisd(0.3, Vector3::UnitX()))));
    RigidBodySpec other = MakeBody("other", Capsule{0.02, 0.03}, {0.1, 0, 0.2});
    other.velocity = Vector3(0, 0, -60);
    builder.Add(other);
    const auto model = builder.Build();
    const auto run = [&](int break_at) {
      auto system = std::make_unique<MultibodySystem>(model);
      auto integrator = scheme.make();
      State state = system->MakeInitialState();
      for (int k = 0; k < 60; ++k) {
        if (k == break_at) {
          system = std::make_unique<MultibodySystem>(model);
          integrator = scheme.make();
        }
        EXPECT_EQ(integrator->Step(*system, kStep, &state).status, StepStatus::kOk) << k;
      }
      return state;
    };
    const State whole = run(-1);
    for (const int k : {1, 3, 5, 17}) {
      const State broken = run(k);
      EXPECT_EQ(whole.q, broken.q) << k;
      EXPECT_EQ(whole.v, broken.v) << k;
    }
  }
}

}  // namespace
}  // namespace saltus
