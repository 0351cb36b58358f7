// Every problem keeps the contract of System; the exact ball agrees with the printed numbers.
#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/dynamics/test/system_contract.h"

#include "problems/catalog.h"
#include "problems/impact_problems.h"

namespace saltus {
namespace {

void Check(Equations equations, double spread = 0.5) {
  EquationSystem system(std::move(equations));
  for (const unsigned seed : {1u, 2u, 3u}) {
    CheckSystemContract(&system, MakeContractPoint(system, seed, spread));
  }
}

TEST(Problems, KeepTheContract) {
  for (const ProblemInfo& info : ListProblems()) {
    SCOPED_TRACE(info.name);
    // Large displacements of stiff modes would drown the other forces in rounding.
    const bool stiff = info.name == "flexible-slider-crank";
    if (info.name != "elastic-bar") Check(info.make(), stiff ? 1e-5 : 0.5);
  }
  ElasticBarData bar;
  bar.elements = 7;
  Check(MakeElasticBar(bar));
  bar.lumped = true;
  Check(MakeElasticBar(bar));
}

TEST(Problems, AreFoundByName) {
  EXPECT_EQ(FindProblem("four-bar").make().name, "four-bar");
  EXPECT_THROW(FindProblem("fourbar"), InputError);
}

/// What starts on its joints stays there: consistent positions and velocities.
TEST(Problems, StartConsistently) {
  for (const ProblemInfo& info : ListProblems()) {
    const EquationSystem system(info.make());
    if (system.traits().num_constraints == 0) continue;
    const State state = system.MakeInitialState();
    VectorX g, g_t;
    SparseRows G;
    system.CalcConstraint(0, state.q, &g);
    system.CalcConstraintRate(0, state.q, &g_t);
    system.CalcConstraintJacobian(0, state.q, &G);
    // The test set prints the flexible slider-crank with nine digits.
    const bool printed = info.name == "flexible-slider-crank";
    EXPECT_LE(g.norm(), printed ? 3e-10 : 1e-15) << info.name;
    EXPECT_LE((G * state.v + g_t).norm(), printed ? 2e-8 : 1e-15) << info.name;
  }
}

// R1 of the references.
TEST(Problems, ExactBallAgreesWithThePrintedNumbers) {
  const BouncingBallData data;
  EXPECT_NEAR(CalcBouncingBall(data, 1).height, 0.7109491443330, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 1).velocity, -1.3940508556670, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 2).height, 0.0136843622851, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 2).velocity, 3.1872221811425, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 5).height, 0.1215486548391, 1e-12);
  EXPECT_NEAR(CalcBouncingBall(data, 5).velocity, -1.1184100332989, 1e-12);
  EXPECT_EQ(CalcBouncingBall(data, 8.5790).height, 0);
}

// Mass and stiffness of the bar: total mass, rigid motions free of force.
TEST(Problems, BarHasItsMassAndNoForceInRigidMotion) {
  for (const bool lumped : {false, true}) {
    ElasticBarData data;
    data.elements = 5;
    data.lumped = lumped;
    EquationSystem bar(MakeElasticBar(data));
    BlockMatrix M(bar.pattern());
    bar.CalcMass(bar.equations().q0, &M);
    EXPECT_NEAR(M.ToDense().sum(), 10, 1e-14);
    VectorX f;
    bar.CalcForce(0, VectorX::Constant(6, 0.3), bar.equations().v0, &f);
    EXPECT_EQ(f.norm(), 0);
    EXPECT_NEAR(bar.CalcEnergy(0, bar.equations().q0, bar.equations().v0).total(), 500, 1e-12);
  }
}

}  // namespace
}  // namespace saltus
