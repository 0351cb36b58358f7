// All formulations are the same accelerations; those that bear redundant rows bear them.
#include <random>

#include "saltus/dae/test/run_dae.h"

namespace saltus {
namespace {

struct Terms {
  MatrixX M, G;
  VectorX f, gamma, v;
};

/// At (q, v) with v projected onto the joints.
Terms CalcTerms(System* system, const VectorX& q, const VectorX& v) {
  DaeTerms terms(system);
  terms.Start(0, q);
  Terms t;
  t.v = v;
  EXPECT_TRUE(terms.ProjectVelocity(0, q, &t.v));
  SparseRows G;
  terms.CalcJacobian(0, q, &G);
  t.G = MatrixX(G);
  t.M = terms.CalcMass(q).ToDense();
  terms.CalcForce(0, q, t.v, &t.f);
  terms.CalcBias(0, q, t.v, &t.gamma);
  return t;
}

std::vector<Terms> MakeStates() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-3, 3);
  std::vector<Terms> states;
  const auto add = [&](Equations equations) {
    EquationSystem system(std::move(equations));
    const State start = system.MakeInitialState();
    states.push_back(CalcTerms(&system, start.q, start.v));
    for (const double t : {0.3, 1.0}) {
      StepControlOptions control;
      control.tolerance = 1e-8;
      const VectorX q = RunControlled(&system, "hem5", t, control).end.q;
      VectorX v(q.size());
      for (double& x : v) x = uniform(random);
      states.push_back(CalcTerms(&system, q, v));
    }
  };
  add(MakeFourBar());
  add(MakeFourBarPoints());
  add(MakeFourBarBodies());
  add(MakeSliderCrank());
  add(MakeDoublePendulumPoints());
  return states;
}

std::vector<Formulation> ListFormulations() {
  std::vector<Formulation> all;
  for (std::size_t i = 0; i < FormulationNames().size(); ++i) {
    all.push_back(static_cast<Formulation>(i));
  }
  return all;
}

TEST(Formulations, GiveTheSameAccelerations) {
  for (const Terms& t : MakeStates()) {
    VectorX a, lambda, same, multiplier;
    ASSERT_TRUE(CalcAcceleration(Formulation::kKkt, t.M, t.f, t.G, t.gamma, &a, &lambda));
    EXPECT_LT((t.G * a + t.gamma).norm(), 1e-11 * (1 + t.gamma.norm()));
    for (const Formulation formulation : ListFormulations()) {
      const std::string name = FormulationNames()[static_cast<std::size_t>(formulation)];
      ASSERT_TRUE(CalcAcceleration(formulation, t.M, t.f, t.G, t.gamma, &same, &multiplier))
          << name;
      EXPECT_LT((same - a).norm(), 1e-11 * (1 + a.norm())) << name;
      EXPECT_LT((multiplier - lambda).norm(), 1e-10 * (1 + lambda.norm())) << name;
    }
  }
}

TEST(Formulations, BearARepeatedRowOrReportIt) {
  for (const Terms& t : MakeStates()) {
    const Eigen::Index m = t.G.rows();
    MatrixX G(m + 1, t.G.cols());
    G << t.G, 2 * t.G.row(m - 1);
    VectorX gamma(m + 1), a, lambda, same, multiplier;
    gamma << t.gamma, 2 * t.gamma[m - 1];
    ASSERT_TRUE(CalcAcceleration(Formulation::kKkt, t.M, t.f, t.G, t.gamma, &a, &lambda));
    for (const Formulation formulation : ListFormulations()) {
      const bool bears =
          formulation == Formulation::kKkt || formulation == Formulation::kUdwadiaKalaba;
      const bool solved = CalcAcceleration(formulation, t.M, t.f, G, gamma, &same, &multiplier);
      EXPECT_EQ(solved, bears) << FormulationNames()[static_cast<std::size_t>(formulation)];
      if (solved) {
        EXPECT_LT((same - a).norm(), 1e-11 * (1 + a.norm()));
      }
    }
  }
}

/// As an option of an explicit solver: the same motion.
TEST(Formulations, IntegrateTheSameMotion) {
  EquationSystem system(MakeFourBar());
  StepControlOptions control;
  control.tolerance = 1e-8;
  control.first_step = 1e-3;
  const DaePoint expected = RunControlled(&system, "dopri5", 0.4, control).end;
  for (const Formulation formulation : ListFormulations()) {
    const ControlledRun run = RunControlled(&system, "dopri5", 0.4, control, {}, {}, formulation);
    EXPECT_LT((run.end.q - expected.q).norm(), 1e-10)
        << FormulationNames()[static_cast<std::size_t>(formulation)];
  }
}

}  // namespace
}  // namespace saltus
