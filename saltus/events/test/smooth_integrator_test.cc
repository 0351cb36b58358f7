// Smooth solvers as integrators: dense output at output times, continued runs, the ledger, contacts
// refused; and on rotations, where the order must not fall.
#include "saltus/events/smooth_integrator.h"

#include <cmath>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/multibody/test/models.h"

#include "problems/impact_problems.h"
#include "problems/mechanisms.h"

namespace saltus {
namespace {

SmoothIntegratorOptions MakeOptions(const std::string& solver, double tolerance) {
  SmoothIntegratorOptions options;
  options.solver = solver;
  options.control.tolerance = tolerance;
  return options;
}

State RunSteps(Integrator* integrator, System* system, State state, double h, int steps,
               StepWork* work = nullptr) {
  for (int k = 0; k < steps; ++k) {
    const StepReport& report = integrator->Step(*system, h, &state);
    EXPECT_TRUE(report.ok()) << integrator->name() << ": " << report.culprit;
    if (work != nullptr) *work += report.work;
  }
  return state;
}

const std::vector<std::string>& ListControlled() {
  static const std::vector<std::string> names = {"hem5",  "phem56", "hem4",        "dopri5",
                                                 "rkf45", "rk4",    "alpha-index2"};
  return names;
}

TEST(SmoothIntegrator, OutputTimesDoNotChangeTheSteps) {
  for (const std::string& name : ListControlled()) {
    EquationSystem system(MakeFourBar());
    SmoothIntegrator coarse(MakeOptions(name, 1e-7)), fine(MakeOptions(name, 1e-7));
    const State start = system.MakeInitialState();
    const State few = RunSteps(&coarse, &system, start, 0.25, 2);
    const State many = RunSteps(&fine, &system, start, 0.5 / 512, 512);
    EXPECT_EQ(coarse.statistics().accepted, fine.statistics().accepted) << name;
    EXPECT_LT((few.q - many.q).norm(), 1e-12) << name;
    const double error = (few.q - Vector3(-0.664296630, -0.536415256, 4.317503423)).norm();
    EXPECT_LT(error, name == "alpha-index2" ? 2e-4 : 2e-6) << name;
  }
}

TEST(SmoothIntegrator, AContinuedRunGoesOnWithTheSameSteps) {
  for (const DaeSolverInfo& info : ListDaeSolvers()) {
    const bool symplectic = info.make({})->error_order() == 0;
    if (info.name == "stormer-verlet") continue;
    EquationSystem system(symplectic ? MakeDoublePendulumPoints() : MakeFourBar());
    SmoothIntegrator whole(MakeOptions(info.name, 1e-5)), first(MakeOptions(info.name, 1e-5)),
        second(MakeOptions(info.name, 1e-5));
    const State start = system.MakeInitialState();
    const State expected = RunSteps(&whole, &system, start, 0.003, 60);
    const State middle = RunSteps(&first, &system, start, 0.003, 25);
    const State end = RunSteps(&second, &system, middle, 0.003, 35);
    EXPECT_EQ(end.q, expected.q) << info.name;  // bit for bit
    EXPECT_EQ(end.v, expected.v) << info.name;
    EXPECT_EQ(end.time, expected.time) << info.name;
  }
}

TEST(SmoothIntegrator, StartsAgainFromAStateThatWasChanged) {
  EquationSystem system(MakeDoublePendulum());
  SmoothIntegrator integrator(MakeOptions("dopri5", 1e-9)), fresh(MakeOptions("dopri5", 1e-9));
  State state = RunSteps(&integrator, &system, system.MakeInitialState(), 0.1, 3);
  state.v *= -1;
  State copy = state;
  copy.integrator.clear();
  const State end = RunSteps(&integrator, &system, state, 0.1, 2);
  const State expected = RunSteps(&fresh, &system, copy, 0.1, 2);
  EXPECT_LT((end.q - expected.q).norm(), 1e-12);
}

/// Torque and prescribed speed: work and energy agree to the tolerance.
TEST(SmoothIntegrator, LedgerCloses) {
  for (const std::string name : {"hem5", "phem56", "dopri5"}) {
    EquationSystem bar(MakeFourBar()), rod(MakeFlexibleSliderCrank());
    for (EquationSystem* system : {&bar, &rod}) {
      SmoothIntegrator integrator(MakeOptions(name, 1e-10));
      const State start = system->MakeInitialState();
      StepWork work;
      const double h = system == &bar ? 0.05 : 0.001;
      const State end = RunSteps(&integrator, system, start, h, 20, &work);
      const double change = system->CalcEnergy(end.time, end.q, end.v).total() -
                            system->CalcEnergy(0, start.q, start.v).total();
      EXPECT_GT(std::abs(work.loads + work.drives), 1e-3) << name;
      EXPECT_NEAR(work.loads + work.drives, change, 1e-6 * (1 + std::abs(change))) << name;
    }
  }
}

TEST(SmoothIntegrator, StopsAtAContactAndNamesIt) {
  EquationSystem ball(MakeBouncingBall({}));
  SmoothIntegrator integrator(MakeOptions("hem5", 1e-8));
  State state = ball.MakeInitialState();
  try {
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(integrator.Step(ball, 0.01, &state).ok());
    FAIL() << "the ball reaches the floor at t = 0.45 s";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("floor"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("moreau-jean"), std::string::npos) << error.what();
  }
  EXPECT_LT(state.time, 0.46);
}

// --- Rotations -----------------------------------------------------------------------------------

/// A body that tumbles freely, or a top on a ball joint with gravity.
std::unique_ptr<MultibodySystem> MakeTop(bool held) {
  ModelBuilder builder;
  RigidBodySpec body = MakeBodySpec("top", {0.1, 0.2, 0.3});
  body.angular_velocity = Vector3(3, -2, 5);
  if (held) {
    const Vector3 pivot(0, 0, 0);
    body.velocity = body.angular_velocity.cross(body.position - pivot);
  }
  builder.Add(body);
  if (held) {
    JointSpec joint{.name = "pivot", .type = JointType::kSpherical};
    joint.body_a = "ground";
    joint.body_b = "top";
    joint.at = Vector3(0, 0, 0);
    builder.Add(joint);
  }
  return std::make_unique<MultibodySystem>(builder.Build());
}

DaePoint RunFixed(System* system, const std::string& solver_name, double t_end, int steps) {
  DaeTerms terms(system);
  const std::unique_ptr<DaeSolver> solver = MakeDaeSolver(solver_name);
  const State state = system->MakeInitialState();
  solver->Start(&terms, {0, state.q, state.v});
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(solver->TryStep(t_end / steps).ok()) << solver_name;
    solver->Accept();
  }
  return solver->point();
}

TEST(Rotations, KeepTheOrder) {
  const std::pair<std::string, double> cases[] = {
      {"hem5", 5},  {"phem56", 5}, {"dopri5", 5},       {"hem4", 4},
      {"rkf45", 4}, {"rk4", 4},    {"alpha-index2", 2}, {"alpha-index3", 2}};
  for (const bool held : {false, true}) {
    const auto system = MakeTop(held);
    const DaePoint exact = RunFixed(system.get(), "hem5", 1, 1500);
    for (const auto& [name, order] : cases) {
      if (!held && name == "alpha-index3") continue;
      const int first = order == 2 ? 50 : 30;
      double errors[2];
      for (int i = 0; i < 2; ++i) {
        const DaePoint end = RunFixed(system.get(), name, 1, first << (2 * i));
        VectorX delta;
        system->CalcDifference(exact.q, end.q, &delta);
        errors[i] = delta.norm();
      }
      EXPECT_GT(std::log(errors[0] / errors[1]) / std::log(4), order - 0.25)
          << name << (held ? " top " : " free ") << errors[0] << " " << errors[1];
    }
  }
}

/// Energy of the free body in gravity, by the integrator with its dense output.
TEST(Rotations, FreeBodyKeepsItsEnergy) {
  const auto system = MakeTop(false);
  SmoothIntegrator integrator(MakeOptions("phem56", 1e-11));
  const State start = system->MakeInitialState();
  const State end = RunSteps(&integrator, system.get(), start, 0.037, 100);
  const double energy = system->CalcEnergy(0, start.q, start.v).total();
  const Energy after = system->CalcEnergy(end.time, end.q, end.v);
  EXPECT_NEAR(after.total(), energy, 1e-9 * after.kinetic);
}

}  // namespace
}  // namespace saltus
