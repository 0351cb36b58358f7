// Orders inside a step, and the symplectic methods.
#include "saltus/dae/half_explicit.h"
#include "saltus/dae/test/run_dae.h"

namespace saltus {
namespace {

/// The slider-crank at t = 0.2, where nothing is special.
Equations MakeMovingCrank() {
  Equations e = MakeSliderCrank();
  EquationSystem system(e);
  const DaePoint point = RunFixed(&system, "hem5", 0.2, 400);
  e.q0 = point.q;
  e.v0 = point.v;
  return e;
}

/// Errors at θ = 0.3 and 0.7 of one step h.
struct DenseErrors {
  double q = 0, v = 0, a = 0, lambda = 0;
};

DenseErrors CalcDenseErrors(const std::string& name, double h) {
  EquationSystem system(MakeMovingCrank());
  DaeTerms terms(&system), exact_terms(&system);
  const std::unique_ptr<DaeSolver> solver = MakeDaeSolver(name);
  const State state = system.MakeInitialState();
  solver->Start(&terms, {0, state.q, state.v});
  DenseErrors errors;
  EXPECT_TRUE(solver->TryStep(h).ok());
  for (const double theta : {0.3, 0.7}) {
    const DaePoint exact = RunFixed(&system, "hem5", theta * h, 200);
    VectorX q, v, a, lambda, a_exact, lambda_exact;
    solver->CalcDense(theta, &q, &v);
    EXPECT_TRUE(solver->CalcDenseForces(theta, &a, &lambda));
    exact_terms.Start(exact.t, exact.q);
    EXPECT_TRUE(exact_terms.CalcAcceleration(exact.t, exact.q, exact.v, &a_exact, &lambda_exact));
    errors.q = std::max(errors.q, (q - exact.q).norm());
    errors.v = std::max(errors.v, (v - exact.v).norm());
    errors.a = std::max(errors.a, (a - a_exact).norm());
    errors.lambda = std::max(errors.lambda, (lambda - lambda_exact).norm());
  }
  return errors;
}

struct DenseCase {
  std::string solver;
  double q, v, forces;  // least orders of the error in one step
};

TEST(DenseOutput, HasItsOrder) {
  const DenseCase cases[] = {
      {"hem5", 5, 5, 5}, {"phem56", 5, 5, 5}, {"dopri5", 5, 5, 5},       {"rkf45", 5, 4, 4},
      {"rk4", 5, 4, 4},  {"hem4", 5, 4, 4},   {"alpha-index2", 3, 2, 2}, {"alpha-index3", 3, 2, 2}};
  for (const DenseCase& c : cases) {
    std::vector<double> steps, q, v, a, lambda;
    for (const double h : {0.02, 0.014, 0.01, 0.007, 0.005}) {
      const DenseErrors errors = CalcDenseErrors(c.solver, h);
      steps.push_back(h);
      q.push_back(errors.q);
      v.push_back(errors.v);
      a.push_back(errors.a);
      lambda.push_back(errors.lambda);
    }
    EXPECT_GT(FitOrder(steps, q), c.q - 0.35) << c.solver;
    EXPECT_GT(FitOrder(steps, v), c.v - 0.35) << c.solver;
    EXPECT_GT(FitOrder(steps, a), c.forces - 0.35) << c.solver;
    EXPECT_GT(FitOrder(steps, lambda), c.forces - 0.35) << c.solver;
  }
}

/// Forces of hem5 without a further factorisation: order 3. Velocities inside a step meet the
/// hidden constraint.
TEST(DenseOutput, OfHem5HasQuickForcesAndHoldsTheJoints) {
  EquationSystem system(MakeMovingCrank());
  std::vector<double> steps, a_errors, lambda_errors;
  for (const double h : {0.08, 0.04, 0.02, 0.01}) {
    DaeTerms terms(&system);
    Hem5 solver;
    const State state = system.MakeInitialState();
    solver.Start(&terms, {0, state.q, state.v});
    ASSERT_TRUE(solver.TryStep(h).ok());
    double a_error = 0, lambda_error = 0;
    VectorX q, v, a, lambda, a_exact, lambda_exact, g_dot;
    for (const double theta : {0.2, 0.4, 0.6, 0.8}) {
      ASSERT_TRUE(solver.CalcQuickForces(theta, &a, &lambda));
      ASSERT_TRUE(solver.CalcDenseForces(theta, &a_exact, &lambda_exact));
      a_error = std::max(a_error, (a - a_exact).norm());
      lambda_error = std::max(lambda_error, (lambda - lambda_exact).norm());
      solver.CalcDense(theta, &q, &v);
      terms.CalcHiddenConstraint(theta * h, q, v, &g_dot);
      EXPECT_LT(g_dot.norm(), 1e-14);
    }
    steps.push_back(h);
    a_errors.push_back(a_error);
    lambda_errors.push_back(lambda_error);
  }
  EXPECT_GT(FitOrder(steps, a_errors), 2.8) << a_errors.back();
  EXPECT_GT(FitOrder(steps, lambda_errors), 2.8) << lambda_errors.back();
}

/// Continuity: the dense output meets both ends.
TEST(DenseOutput, MeetsBothEnds) {
  EquationSystem system(MakeFourBar());
  for (const DaeSolverInfo& info : ListDaeSolvers()) {
    if (info.name == "stormer-verlet" || info.name == "shake" || info.name == "rattle") continue;
    DaeTerms terms(&system);
    const std::unique_ptr<DaeSolver> solver = info.make({});
    const State state = system.MakeInitialState();
    solver->Start(&terms, {0, state.q, state.v});
    ASSERT_TRUE(solver->TryStep(0.01).ok()) << info.name;
    solver->Accept();
    ASSERT_TRUE(solver->TryStep(0.01).ok()) << info.name;
    VectorX q, v;
    solver->CalcDense(1e-9, &q, &v);
    EXPECT_LT((q - solver->start().q).norm(), 1e-10) << info.name;
    EXPECT_LT((v - solver->start().v).norm(), 1e-7) << info.name;
    solver->CalcDense(1 - 1e-9, &q, &v);
    EXPECT_LT((q - solver->end().q).norm(), 1e-10) << info.name;
    EXPECT_LT((v - solver->end().v).norm(), 1e-7) << info.name;
  }
}

// --- Symplectic methods --------------------------------------------------------------------------

struct LongRun {
  double max_g = 0, max_g_dot = 0, max_energy_error = 0;
};
LongRun RunPendulum(const std::string& name, double h, double t_end) {
  EquationSystem system(MakeDoublePendulumPoints());
  DaeTerms terms(&system);
  const std::unique_ptr<DaeSolver> solver = MakeDaeSolver(name);
  const State state = system.MakeInitialState();
  const double energy = system.CalcEnergy(0, state.q, state.v).total();
  solver->Start(&terms, {0, state.q, state.v});
  LongRun run;
  VectorX g;
  for (long k = 0; k < std::lround(t_end / h); ++k) {
    EXPECT_TRUE(solver->TryStep(h).ok());
    solver->Accept();
    const DaePoint& p = solver->point();
    terms.CalcConstraint(p.t, p.q, &g);
    run.max_g = std::max(run.max_g, g.norm());
    terms.CalcHiddenConstraint(p.t, p.q, p.v, &g);
    run.max_g_dot = std::max(run.max_g_dot, g.norm());
    const double error = std::abs(system.CalcEnergy(p.t, p.q, p.v).total() - energy);
    run.max_energy_error = std::max(run.max_energy_error, error);
  }
  return run;
}

TEST(Symplectic, KeepsJointsAndEnergyOverLongTimes) {
  const LongRun rattle = RunPendulum("rattle", 1e-3, 100), fine = RunPendulum("rattle", 5e-4, 100);
  EXPECT_LT(rattle.max_g, 1e-13);
  EXPECT_LT(rattle.max_g_dot, 1e-13);
  EXPECT_LT(rattle.max_energy_error, 1e-3);
  EXPECT_NEAR(rattle.max_energy_error / fine.max_energy_error, 4, 1.2);  // O(h²)
  const LongRun shake = RunPendulum("shake", 1e-3, 10);
  EXPECT_LT(shake.max_g, 1e-13);
  EXPECT_LT(shake.max_g_dot, 1e-9);  // joints are quadratic in q: exact but for rounding over h
}

TEST(Symplectic, HasOrderTwoAndShakeHasThePositionsOfRattle) {
  EquationSystem system(MakeDoublePendulumPoints());
  const DaePoint exact = RunFixed(&system, "hem5", 1, 2000);
  for (const char* name : {"shake", "rattle"}) {
    std::vector<double> steps, q_errors, v_errors;
    for (const int n : {100, 140, 200, 280, 400, 560}) {
      const DaePoint end = RunFixed(&system, name, 1, n);
      steps.push_back(1.0 / n);
      q_errors.push_back((end.q - exact.q).norm());
      v_errors.push_back((end.v - exact.v).norm());
    }
    EXPECT_NEAR(FitOrder(steps, q_errors), 2, 0.2) << name;
    EXPECT_NEAR(FitOrder(steps, v_errors), 2, 0.2) << name;
  }
  const DaePoint shake = RunFixed(&system, "shake", 1, 500);
  const DaePoint rattle = RunFixed(&system, "rattle", 1, 500);
  EXPECT_LT((shake.q - rattle.q).norm(), 1e-11);
}

TEST(Symplectic, RefusesWhatItCannotTreat) {
  EquationSystem variable_mass(MakeFourBar()), with_joints(MakeDoublePendulumPoints());
  const auto start = [](System* system, const char* name) {
    DaeTerms terms(system);
    const State state = system->MakeInitialState();
    MakeDaeSolver(name)->Start(&terms, {0, state.q, state.v});
  };
  EXPECT_ANY_THROW(start(&variable_mass, "rattle"));
  EXPECT_ANY_THROW(start(&with_joints, "stormer-verlet"));
  EXPECT_NO_THROW(start(&with_joints, "rattle"));
}

}  // namespace
}  // namespace saltus
