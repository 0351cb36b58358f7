// Impacts at their instants, accumulations, closed contacts and detachments, against closed forms
// and independent event lists.
#include "saltus/events/event_driven.h"

#include <cmath>

#include <gtest/gtest.h>

#include "saltus/base/error.h"

#include "problems/impact_problems.h"

namespace saltus {
namespace {

EventDrivenOptions MakeOptions(double tolerance = 1e-12, const std::string& solver = "hem5") {
  EventDrivenOptions options;
  options.solver = solver;
  options.control.tolerance = tolerance;
  return options;
}

State RunTo(EventDriven* integrator, System* system, double t_end, int steps,
            StepWork* work = nullptr) {
  State state = system->MakeInitialState();
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = integrator->Step(*system, t_end / steps, &state);
    EXPECT_TRUE(report.ok()) << report.culprit;
    if (!report.ok()) break;
    if (work != nullptr) *work += report.work;
  }
  return state;
}

std::vector<EventRecord> Impacts(const EventDriven& integrator) {
  std::vector<EventRecord> impacts;
  for (const EventRecord& event : integrator.events()) {
    if (event.kind == EventRecord::Kind::kImpact) impacts.push_back(event);
  }
  return impacts;
}

TEST(BouncingBall, IsExactThroughItsImpacts) {
  const BouncingBallData data;
  const double known[][3] = {{1, 0.7109491443330, -1.3940508556670},
                             {2, 0.0136843622851, 3.1872221811425},
                             {5, 0.1215486548391, -1.1184100332989}};
  for (const char* solver : {"hem5", "phem56", "dopri5"}) {
    for (const auto& [t, height, velocity] : known) {
      EquationSystem ball(MakeBouncingBall(data));
      EventDriven integrator(MakeOptions(1e-10, solver));
      const State state = RunTo(&integrator, &ball, t, 7);
      EXPECT_NEAR(state.q[0], height, 1e-11) << solver;
      EXPECT_NEAR(state.v[0], velocity, 1e-11) << solver;
      EXPECT_NEAR(Impacts(integrator).front().time, 0.45152364098573, 1e-13);
    }
  }
}

TEST(BouncingBall, ComesToRestAfterItsAccumulation) {
  EquationSystem ball(MakeBouncingBall({}));
  EventDriven integrator(MakeOptions(1e-8));
  StepWork work;
  const State state = RunTo(&integrator, &ball, 9, 18, &work);
  EXPECT_NEAR(state.q[0], 0, 1e-9);
  EXPECT_NEAR(state.v[0], 0, 1e-12);
  EXPECT_NEAR(work.impact_loss, 9.81, 1e-9);
  // The last bounce that is resolved has 1e-8 m/s; the exact accumulation is at 8.57894917872889 s.
  EXPECT_EQ(integrator.events().back().kind, EventRecord::Kind::kClosing);
  EXPECT_NEAR(integrator.events().back().time, 8.57894917872889, 1e-7);
}

// x'' + 0.1 x' + x = cos(0.7 t), stop at 0.5, e = 0.8; event list with 13 digits, computed apart.
TEST(ImpactOscillator, HasTheKnownImpacts) {
  const double known[][2] = {{1.100294833717798, 0.74744067978},
                             {7.826378518668811, 1.551017538152},
                             {10.29316089352185, 1.0716431006065},
                             {16.7735619157979, 1.3072819613282},
                             {19.12863567056404, 0.94496233638873}};
  EquationSystem system(MakeImpactOscillator({}));
  EventDriven integrator(MakeOptions(1e-13));
  const State state = RunTo(&integrator, &system, 25, 50);
  const std::vector<EventRecord> impacts = Impacts(integrator);
  ASSERT_EQ(impacts.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(impacts[i].time, known[i][0], 1e-11) << i;
    EXPECT_NEAR(-impacts[i].velocity_before, known[i][1], 1e-10) << i;
  }
  EXPECT_NEAR(state.q[0], -0.534726304663792, 1e-10);
  EXPECT_NEAR(state.v[0], 1.12490553495871, 1e-10);
}

TEST(ImpactOscillator, HasTheOrderOfItsSolverThroughFiveImpacts) {
  EquationSystem system(MakeImpactOscillator({}));
  double errors[2], steps[2];
  for (int i = 0; i < 2; ++i) {
    EventDrivenOptions options = MakeOptions(i == 0 ? 1e-6 : 1e-10);
    EventDriven integrator(options);
    const State state = RunTo(&integrator, &system, 25, 1);
    errors[i] = std::abs(state.q[0] + 0.534726304663792);
    steps[i] = static_cast<double>(integrator.statistics().accepted);
  }
  EXPECT_GT(std::log(errors[0] / errors[1]) / std::log(steps[1] / steps[0]), 4)
      << errors[0] << " " << errors[1];
}

/// Three equal balls on one line above a floor, e = 0.5; gaps 0.5, 0.2, 0.1 m.
Equations MakeBeads() {
  Equations e;
  e.name = "three beads";
  e.block_sizes = {3};
  e.q0 = Vector3(0.5, 0.7, 0.8);
  e.v0 = Vector3::Zero();
  e.mass = [](const VectorX&, BlockMatrix* M) { M->block(0).setIdentity(); };
  e.force = [](double, const VectorX&, const VectorX&, VectorX* f) { f->setConstant(-9.81); };
  e.energy = [](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * v.squaredNorm(), 9.81 * q.sum(), 0};
  };
  for (int i = 0; i < 3; ++i) {
    e.contacts.push_back(
        {"c" + std::to_string(i + 1), 1, 0, 0.5, {0}, [i](const VectorX& q, double* rows) {
           rows[i] = 1;
           if (i > 0) rows[i - 1] = -1;
           return i > 0 ? q[i] - q[i - 1] : q[0];
         }});
  }
  return e;
}

