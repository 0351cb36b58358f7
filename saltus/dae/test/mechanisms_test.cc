// The solvers on mechanisms with known motion. The reference states of the four-bar linkage and of
// the slider-crank come from an independent implementation, those of the elastic one from the test
// set for IVP solvers.
#include "saltus/dae/test/run_dae.h"

namespace saltus {
namespace {

StepControlOptions Control(double tolerance) {
  StepControlOptions control;
  control.tolerance = tolerance;
  control.first_step = 1e-3;
  return control;
}

/// The reference states have 9 digits after the point.
constexpr double kNineDigits = 1.1e-9;

TEST(FourBar, HasTheReferenceStates) {
  const Vector3 q_half(-0.664296630, -0.536415256, 4.317503423);
  const Vector3 q1(1.558265824, -0.491232251, 2.810850592),
      v1(2.27165135, 11.23412592, -9.46312587);
  const Vector3 q2(0.270164722, -1.261312389, 3.860278387),
      v2(6.19580439, -2.43664833, -5.06111386);
  const Vector2 lambda1(111.550177, -44.099083), lambda2(3.454777, -1.781459);
  EquationSystem system(MakeFourBar());
  for (const char* solver : {"hem5", "phem56", "dopri5"}) {
    const StepControlOptions control = Control(1e-12);
    const ControlledRun half = RunControlled(&system, solver, 0.5, control);
    EXPECT_LT((half.end.q - q_half).lpNorm<Eigen::Infinity>(), kNineDigits) << solver;
    const ControlledRun one = RunControlled(&system, solver, 1, control);
    EXPECT_LT((one.end.q - q1).lpNorm<Eigen::Infinity>(), kNineDigits) << solver;
    EXPECT_LT((one.end.v - v1).lpNorm<Eigen::Infinity>(), 1.1e-8) << solver;
    EXPECT_LT((one.lambda - lambda1).lpNorm<Eigen::Infinity>(), 1e-6) << solver;
    const ControlledRun two = RunControlled(&system, solver, 2, control);
    EXPECT_LT((two.end.q - q2).lpNorm<Eigen::Infinity>(), kNineDigits) << solver;
    EXPECT_LT((two.end.v - v2).lpNorm<Eigen::Infinity>(), 1.1e-8) << solver;
    EXPECT_LT((two.lambda - lambda2).lpNorm<Eigen::Infinity>(), 1e-6) << solver;
  }
}

TEST(FourBar, MovesAlikeInAllCoordinates) {
  const FourBarData data;
  EquationSystem angles(MakeFourBar()), points(MakeFourBarPoints()), bodies(MakeFourBarBodies());
  VectorX a, lambda;
  DaeTerms terms(&angles);
  const State start = angles.MakeInitialState();
  terms.Start(0, start.q);
  ASSERT_TRUE(terms.CalcAcceleration(0, start.q, start.v, &a, &lambda));
  EXPECT_LT((a - Vector3(53.6392857143, -40.2294642857, 30.1720982143)).norm(), 2e-10);
  EXPECT_LT((lambda - Vector2(-1.27830246766, 5.35497767857)).norm(), 2e-11);
  const Vector4 known[] = {{0.0037590524, 0.2999764483, 0.3216793508, 0.1298979845},
                           {0.2891180841, 0.0800670561, 0.3989313253, -0.2633584119}};
  for (const int t : {1, 2}) {
    const StepControlOptions control = Control(1e-12);
    const VectorX of_points = RunControlled(&points, "phem56", t, control).end.q;
    EXPECT_LT((of_points - known[t - 1]).lpNorm<Eigen::Infinity>(), 1.1e-10);
    const VectorX phi = RunControlled(&angles, "phem56", t, control).end.q;
    const VectorX of_bodies = RunControlled(&bodies, "phem56", t, control).end.q;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(of_bodies[3 * k + 2], phi[k], 2e-9);
    EXPECT_NEAR(of_points[0], data.length[0] * std::cos(phi[0]), 1e-10);
  }
}

TEST(SliderCrank, HasTheReferenceStates) {
  EquationSystem system(MakeSliderCrank());
  for (const char* solver : {"hem5", "phem56", "dopri5", "hem4", "rk4", "rkf45"}) {
    const ControlledRun run = RunControlled(&system, solver, 1, Control(1e-12));
    EXPECT_LT((run.end.q - Vector2(-0.7983299365, 0.3662276190)).norm(), 2e-9) << solver;
    EXPECT_LT((run.end.v - Vector2(-3.3579297172, 1.2549800803)).norm(), 2e-9) << solver;
    EXPECT_NEAR(run.lambda[0], 19.52538140, 2e-8) << solver;
  }
}

TEST(DoublePendulum, HasTheReferenceStates) {
  EquationSystem system(MakeDoublePendulum());
  for (const char* solver : {"dopri5", "hem5", "rkf45"}) {
    const DaePoint one = RunControlled(&system, solver, 1, Control(1e-12)).end;
    EXPECT_LT((one.q - Vector2(-0.92637335085, -0.38304729542)).norm(), 1e-10) << solver;
    EXPECT_LT((one.v - Vector2(-0.2018313886, -2.6528086710)).norm(), 1e-9) << solver;
    const DaePoint two = RunControlled(&system, solver, 2, Control(1e-12)).end;
    EXPECT_LT((two.q - Vector2(0.65003897801, 0.23326123998)).norm(), 1e-10) << solver;
    EXPECT_LT((two.v - Vector2(3.9498235052, -4.3912723558)).norm(), 2e-9) << solver;
  }
}

// λ has the sign of the test set reversed: M v̇ = f − Gᵀλ there.
TEST(FlexibleSliderCrank, AgreesWithTheTestSet) {
  EquationSystem system(MakeFlexibleSliderCrank());
  VectorX q(7), lambda(3), v(7);
  q << 15, -0.3311734988256260, 0.1697373328427860, 1.893192899613509e-4, 2.375751249879174e-5,
      -5.323896770569702e-6, -8.363313279112129e-6;
  lambda << 62.32935833287916, 163.7920993367306, -25.29857947066878;
  v << 150, 60.25346755, -8.753116326, -3.005541406e-2, -5.500431769e-3, 4.974110e-4, 1.105560e-3;
  for (const char* name : {"hem5", "phem56"}) {
    DaeTerms terms(&system);
    const std::unique_ptr<DaeSolver> solver = MakeDaeSolver(name);
    const State state = system.MakeInitialState();
    solver->Start(&terms, {0, state.q, state.v});
    for (int k = 0; k < 40000; ++k) {
      ASSERT_TRUE(solver->TryStep(0.1 / 40000).ok());
      solver->Accept();
    }
    const DaePoint& end = solver->point();
    VectorX a, force;
    ASSERT_TRUE(solver->CalcDenseForces(1, &a, &force));
    for (int i = 0; i < 7; ++i) {
      EXPECT_NEAR(end.q[i] / q[i], 1, 1e-9) << name << " " << i;
      EXPECT_NEAR(end.v[i] / v[i], 1, i < 5 ? 2e-8 : 1e-6) << name << " " << i;  // digits given
    }
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(force[i] / lambda[i], 1, 2e-9) << name;
  }
}

// Implicit steps are not bound by the highest frequency: ten times longer than explicit ones, and
// longer still with more damping.
TEST(RotatingBeam, NeedsImplicitSteps) {
  const RotatingBeamData data;
  EquationSystem system(MakeRotatingBeam(data));
  const auto count = [&](const char* solver, double tolerance, double rho_inf, double t_end) {
    DaeSolverOptions method;
    method.rho_inf = rho_inf;
    method.error_weight = 0.01;
    StepControlOptions control = Control(tolerance);
    control.first_step = 1e-5;
    const ControlledRun run = RunControlled(&system, solver, t_end, control, method);
    return static_cast<double>(run.statistics.accepted) / t_end;
  };
  for (const double tolerance : {1e-2, 1e-4}) {
    const double explicit_rate = count("hem5", tolerance, 0, 0.05);
    const double rates[] = {count("alpha-index2", tolerance, 0.99, 0.5),
                            count("alpha-index2", tolerance, 0.5, 0.5)};
    EXPECT_GT(explicit_rate / rates[0], 5) << tolerance;
    EXPECT_GT(explicit_rate / rates[1], 10) << tolerance;
    EXPECT_LT(rates[1], rates[0]) << tolerance;
  }
  const DaePoint half = RunControlled(&system, "alpha-index2", 0.5, Control(1e-7)).end;
  EXPECT_LT((CalcBeamTip(data, half.q) - Vector2(0.8590871, 0.7157706)).norm(), 1e-4);
  EXPECT_NEAR(half.q[30] - half.q[0], 0.637504, 2e-4);
}

/// |G v + g_t| ≤ 20 ε |G||v| after every step.
TEST(HalfExplicit, MeetsTheHiddenConstraintToRounding) {
  for (const char* name : {"hem4", "hem5", "phem56"}) {
    for (const double tolerance : {1e-3, 1e-7}) {
      EquationSystem system(MakeFourBar());
      DaeTerms terms(&system);
      DaeRun run(MakeDaeSolver(name), Control(tolerance));
      const State state = system.MakeInitialState();
      run.Start(&terms, {0, state.q, state.v});
      std::string failure;
      VectorX g_dot;
      SparseRows G;
      while (run.solver().point().t < 2) {
        ASSERT_TRUE(run.Advance(2, &failure)) << failure;
        const DaePoint& p = run.solver().point();
        terms.CalcHiddenConstraint(p.t, p.q, p.v, &g_dot);
        terms.CalcJacobian(p.t, p.q, &G);
        const double size = MatrixX(G).norm() * p.v.norm();
        ASSERT_LE(g_dot.norm(), 20 * std::numeric_limits<double>::epsilon() * size) << name;
      }
    }
  }
}

/// A row twice: the motion is the same, the multiplier of the second copy is zero.
TEST(RedundantJoints, AreLeftOut) {
  Equations doubled = MakeFourBar();
  const Equations single = MakeFourBar();
  doubled.constraint_names.push_back("loop y again");
  doubled.constraint = [single](double t, const VectorX& q, VectorX* g) {
    VectorX two(2);
    single.constraint(t, q, &two);
    *g << two, two[1];
  };
  doubled.jacobian = [single](double t, const VectorX& q, MatrixX* G) {
    MatrixX two(2, 3);
    single.jacobian(t, q, &two);
    *G << two, two.row(1);
  };
  doubled.bias = [single](double t, const VectorX& q, const VectorX& v, VectorX* gamma) {
    VectorX two(2);
    single.bias(t, q, v, &two);
    *gamma << two, two[1];
  };
  doubled.geometric_stiffness = [single](const VectorX& q, const VectorX& lambda, BlockMatrix* K) {
    single.geometric_stiffness(q, Vector2(lambda[0], lambda[1] + lambda[2]), K);
  };
  EquationSystem system(doubled), reference(single);
  for (const char* solver : {"hem5", "phem56", "dopri5", "alpha-index2", "alpha-index3"}) {
    const StepControlOptions control = Control(1e-5);
    const ControlledRun run = RunControlled(&system, solver, 0.3, control);
    const ControlledRun same = RunControlled(&reference, solver, 0.3, control);
    EXPECT_LT((run.end.q - same.end.q).norm(), 1e-10) << solver;
    EXPECT_EQ(run.lambda[2], 0) << solver;
    EXPECT_NEAR(run.lambda[1], same.lambda[1], 1e-8) << solver;
  }
}

TEST(Drift, IsHeldByProjectionAndLoweredByBaumgarte) {
  EquationSystem system(MakeFourBar());
  StepControlOptions control = Control(1e-5);
  const DaeStatistics plain = RunControlled(&system, "rkf45", 2, control).statistics;
  const DaeStatistics damped =
      RunControlled(&system, "rkf45", 2, control, {}, Baumgarte{20, 20}).statistics;
  control.projection = true;
  const DaeStatistics projected = RunControlled(&system, "rkf45", 2, control).statistics;
  EXPECT_GT(plain.max_position_drift, 1e-6);
  EXPECT_LT(damped.max_position_drift, 0.3 * plain.max_position_drift);
  EXPECT_LT(projected.max_position_drift, 1e-12);
  EXPECT_LT(projected.max_velocity_drift, 1e-13);
}

TEST(Drift, LimitsShortenSteps) {
  EquationSystem system(MakeFourBar());
  StepControlOptions control = Control(1e-3);
  const DaeStatistics free = RunControlled(&system, "alpha-index3", 0.5, control).statistics;
  control.max_velocity_drift = 0.1 * free.max_velocity_drift;
  const DaeStatistics held = RunControlled(&system, "alpha-index3", 0.5, control).statistics;
  EXPECT_LE(held.max_velocity_drift, control.max_velocity_drift);
  EXPECT_GT(held.accepted, free.accepted);
}

}  // namespace
}  // namespace saltus