// Event list with 15 digits, computed apart.
TEST(Beads, HaveTheKnownImpactsAndComeToRest) {
  const struct {
    double time;
    const char* contact;
    double velocity;
  } known[] = {
      {0.31927542840705, "c1", -3.13209195267},   {0.361845485527991, "c2", -4.69813792901},
      {0.38505846097539, "c1", -2.60288901992},   {0.390225523608617, "c3", -3.52360344676},
      {0.401300581871509, "c2", -4.19796715044},  {0.410962980130819, "c1", -2.10115418578},
      {0.415371705875733, "c3", -1.38667363945},  {0.422845086556949, "c2", -2.09275293305},
      {0.428758582477387, "c3", -0.876227880059}, {0.439305674941981, "c1", -0.797029442989},
      {0.452070448767449, "c2", -0.806338608006}, {0.463179900968273, "c1", -0.440445391828},
      {0.480574119483135, "c2", -0.257498783738}, {0.492257478153031, "c1", -0.258152424073}};
  EquationSystem system(MakeBeads());
  EventDriven integrator(MakeOptions(1e-10));
  const State state = RunTo(&integrator, &system, 0.495, 3);
  const std::vector<EventRecord> impacts = Impacts(integrator);
  ASSERT_GE(impacts.size(), std::size(known));
  for (std::size_t i = 0; i < std::size(known); ++i) {
    EXPECT_NEAR(impacts[i].time, known[i].time, 1e-11) << i;
    EXPECT_EQ(impacts[i].name, known[i].contact) << i;
    EXPECT_NEAR(impacts[i].velocity_before, known[i].velocity, 1e-9) << i;
  }
  EventDriven to_rest(MakeOptions(1e-10));
  const State end = RunTo(&to_rest, &system, 0.6, 6);
  EXPECT_LT(end.q.norm(), 1e-8);  // all closed
  EXPECT_LT(end.v.norm(), 1e-12);
}

/// A point on the top of a circle of radius 1, from rest at 0.1 rad, without friction.
Equations MakeCircle() {
  Equations e;
  e.name = "circle";
  e.block_sizes = {2};
  e.q0 = Vector2(std::sin(0.1), std::cos(0.1));
  e.v0 = Vector2::Zero();
  e.mass = [](const VectorX&, BlockMatrix* M) { M->block(0).setIdentity(); };
  e.force = [](double, const VectorX&, const VectorX&, VectorX* f) { *f = Vector2(0, -9.81); };
  e.energy = [](const VectorX& q, const VectorX& v) {
    return Energy{0.5 * v.squaredNorm(), 9.81 * q[1], 0};
  };
  e.contacts = {{"circle", 1, 0, 0, {0}, [](const VectorX& q, double* rows) {
                   const double radius = q.norm();
                   rows[0] = q[0] / radius;
                   rows[1] = q[1] / radius;
                   return radius - 1;
                 }}};
  return e;
}

TEST(Detachment, FromACircleIsWhereTheForceVanishes) {
  EquationSystem system(MakeCircle());
  EventDriven integrator(MakeOptions(1e-12));
  const State state = RunTo(&integrator, &system, 1, 10);
  ASSERT_EQ(integrator.events().size(), 2u);
  EXPECT_EQ(integrator.events()[0].kind, EventRecord::Kind::kClosing);
  EXPECT_EQ(integrator.events()[1].kind, EventRecord::Kind::kDetachment);
  EXPECT_NEAR(integrator.events()[1].time, 0.907110111046, 1e-9);
  // Free flight from the angle 0.845528201857 with 2.550946342226 m/s.
  const double angle = 0.845528201857, speed = 2.550946342226, flight = 1 - 0.907110111046;
  EXPECT_NEAR(state.q[0], std::sin(angle) + speed * std::cos(angle) * flight, 1e-8);
  EXPECT_NEAR(state.v[1], -speed * std::sin(angle) - 9.81 * flight, 1e-8);
}

TEST(EventDriven, TreatsAnImpactAtTheStart) {
  BouncingBallData data;
  data.height = 0;
  data.velocity = -2;
  data.restitution = 0.5;
  EquationSystem ball(MakeBouncingBall(data));
  EventDriven integrator(MakeOptions());
  const State state = RunTo(&integrator, &ball, 0.1, 1);
  EXPECT_EQ(Impacts(integrator).front().time, 0);
  EXPECT_NEAR(state.q[0], 0.1 - 0.5 * 9.81 * 0.01, 1e-13);
}

/// Two corners at once: one impact for both.
TEST(EventDriven, TreatsSimultaneousImpactsTogether) {
  RockingBlockData data;
  data.angle = 0;
  EquationSystem block(MakeRockingBlock(data));
  EventDriven integrator(MakeOptions());
  const State state = RunTo(&integrator, &block, 0.4, 4);
  const std::vector<EventRecord> impacts = Impacts(integrator);
  ASSERT_EQ(impacts.size(), 2u);
  EXPECT_EQ(impacts[0].time, impacts[1].time);
  EXPECT_NEAR(impacts[0].time, std::sqrt(2 * 0.25 / 9.81), 1e-13);
  EXPECT_NEAR(state.q[2], 0, 1e-12);
}

TEST(EventDriven, JointsHoldThroughImpacts) {
  EquationSystem system(MakeBouncingPendulum({}));
  EventDriven integrator(MakeOptions(1e-10));
  StepWork work;
  const State state = RunTo(&integrator, &system, 1, 10, &work);
  EXPECT_GE(Impacts(integrator).size(), 1u);
  VectorX g;
  system.CalcConstraint(1, state.q, &g);
  EXPECT_LT(g.norm(), 1e-9);
  const State start = system.MakeInitialState();
  const double change = system.CalcEnergy(1, state.q, state.v).total() -
                        system.CalcEnergy(0, start.q, start.v).total();
  EXPECT_NEAR(change, -work.impact_loss, 1e-9);
}

TEST(EventDriven, RefusesFriction) {
  EquationSystem system(MakeSlidingParticle({}));
  EventDriven integrator(MakeOptions());
  State state = system.MakeInitialState();
  EXPECT_THROW((void)integrator.Step(system, 0.1, &state), InputError);
}

}  // namespace
}  // namespace saltus
